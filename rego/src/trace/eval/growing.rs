//! The document of partial rules while it grows (opa `v1/topdown/eval.go`, `reduce`, `hasCollisions`, `getNestedObject`).

use std::collections::{BTreeMap, BTreeSet};

use crate::value::Value;

/// A set, or an object of what keys in heads say.
#[derive(Debug)]
pub(super) enum Growing {
    Set(BTreeSet<Value>),
    Object(BTreeMap<Value, Self>),
    Leaf(Value),
}

/// What a rule adds.
pub(super) enum Added {
    /// A member of a set.
    Member(Value),
    /// The value of a key.
    Value(Value),
}

/// Two rules do not fit together.
pub(super) struct Conflict;

impl Growing {
    pub(super) fn new(set: bool) -> Self {
        if set { Self::Set(BTreeSet::new()) } else { Self::Object(BTreeMap::new()) }
    }

    /// Adds something below some keys; returns whether it was there.
    pub(super) fn add(&mut self, keys: &[Value], added: Added) -> Result<bool, Conflict> {
        let mut place = self;
        let mut rest = keys.iter();
        while let Some(key) = rest.next() {
            let Self::Object(members) = place else { return Err(Conflict) };
            if rest.len() == 0
                && let Added::Value(value) = &added
            {
                return match members.get(key) {
                    Some(before) if before.value() != *value => Err(Conflict),
                    Some(_) => Ok(true),
                    None => Ok(members.insert(key.clone(), Self::Leaf(value.clone())).is_some()),
                };
            }
            let set = rest.len() == 0;
            place = members.entry(key.clone()).or_insert_with(|| Self::new(set));
        }
        match (place, added) {
            (Self::Set(members), Added::Member(member)) => Ok(!members.insert(member)),
            _ => Err(Conflict),
        }
    }

    pub(super) fn value(&self) -> Value {
        match self {
            Self::Set(members) => Value::set(members.iter().cloned()),
            Self::Object(members) => Value::object(members.iter().map(|(key, value)| (key.clone(), value.value()))),
            Self::Leaf(value) => value.clone(),
        }
    }
}
