//! Values in templates: those of JSON, where numbers are texts of a type of their own, and those that templates make.

use crate::value::Value;

/// A value, or none.
#[derive(Clone, Debug)]
pub(super) enum Data {
    /// What was not found, and `null` where nobody asks what it was.
    Missing,
    /// `null` of JSON.
    Null,
    Bool(bool),
    /// A number of the template.
    Int(i64),
    Float(f64),
    Text(String),
    /// A number of JSON: text for everything but printing its type.
    Number(String),
    /// An array or an object.
    Collection(Value),
}

/// What can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Nothing,
    Bool,
    Int,
    Float,
    Text,
    Collection,
}

impl Data {
    /// A value of JSON.
    pub(super) fn of(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::False => Self::Bool(false),
            Value::True => Self::Bool(true),
            Value::String(text) => Self::Text(text.to_string()),
            number @ (Value::Int(_) | Value::Number(_)) => Self::Number(number.to_string()),
            collection => Self::Collection(collection),
        }
    }

    /// The same where `null` is nothing.
    pub(super) fn settled(self) -> Self {
        if matches!(self, Self::Null) { Self::Missing } else { self }
    }

    /// Whether it counts as true: what is not empty.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Missing | Self::Null => false,
            Self::Bool(truth) => *truth,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) | Self::Number(text) => !text.is_empty(),
            Self::Collection(Value::Object(object)) => !object.is_empty(),
            Self::Collection(other) => other.as_array().is_some_and(|items| !items.is_empty()),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Missing | Self::Null => Kind::Nothing,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) => Kind::Int,
            Self::Float(_) => Kind::Float,
            Self::Text(_) | Self::Number(_) => Kind::Text,
            Self::Collection(_) => Kind::Collection,
        }
    }

    /// The name of its type in Go.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Missing | Self::Null => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::Number(_) => "json.Number",
            Self::Collection(Value::Object(_)) => "map[string]interface {}",
            Self::Collection(_) => "[]interface {}",
        }
    }
}
