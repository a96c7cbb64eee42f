//! Values: what policies compute with.
//!
//! A value is 16 bytes: scalars and short texts inline, everything else a shared pointer. It never changes. Cloning is a count at most.

pub mod array;
pub(crate) mod deep;
mod drop;
mod extent;
mod hash;
mod index;
pub mod json;
mod many;
pub mod meter;
pub mod number;
pub mod object;
mod order;
pub mod print;
mod rank;
pub mod set;
mod sort;
mod string;
mod text;

use std::sync::Arc;

pub use arcstr::ArcStr;
pub use array::Array;
pub(crate) use many::Items;
pub use many::Many;
pub use meter::{Free, Meter};
pub use number::Number;
pub use object::{Object, ObjectBuilder, Shape};
pub use set::Set;
pub use string::Str;

/// A value of Rego. What is undefined has no value: `Option<Value>`.
///
/// `==`, `<` and hashes are OPA's (`v1/ast/compare.go`): `1` and `1.0` are equal; null < booleans < numbers < strings < arrays <
/// objects < sets.
// The tag takes a word: the other kinds are tags that a `Str` does not use. What follows takes the other word, in each case that has
// something to follow. A `Bool(bool)` would be written to memory as less than a word, and whoever reads the word waits for it.
#[derive(Clone)]
pub enum Value {
    /// `null`.
    Null,
    /// `false`.
    False,
    /// `true`.
    True,
    /// An integer that is written as Rust writes it: no `1.0`, no `1e2`, no `-0`.
    Int(i64),
    /// Every other number.
    Number(Arc<Number>),
    /// Text.
    String(Str),
    /// `[…]`.
    Array(Arc<Array>),
    /// `{…: …}`.
    Object(Arc<Object>),
    /// `{…}`.
    Set(Arc<Set>),
}

const _: () = assert!(size_of::<Value>() == 16 && size_of::<Option<Value>>() == 16);

impl Value {
    /// The name of its type, as `type_name` says it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::False | Self::True => "boolean",
            Self::Int(_) | Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
            Self::Set(_) => "set",
        }
    }

    /// Text as a value.
    pub fn string(text: impl Into<Str>) -> Self {
        Self::String(text.into())
    }

    /// An array of these.
    pub fn array(items: impl IntoIterator<Item = Self>) -> Self {
        Self::list(many::collected(items.into_iter()))
    }

    /// The same of items that stay where they are, if they are many.
    pub(crate) fn list(items: impl Into<Items>) -> Self {
        Self::Array(Arc::new(Array::of(items.into())))
    }

    /// A set of these; of equal ones the first stays.
    pub fn set(items: impl IntoIterator<Item = Self>) -> Self {
        Self::Set(Arc::new(Set::new(items.into_iter().collect())))
    }

    /// An object of these; of equal keys the last value stays, with the first key.
    pub fn object(members: impl IntoIterator<Item = (Self, Self)>) -> Self {
        let mut builder = ObjectBuilder::default();
        for (key, value) in members {
            builder.insert(key, value);
        }
        builder.finish()
    }

    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Number(_))
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::False => Some(false),
            Self::True => Some(true),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&Str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The items of an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(array) = self { Some(array.items()) } else { None }
    }

    /// An object.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// A set.
    pub fn as_set(&self) -> Option<&Set> {
        if let Self::Set(set) = self { Some(set) } else { None }
    }

    /// What it is made of, if it is an array, an object or a set: how many.
    pub fn as_collection(&self) -> Option<usize> {
        match self {
            Self::Array(array) => Some(array.items().len()),
            Self::Object(object) => Some(object.len()),
            Self::Set(set) => Some(set.len()),
            _ => None,
        }
    }

    /// The integer that OPA takes a number for where it wants one (`v1/ast/term.go`, `Number.Int64`): `2.0` is 2, `1e2` is none.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Number(number) => number.to_i64(),
            _ => None,
        }
    }

    /// What a reference finds one step below: the item at an index, the member of a key, the element of a set as the set writes it
    /// (OPA's answer is then written as the reference writes it: `{1.0}[1]` is 1).
    pub fn get(&self, key: &Self) -> Option<&Self> {
        match self {
            Self::Array(array) => array.get(usize::try_from(index(key)?).ok()?),
            Self::Object(object) => object.get(key),
            Self::Set(set) => set.get(key),
            _ => None,
        }
    }

    /// The same, paid by an account where the key is large.
    pub fn get_within<M: Meter>(&self, key: &Self, meter: &mut M) -> Result<Option<&Self>, M::Stop> {
        match self {
            Self::Object(object) => object.get_within(key, meter),
            Self::Set(set) => set.get_within(key, meter),
            other => Ok(other.get(key)),
        }
    }

    /// How many levels of collections lie inside: 0 for a scalar.
    pub fn depth(&self) -> u32 {
        match self {
            Self::Array(array) => array.depth(),
            Self::Object(object) => object.depth(),
            Self::Set(set) => set.depth(),
            _ => 0,
        }
    }

    /// Whether no number inside could be written in another way: each is written as the nearest double is, and no other one is equal to
    /// it.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Self::Null | Self::False | Self::True | Self::Int(_) | Self::String(_) => true,
            Self::Number(number) => number.is_shortest(),
            Self::Array(array) => array.is_plain(),
            Self::Object(object) => object.values.is_plain(),
            Self::Set(set) => set.is_plain(),
        }
    }

    /// How large it is: itself and all that lies inside, what is shared counted each time it occurs, 64 bytes of text like one
    /// value; saturates. It bounds what comparing, printing and writing may cost.
    pub fn nodes(&self) -> u32 {
        match self {
            Self::Null | Self::False | Self::True | Self::Int(_) => 1,
            Self::Number(number) => extent::text_nodes(number.text().len()),
            Self::String(text) => extent::text_nodes(text.len()),
            Self::Array(array) => array.nodes(),
            Self::Object(object) => object.nodes(),
            Self::Set(set) => set.nodes(),
        }
    }
}

/// Sorts in OPA's order; what is equal stays in its order. Paid by an account for each comparison.
pub fn sort_within<M: Meter>(items: &mut Vec<Value>, meter: &mut M) -> Result<(), M::Stop> {
    sort::sort(items, meter).map(drop)
}

/// The index that a key is for an array (`v1/ast/term.go`, `Array.Find`).
fn index(key: &Value) -> Option<i64> {
    key.as_i64()
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        i64::try_from(value).map_or_else(|_| Self::number(&value.to_string()).unwrap_or(Self::Null), Self::Int)
    }
}

#[cfg(test)]
mod tests;
