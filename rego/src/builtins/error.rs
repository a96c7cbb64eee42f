//! Why a builtin has no answer.

use thiserror::Error;

use crate::limits::Halt;
use crate::value::Value;

/// What a builtin says: `None` is undefined.
pub type Answer = Result<Option<Value>, BuiltinError>;

/// Why a builtin has no answer. Unless errors are strict, OPA takes the first two for undefined.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BuiltinError {
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
        Self::Failed(message.into())
    }
}
