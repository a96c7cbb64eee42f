//! Documents that a part can be taken of, in whichever form they are held.

use crate::value::Value;

/// What a document is, as far as that decides what is inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// `null`, a boolean, a number or a text.
    Scalar,
    /// Items by index.
    Array,
    /// Members by key.
    Object,
    /// What no JSON has.
    Set,
}

/// A document: a value, or a tree of JSON that is to become one only as far as it is read.
pub trait Document<'d>: Copy + 'd {
    /// What it is.
    fn sort(self) -> Sort;

    /// The items of an array, in their order; nothing of anything else.
    fn items(self) -> impl Iterator<Item = Self> + 'd;

    /// The members of an object; nothing of anything else.
    fn members(self) -> impl Iterator<Item = (Value, Self)> + 'd;

    /// The member of an object at a key.
    fn get(self, key: &Value) -> Option<Self>;

    /// All of it as a value.
    fn to_value(self) -> Value;

    /// Whether no number in it could be written in another way (`1.0`).
    fn is_plain(self) -> bool;
}

impl<'d> Document<'d> for &'d Value {
    fn sort(self) -> Sort {
        match self {
            Value::Array(_) => Sort::Array,
            Value::Object(_) => Sort::Object,
            Value::Set(_) => Sort::Set,
            Value::Null | Value::False | Value::True | Value::Int(_) | Value::Number(_) | Value::String(_) => Sort::Scalar,
        }
    }

    fn items(self) -> impl Iterator<Item = Self> + 'd {
        self.as_array().unwrap_or_default().iter()
    }

    fn members(self) -> impl Iterator<Item = (Value, Self)> + 'd {
        self.as_object().into_iter().flat_map(|object| object.iter().map(|(key, value)| (key.clone(), value)))
    }

    fn get(self, key: &Value) -> Option<Self> {
        self.as_object()?.get(key)
    }

    fn to_value(self) -> Value {
        self.clone()
    }

    fn is_plain(self) -> bool {
        Value::is_plain(self)
    }
}
