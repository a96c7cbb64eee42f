//! Objects that rules make, with objects and sets inside.

use super::keyed::Keyed;
use crate::limits::{Account, Halt};
use crate::value::{Set, Value};

/// An object that grows.
#[derive(Default)]
pub(super) struct Branch(Keyed<Part>);

pub(super) enum Part {
    /// Made of several rules or solutions.
    Branch(Branch),
    /// Members of a set.
    Members(Vec<Value>),
    /// One value.
    Leaf(Value),
}

impl Branch {
    /// Puts a value at a path; false when something else is there, above or below (opa `v1/topdown/eval.go`,
    /// `evalVirtualPartial.reduce`).
    pub(super) fn insert(&mut self, path: &[Value], value: Value, account: &mut Account) -> Result<bool, Halt> {
        let Some((key, rest)) = path.split_first() else { return Ok(false) };
        if !rest.is_empty() {
            return match self.0.entry(key, || Part::Branch(Self::default()), account)? {
                Some(Part::Branch(branch)) => branch.insert(rest, value, account),
                _ => Ok(false),
            };
        }
        let mut value = Some(value);
        let present = self.0.entry(key, || Part::Leaf(value.take().unwrap_or(Value::Null)), account)?;
        match (present, value) {
            (_, None) => Ok(true),
            (Some(Part::Leaf(present)), Some(value)) => present.equal_within(&value, account),
            (Some(part), Some(value)) => part.value(account)?.equal_within(&value, account),
            (None, Some(_)) => Ok(false),
        }
    }

    /// Adds a member to the set at a path; false when something else is there, or above.
    pub(super) fn add_member(&mut self, path: &[Value], member: Value, account: &mut Account) -> Result<bool, Halt> {
        let Some((key, rest)) = path.split_first() else { return Ok(false) };
        if rest.is_empty() {
            return Ok(match self.0.entry(key, || Part::Members(Vec::new()), account)? {
                Some(Part::Members(members)) => {
                    members.push(member);
                    true
                }
                _ => false,
            });
        }
        match self.0.entry(key, || Part::Branch(Self::default()), account)? {
            Some(Part::Branch(branch)) => branch.add_member(rest, member, account),
            _ => Ok(false),
        }
    }

    /// The object.
    pub(super) fn finish(self, account: &mut Account) -> Result<Value, Halt> {
        self.0.finish(account, Part::finish)
    }

    /// The object so far.
    fn value(&self, account: &mut Account) -> Result<Value, Halt> {
        let mut all = Keyed::default();
        for (key, part) in self.0.iter() {
            let value = part.value(account)?;
            all.entry(key, || value, account)?;
        }
        all.finish(account, |value, _| Ok(value))
    }
}

impl Part {
    fn finish(self, account: &mut Account) -> Result<Value, Halt> {
        match self {
            Self::Branch(branch) => branch.finish(account),
            Self::Members(members) => Ok(Value::Set(Set::new_within(members, account)?.into())),
            Self::Leaf(value) => Ok(value),
        }
    }

    fn value(&self, account: &mut Account) -> Result<Value, Halt> {
        match self {
            Self::Branch(branch) => branch.value(account),
            Self::Members(members) => Ok(Value::Set(Set::new_within(members.clone(), account)?.into())),
            Self::Leaf(value) => Ok(value.clone()),
        }
    }
}
