//! Paths into documents, and sets of them.

mod set;

use std::fmt;

pub use set::PathSet;
pub(super) use set::Tree;

use crate::value::Value;

/// Where something lies in a document.
pub type Path = Vec<Step>;

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The member of this key, or the item at this index.
    Key(Value),
    /// Each of them.
    Any,
}

/// What of a value is read. Each part includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Whether it is there, and its type; of `null`, `true` and `false`, which of them.
    Kind,
    /// Its value, if it is a scalar.
    Scalar,
    /// Its keys, or how many items it has.
    Keys,
    /// All of it.
    Whole,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(Value::String(name)) if is_plain(name) => write!(f, ".{name}"),
            Self::Key(key) => write!(f, "[{key}]"),
            Self::Any => f.write_str("[_]"),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kind => "kind",
            Self::Scalar => "scalar",
            Self::Keys => "keys",
            Self::Whole => "whole",
        })
    }
}

fn is_plain(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}
