//! References that go through something.

use super::body::Next;
use super::quick::Quick;
use super::val::{Val, below_base, entry};
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
    /// One step below a value: see [`below_base`].
    pub(super) step: Step<'a>,
    /// Of the frame.
    pub(super) base: usize,
}

/// How a member is found.
pub(super) type Step<'a> = fn(&'a Value, &Value) -> Option<&'a Value>;

impl<'a> Evaluation<'a> {
    /// Calls `next` for each value that a reference finds.
    pub(super) fn iterate(&mut self, iterate: &'a Iterate, base: usize, next: Next<'_, 'a>) -> Found {
        let step = if matches!(iterate.head, Head::Base) { below_base } else { Value::get };
        let (elements, output, filter) = (&iterate.elements, iterate.output.as_ref(), iterate.filter.as_deref());
        let ahead = Ahead { elements, output, filter, step, base };
        let value = match &iterate.head {
            Head::Input => self.scope.input,
            Head::Base if self.scope.is_replaced() => return self.tree(&mut Vec::new(), &ahead, next),
            Head::Base => Some(self.scope.stored),
            Head::Term(term) => match self.quick(term, base)? {
                Quick::Is(value) => Some(value),
                known => match self.completed(known, term, base)? {
                    Some(value) => return self.values(value, &ahead, next),
                    None => None,
                },
            },
            Head::Data => return self.tree(&mut Vec::new(), &ahead, next),
            Head::Group(group) if self.scope.is_replaced() => {
                let path = self.policy.group(*group).map(|group| &*group.path).unwrap_or_default();
                return self.tree_below(path, &ahead, next);
            }
            Head::Group(group) => return self.group_values(*group, &ahead, next),
        };
        match value {
            Some(value) => self.borrowed_values(value, &ahead, next),
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
    pub(super) fn borrowed_values(&mut self, mut value: &'a Value, ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        for (index, element) in ahead.elements.iter().enumerate() {
            match element {
                Element::Key(key) => match self.step_below(value, key, ahead.step, ahead.base)? {
                    Some(found) => value = found,
                    None => return Ok(Flow::Next),
                },
                Element::Each(pattern) => {
                    let rest = Ahead { elements: ahead.elements.get(index.saturating_add(1)..).unwrap_or_default(), ..*ahead };
                    return match self.known_member(value, pattern, &rest)? {
                        Some(true) => next(self),
                        Some(false) => Ok(Flow::Next),
                        None => self.each_borrowed(value, pattern, &rest, next),
                    };
                }
            }
        }
        if self.arrives_borrowed(value, ahead)? { next(self) } else { Ok(Flow::Next) }
    }

    fn owned_values(&mut self, mut value: Value, ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        for (index, element) in ahead.elements.iter().enumerate() {
            match element {
                Element::Key(key) => {
                    let Some(key) = self.term(key, ahead.base)? else { return Ok(Flow::Next) };
                    let found = value.get_within(key.value(), &mut self.context.account)?.cloned();
                    let Some(found) = found else { return Ok(Flow::Next) };
                    value = if matches!(value, Value::Set(_)) { key.into_value() } else { found };
                }
                Element::Each(pattern) => {
                    let rest = Ahead { elements: ahead.elements.get(index.saturating_add(1)..).unwrap_or_default(), ..*ahead };
                    return match self.known_member(&value, pattern, &rest)? {
                        Some(true) => next(self),
                        Some(false) => Ok(Flow::Next),
                        None => self.each_owned(&value, pattern, &rest, next),
                    };
                }
            }
        }
        if self.arrives(Val::Own(value), ahead)? { next(self) } else { Ok(Flow::Next) }
    }

    /// Whether the value at the end of a reference is what it must be.
    pub(super) fn arrives(&mut self, value: Val<'a>, ahead: &Ahead<'a>) -> Result<bool, Stop> {
        match ahead.output {
            Some(pattern) => self.matches(pattern, value, ahead.base),
            None => Ok(!value.is_false()),
        }
    }

    fn arrives_borrowed(&mut self, value: &'a Value, ahead: &Ahead<'a>) -> Result<bool, Stop> {
        match ahead.output {
            Some(pattern) => self.fits(pattern, value, ahead.base),
            None => Ok(!matches!(value, Value::False)),
        }
    }

    fn each_owned(&mut self, value: &Value, pattern: &'a Pattern, rest: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        let own = |value: &Value| Val::Own(value.clone());
        for index in 0..value.as_collection().unwrap_or(0) {
            self.context.account.step(1)?;
            let Some((key, found)) = entry(value, index, own) else { break };
            if self.matches(pattern, key, rest.base)? && self.member(found, rest, next)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::Next)
    }

    /// Goes on from one member.
    fn member(&mut self, found: Val<'a>, rest: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        if !rest.elements.is_empty() {
            return self.values(found, rest, next);
        }
        if self.arrives(found, rest)? { next(self) } else { Ok(Flow::Next) }
    }

    fn each_borrowed(&mut self, value: &'a Value, pattern: &'a Pattern, rest: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        if let Some(filter) = rest.filter.filter(|_| rest.elements.is_empty())
            && let Some((join, wanted)) = self.join(value, filter, rest.base)?
        {
            let mut found = wanted.value().as_str().and_then(|text| join.first(text));
            while let Some(index) = found {
                self.context.account.step(1)?;
                if self.member_borrowed((value, index), pattern, rest, next)? == Flow::Enough {
                    return Ok(Flow::Enough);
                }
                found = join.next(index);
            }
            return Ok(Flow::Next);
        }
        for index in 0..value.as_collection().unwrap_or(0) {
            self.context.account.step(1)?;
            if self.member_borrowed((value, index), pattern, rest, next)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::Next)
    }

    /// Goes on from one member, if its key fits.
    #[inline]
    pub(super) fn member_borrowed(
        &mut self,
        (collection, index): (&'a Value, usize),
        pattern: &'a Pattern,
        rest: &Ahead<'a>,
        next: Next<'_, 'a>,
    ) -> Found {
        let (key, found) = match collection {
            Value::Array(array) => (None, array.get(index)),
            Value::Object(object) => (object.keys().get(index), object.values().get(index)),
            Value::Set(set) => (set.members().get(index), set.members().get(index)),
            _ => (None, None),
        };
        let Some(found) = found else { return Ok(Flow::Next) };
        let fits = match (key, pattern) {
            (_, Pattern::Any) => true,
            (Some(key), pattern) => self.fits(pattern, key, rest.base)?,
            (None, pattern) => self.matches(pattern, Val::Own(Value::from(index)), rest.base)?,
        };
        if !fits {
            return Ok(Flow::Next);
        }
        if !rest.elements.is_empty() {
            return self.borrowed_values(found, rest, next);
        }
        if self.arrives_borrowed(found, rest)? { next(self) } else { Ok(Flow::Next) }
    }

    /// `some x in xs` where `x` is known and `xs` is a set: looked up, not searched for. In `xs[x] = x` it is known only where the key is.
    fn known_member(&mut self, value: &Value, key: &'a Pattern, rest: &Ahead<'a>) -> Result<Option<bool>, Stop> {
        let (Value::Set(set), [], Some(Pattern::Equal(wanted))) = (value, rest.elements, rest.output) else {
            return Ok(None);
        };
        let is_known = match (key, wanted) {
            (Pattern::Any, _) | (_, Term::Constant(_)) => true,
            (Pattern::Bind(slot), Term::Slot(wanted)) => slot != wanted,
            _ => false,
        };
        if !is_known {
            return Ok(None);
        }
        let Some(wanted) = self.term(wanted, rest.base)? else { return Ok(Some(false)) };
        let Some(member) = set.get_within(wanted.value(), &mut self.context.account)? else { return Ok(Some(false)) };
        let member = Val::Own(member.clone());
        self.matches(key, member, rest.base).map(Some)
    }
}
