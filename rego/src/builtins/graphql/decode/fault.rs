//! What is wrong with an object, in the words of Go's `encoding/json`.

use crate::builtins::BuiltinError;
use crate::limits::Halt;
use crate::value::Value;

/// Why an object is no document.
#[derive(Debug)]
pub(in super::super) enum Fault {
    /// A value is of a wrong type.
    Mismatch(Box<Mismatch>),
    /// Something is not there that gqlparser takes for granted: OPA panics.
    Missing(&'static str),
    /// The evaluation ends.
    Halt(Halt),
}

/// A value of a wrong type.
#[derive(Debug)]
pub(in super::super) struct Mismatch {
    found: String,
    expected: String,
    /// The type whose field it is, and the way to it.
    owner: Option<&'static str>,
    path: Vec<&'static str>,
}

impl From<Halt> for Fault {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

impl Fault {
    pub(super) fn mismatch(found: &Value, expected: String) -> Self {
        let found = if matches!(found, Value::False | Value::True) { "bool" } else { found.type_name() };
        Self::wrong(found.to_owned(), expected)
    }

    /// A number that is not whole.
    pub(super) fn fraction(found: &Value, expected: String) -> Self {
        Self::wrong(format!("number {found}"), expected)
    }

    fn wrong(found: String, expected: String) -> Self {
        Self::Mismatch(Box::new(Mismatch { found, expected, owner: None, path: Vec::new() }))
    }

    /// The same in a field of a type.
    pub(super) fn inside(mut self, owner: &'static str, field: &'static str) -> Self {
        if let Self::Mismatch(mismatch) = &mut self {
            mismatch.owner.get_or_insert(owner);
            mismatch.path.insert(0, field);
        }
        self
    }

    /// The same in a type that decodes itself: Go names the one outside, and leaves the field out.
    pub(super) fn unowned(mut self) -> Self {
        if let Self::Mismatch(mismatch) = &mut self {
            mismatch.owner = None;
        }
        self
    }

    /// The same as a builtin's error.
    pub(in super::super) fn error(self) -> BuiltinError {
        match self {
            Self::Mismatch(mismatch) => BuiltinError::failed(mismatch.to_string()),
            Self::Missing(what) => BuiltinError::failed(format!("{what} is missing in a GraphQL object")),
            Self::Halt(halt) => halt.into(),
        }
    }
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { found, expected, owner, path } = self;
        write!(f, "json: cannot unmarshal {found} into Go ")?;
        match owner {
            Some(owner) => write!(f, "struct field {owner}.{} of type {expected}", path.join(".")),
            None => write!(f, "value of type {expected}"),
        }
    }
}
