//! References that go through something.

use super::body::Next;
use super::val::Val;
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::{Element, Head, Iterate, Pattern};
use crate::value::Value;

/// What a reference does with each value it comes to.
pub(super) struct Ahead<'a> {
    /// The steps before it.
    pub(super) elements: &'a [Element],
    /// What the value must be.
    pub(super) output: Option<&'a Pattern>,
    /// Of the frame.
    pub(super) base: usize,
}

impl<'a> Evaluation<'a> {
    /// Calls `next` for each value that a reference finds.
    pub(super) fn iterate(&mut self, iterate: &'a Iterate, base: usize, next: Next<'_, 'a>) -> Found {
        let ahead = Ahead { elements: &iterate.elements, output: iterate.output.as_ref(), base };
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
    pub(super) fn values(&mut self, mut value: Val<'a>, ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        for (index, element) in ahead.elements.iter().enumerate() {
            match element {
                Element::Key(key) => {
                    let Some(key) = self.term(key, ahead.base)? else { return Ok(Flow::Next) };
                    let Some(found) = value.get(key.value()) else { return Ok(Flow::Next) };
                    value = found;
                }
                Element::Each(pattern) => {
                    let rest = Ahead { elements: ahead.elements.get(index.saturating_add(1)..).unwrap_or_default(), ..*ahead };
                    return match self.known_member(&value, pattern, &rest)? {
                        Some(true) => next(self),
                        Some(false) => Ok(Flow::Next),
                        None => self.each(&value, pattern, &rest, next),
                    };
                }
            }
        }
        if self.arrives(value, ahead)? { next(self) } else { Ok(Flow::Next) }
    }

    /// Whether the value at the end of a reference is what it must be.
    pub(super) fn arrives(&mut self, value: Val<'a>, ahead: &Ahead<'a>) -> Result<bool, Stop> {
        match ahead.output {
            Some(pattern) => self.matches(pattern, value, ahead.base),
            None => Ok(!value.is_false()),
        }
    }

    fn each(&mut self, value: &Val<'a>, pattern: &'a Pattern, rest: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        for index in 0..value.len() {
            self.context.account.step(1)?;
            let Some((key, found)) = value.entry(index) else { break };
            if self.matches(pattern, key, rest.base)? && self.values(found, rest, next)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::Next)
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
