//! Objects that rules make, with objects and sets inside.

use std::collections::BTreeMap;

use crate::value::{ObjectBuilder, Value};

/// An object that grows.
#[derive(Default)]
pub(super) struct Branch(BTreeMap<Value, Part>);

enum Part {
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
    pub(super) fn insert(&mut self, path: &[Value], value: Value) -> bool {
        let Some((key, rest)) = path.split_first() else { return false };
        if rest.is_empty() {
            return match self.0.get(key) {
                None => {
                    self.0.insert(key.clone(), Part::Leaf(value));
                    true
                }
                Some(Part::Leaf(present)) => *present == value,
                Some(Part::Members(members)) => Value::set(members.iter().cloned()) == value,
                Some(Part::Branch(branch)) => branch.value() == value,
            };
        }
        match self.0.entry(key.clone()).or_insert_with(|| Part::Branch(Self::default())) {
            Part::Branch(branch) => branch.insert(rest, value),
            Part::Leaf(_) | Part::Members(_) => false,
        }
    }

    /// Adds a member to the set at a path; false when something else is there, or above.
    pub(super) fn add_member(&mut self, path: &[Value], member: Value) -> bool {
        let Some((key, rest)) = path.split_first() else { return false };
        if rest.is_empty() {
            return match self.0.entry(key.clone()).or_insert_with(|| Part::Members(Vec::new())) {
                Part::Members(members) => {
                    members.push(member);
                    true
                }
                Part::Leaf(_) | Part::Branch(_) => false,
            };
        }
        match self.0.entry(key.clone()).or_insert_with(|| Part::Branch(Self::default())) {
            Part::Branch(branch) => branch.add_member(rest, member),
            Part::Leaf(_) | Part::Members(_) => false,
        }
    }

    /// The object.
    pub(super) fn finish(self) -> Value {
        let mut builder = ObjectBuilder::default();
        for (key, part) in self.0 {
            let value = match part {
                Part::Branch(branch) => branch.finish(),
                Part::Members(members) => Value::set(members),
                Part::Leaf(value) => value,
            };
            builder.insert(key, value);
        }
        builder.finish()
    }

    fn value(&self) -> Value {
        let mut builder = ObjectBuilder::default();
        for (key, part) in &self.0 {
            let value = match part {
                Part::Branch(branch) => branch.value(),
                Part::Members(members) => Value::set(members.iter().cloned()),
                Part::Leaf(value) => value.clone(),
            };
            builder.insert(key.clone(), value);
        }
        builder.finish()
    }
}
