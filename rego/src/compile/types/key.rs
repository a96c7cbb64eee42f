//! Parts of paths to types.

use super::super::constants;
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::tree::{Kind, Term, Var};
use crate::value::Value;

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    /// What is known.
    Value(Value),
    /// The first part, or a part that is not known.
    Var(Var),
    /// A part that is no name and not known, as it is written.
    Other(String),
}

impl Key {
    /// The key that a term is.
    pub(crate) fn of(term: &Term) -> Self {
        match &term.kind {
            Kind::Var(name) => Self::Var(name.clone()),
            _ => constants::value(term).map_or_else(|| Self::Other(print::term(term)), Self::Value),
        }
    }

    /// As messages show it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Value(Value::String(text)) => print::quoted(text),
            Self::Value(value) => value.to_string(),
            Self::Var(name) => name.to_string(),
            Self::Other(text) => text.clone(),
        }
    }

    /// A term of the same type.
    pub(super) fn term(&self) -> Term {
        let kind = match self {
            Self::Value(Value::Null) => Kind::Null,
            Self::Value(Value::False) => Kind::Bool(false),
            Self::Value(Value::True) => Kind::Bool(true),
            Self::Value(value @ (Value::Int(_) | Value::Number(_))) => Kind::Number(value.to_string().into()),
            Self::Value(Value::String(text)) => Kind::String(text.to_arc_str()),
            Self::Value(_) | Self::Other(_) => Kind::Array(Vec::new()),
            Self::Var(name) => Kind::Var(name.clone()),
        };
        Term::new(Span::default(), kind)
    }
}
