//! References that go through something.

use super::body::Next;
use super::val::Val;
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::{Element, Filter, Head, Iterate, Pattern, Term};
use crate::value::Value;

/// What a reference does with each value it comes to.
pub(super) struct Ahead<'a> {
    /// The steps before it.
    pub(super) elements: &'a [Element],
    /// What the value must be.
    pub(super) output: Option<&'a Pattern>,
    /// What is asked of each value first.
    pub(super) filter: Option<&'a Filter>,
    /// Of the frame.
    pub(super) base: usize,
}

impl<'a> Evaluation<'a> {
    /// Calls `next` for each value that a reference finds.
    pub(super) fn iterate(&mut self, iterate: &'a Iterate, base: usize, next: Next<'_, 'a>) -> Found {
        let ahead =
            Ahead { elements: &iterate.elements, output: iterate.output.as_ref(), filter: iterate.filter.as_deref(), base };
        let value = match &iterate.head {
            Head::Input => self.scope.input.map(Val::Ref),
            Head::Base => self.scope.data.map(Val::Ref),
            Head::Term(term) => self.term(term, base)?,
            Head::Data => return self.tree(&mut Vec::new(), &ahead, next),
            Head::Group(group) if self.scope.is_replaced() => {
                let path = self.policy.group(*group).map(|group| &*group.path).unwrap_or_default();
                return self.tree_below(path, &ahead, next);
            }
            Head::Group(group) => return self.group_values(*group, &ahead, next),
        };
        match value {
            Some(value) => self.values(value, &ahead, next),
            None => Ok(Flow::Next),
        }
    }

    /// Goes on from a value.
    pub(super) fn values(&mut self, value: Val<'a>, ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        match value {
            Val::Ref(value) => self.borrowed_values(value, ahead, next),
            Val::Own(value) => self.owned_values(value, ahead, next),
        }
    }

    /// The same from one that is borrowed, as nearly all are: pointers alone are moved on the way.
    fn borrowed_values(&mut self, mut value: &'a Value, ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        for (index, element) in ahead.elements.iter().enumerate() {
            let found = match element {
                Element::Key(Term::Constant(key)) => self.one_below(value, key, Value::get),
                Element::Key(key) => match self.term(key, ahead.base)? {
                    Some(key) => value.get(key.value()),
                    None => None,
                },
                Element::Each(pattern) => {
                    let rest = Ahead { elements: ahead.elements.get(index.saturating_add(1)..).unwrap_or_default(), ..*ahead };
                    return self.members_of_value(&Val::Ref(value), pattern, &rest, next);
                }
            };
            match found {
                Some(found) => value = found,
                None => return Ok(Flow::Next),
            }
        }
        if self.arrives(Val::Ref(value), ahead)? { next(self) } else { Ok(Flow::Next) }
    }

    fn owned_values(&mut self, mut value: Value, ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        for (index, element) in ahead.elements.iter().enumerate() {
            match element {
                Element::Key(key) => {
                    let Some(key) = self.term(key, ahead.base)? else { return Ok(Flow::Next) };
                    let Some(found) = value.get(key.value()).cloned() else { return Ok(Flow::Next) };
                    value = found;
                }
                Element::Each(pattern) => {
                    let rest = Ahead { elements: ahead.elements.get(index.saturating_add(1)..).unwrap_or_default(), ..*ahead };
                    return self.members_of_value(&Val::Own(value), pattern, &rest, next);
                }
            }
        }
        if self.arrives(Val::Own(value), ahead)? { next(self) } else { Ok(Flow::Next) }
    }

    fn members_of_value(&mut self, value: &Val<'a>, pattern: &'a Pattern, rest: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        match self.known_member(value, pattern, rest)? {
            Some(true) => next(self),
            Some(false) => Ok(Flow::Next),
            None => self.each(value, pattern, rest, next),
        }
    }

    /// Whether the value at the end of a reference is what it must be.
    pub(super) fn arrives(&mut self, value: Val<'a>, ahead: &Ahead<'a>) -> Result<bool, Stop> {
        match ahead.output {
            Some(pattern) => self.matches(pattern, value, ahead.base),
            None => Ok(!value.is_false()),
        }
    }

    fn each(&mut self, value: &Val<'a>, pattern: &'a Pattern, rest: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        if let Some(filter) = rest.filter.filter(|_| rest.elements.is_empty())
            && let Some((join, wanted)) = self.join(value, filter, rest.base)?
        {
            let mut found = wanted.value().as_str().and_then(|text| join.first(text));
            while let Some(index) = found {
                self.context.account.step(1)?;
                if self.member(value.entry(index), pattern, rest, next)? == Flow::Enough {
                    return Ok(Flow::Enough);
                }
                found = join.next(index);
            }
            return Ok(Flow::Next);
        }
        for index in 0..value.len() {
            self.context.account.step(1)?;
            if self.member(value.entry(index), pattern, rest, next)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::Next)
    }

    /// Goes on from one member, if its key fits.
    #[inline]
    fn member(&mut self, entry: Option<(Val<'a>, Val<'a>)>, pattern: &'a Pattern, rest: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        let Some((key, found)) = entry else { return Ok(Flow::Next) };
        if !self.matches(pattern, key, rest.base)? {
            return Ok(Flow::Next);
        }
        if !rest.elements.is_empty() {
            return self.values(found, rest, next);
        }
        if self.arrives(found, rest)? { next(self) } else { Ok(Flow::Next) }
    }

    /// `some x in xs` where `x` is known and `xs` is a set: looked up, not searched for.
    fn known_member(&mut self, value: &Val<'a>, key: &'a Pattern, rest: &Ahead<'a>) -> Result<Option<bool>, Stop> {
        let (Value::Set(set), [], Some(Pattern::Equal(wanted))) = (value.value(), rest.elements, rest.output) else {
            return Ok(None);
        };
        let Some(wanted) = self.term(wanted, rest.base)? else { return Ok(Some(false)) };
        let Some(member) = set.get(wanted.value()) else { return Ok(Some(false)) };
        let member = Val::Own(member.clone());
        self.matches(key, member, rest.base).map(Some)
    }
}
