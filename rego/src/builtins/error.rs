//! Why a builtin has no answer.

use std::fmt;

use thiserror::Error;

use crate::limits::Halt;
use crate::value::Value;

/// What a builtin says: `None` is undefined.
pub type Answer = Result<Option<Value>, BuiltinError>;

/// Why a builtin has no answer: one pointer, so that an answer takes no more room than a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinError(Box<Fault>);

/// Kinds of errors. Unless errors are strict, OPA takes the first two for undefined.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// An operand is of a wrong type or form (`eval_type_error`): OPA's words behind the builtin's name, such as
    /// `operand 1 must be string but got number`.
    #[error("{0}")]
    Operand(String),
    /// It failed (`eval_builtin_error`): OPA's words behind the builtin's name.
    #[error("{0}")]
    Failed(String),
    /// The evaluation ends.
    #[error(transparent)]
    Halt(#[from] Halt),
}

impl BuiltinError {
    /// It failed, with OPA's words.
    pub fn failed(message: impl Into<String>) -> Self {
        Fault::Failed(message.into()).into()
    }

    /// An operand is of a wrong type or form, with OPA's words.
    pub fn operand(message: impl Into<String>) -> Self {
        Fault::Operand(message.into()).into()
    }

    /// Returns what kind of error it is.
    pub fn fault(&self) -> &Fault {
        &self.0
    }

    /// Returns the same, to be taken apart.
    pub fn into_fault(self) -> Fault {
        *self.0
    }

    /// Returns the bound, if the evaluation ends.
    pub fn halt(&self) -> Option<Halt> {
        if let Fault::Halt(halt) = *self.0 { Some(halt) } else { None }
    }

    pub(super) fn is_halt(&self) -> bool {
        self.halt().is_some()
    }
}

impl From<Fault> for BuiltinError {
    fn from(fault: Fault) -> Self {
        Self(Box::new(fault))
    }
}

impl From<Halt> for BuiltinError {
    fn from(halt: Halt) -> Self {
        Fault::Halt(halt).into()
    }
}

impl fmt::Display for BuiltinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for BuiltinError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
