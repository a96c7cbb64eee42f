//! OPA's order of values (`v1/ast/compare.go`), and what is equal in it.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::{Number, Value, number};

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Null, Self::Null) => Ordering::Equal,
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Int(_) | Self::Number(_), Self::Int(_) | Self::Number(_)) => number::compare(self, other),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Array(a), Self::Array(b)) => a.items().cmp(b.items()),
            (Self::Object(a), Self::Object(b)) => a.keys().cmp(b.keys()).then_with(|| a.values().cmp(b.values())),
            (Self::Set(a), Self::Set(b)) => a.members().cmp(b.members()),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        rank(self).hash(state);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::Number(number) => Number::hash(number, state),
            Self::String(text) => text.hash(state),
            Self::Array(array) => array.items().hash(state),
            Self::Object(object) => object.iter().for_each(|member| member.hash(state)),
            Self::Set(set) => set.members().hash(state),
        }
    }
}

/// How a key compares with text.
pub(super) fn with_text(key: &Value, text: &str) -> Ordering {
    match key {
        Value::String(key) => key.as_str().cmp(text),
        other => rank(other).cmp(&rank(&Value::String(super::ArcStr::new()))),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
        Value::Set(_) => 6,
    }
}
