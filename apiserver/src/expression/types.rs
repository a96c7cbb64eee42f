//! Static types of expressions, as cel-go has them. What is only known when it is evaluated is `dyn`, which fits everywhere.

mod notation;
mod unify;

use std::fmt::{self, Display};

pub(super) use unify::{Bindings, fits, is_equivalent, join, with};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// Objects, and whatever comes from them.
    Dyn,
    /// What an empty list holds: whatever it is used with.
    Free,
    Bool,
    Bytes,
    Double,
    Duration,
    Int,
    Null,
    Text,
    Timestamp,
    Uint,
    /// Of what it holds.
    List(Box<Type>),
    /// Of its keys and its values.
    Map(Box<Type>, Box<Type>),
    /// Of what it may hold.
    Optional(Box<Type>),
    /// The type of a type.
    Meta(Box<Type>),
    /// Values of a library, such as `net.IP`, and parts of the request.
    Named(&'static str),
    /// Stands for any type in a signature, each time for the same.
    Parameter(&'static str),
}

impl Type {
    pub(super) fn list(of: Self) -> Self {
        Self::List(Box::new(of))
    }

    pub(super) fn map(keys: Self, values: Self) -> Self {
        Self::Map(Box::new(keys), Box::new(values))
    }

    pub(super) fn optional(of: Self) -> Self {
        Self::Optional(Box::new(of))
    }

    /// As errors of the checker show it. Source: cel-go, `checker/format.go`.
    pub(super) fn in_errors(&self) -> String {
        self.shown(&|kind| match kind {
            Self::Duration => Some("duration"),
            Self::Null => Some("null"),
            Self::Timestamp => Some("timestamp"),
            _ => None,
        })
    }

    fn shown(&self, special: &dyn Fn(&Self) -> Option<&'static str>) -> String {
        let inner = |kind: &Self| kind.shown(special);
        match self {
            kind if let Some(name) = special(kind) => name.to_owned(),
            Self::Dyn | Self::Free => "dyn".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Bytes => "bytes".to_owned(),
            Self::Double => "double".to_owned(),
            Self::Duration => "google.protobuf.Duration".to_owned(),
            Self::Int => "int".to_owned(),
            Self::Null => "null_type".to_owned(),
            Self::Text => "string".to_owned(),
            Self::Timestamp => "google.protobuf.Timestamp".to_owned(),
            Self::Uint => "uint".to_owned(),
            Self::List(of) => format!("list({})", inner(of)),
            Self::Map(keys, values) => format!("map({}, {})", inner(keys), inner(values)),
            Self::Optional(of) => format!("optional_type({})", inner(of)),
            Self::Meta(of) => format!("type({})", inner(of)),
            Self::Named(name) | Self::Parameter(name) => (*name).to_owned(),
        }
    }
}

/// As cel-go names it.
impl Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.shown(&|_| None))
    }
}
