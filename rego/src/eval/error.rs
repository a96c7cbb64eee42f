//! What goes wrong while policies are evaluated.

use thiserror::Error;

use crate::limits::Halt;
use crate::syntax::span::Span;

/// OPA's codes (`v1/topdown/errors.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalCode {
    /// A document has two values.
    Conflict,
    /// A builtin got a value of a wrong type.
    Type,
    /// A builtin failed.
    Builtin,
    /// Time is up, or nobody waits for the answer.
    Cancelled,
    /// What `with` puts somewhere does not fit there.
    WithMerge,
    /// Everything else.
    Internal,
}

/// An error, and where.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}: {message}", code.as_str())]
pub struct EvalError {
    /// What kind.
    pub code: EvalCode,
    /// OPA's words.
    pub message: String,
    /// Where, if it has a place.
    pub span: Option<Span>,
    /// The bound that was reached, if that is the cause.
    #[source]
    pub halt: Option<Halt>,
    /// The queries that were evaluated when it occurred, the innermost first; empty where nobody asked for them.
    pub stack: Vec<Suspended>,
}

/// A query in whose evaluation an error occurred (opa `v1/topdown/stacktrace.go`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspended {
    /// The number that the events of its trace have.
    pub query_id: u64,
    /// The expression that was evaluated.
    pub span: Span,
    /// Parts of its text that have a value, by their places, and that value as Rego.
    pub values: Vec<(Span, String)>,
}

/// Why an evaluation ends at once. One word, so that what is found takes no more room with it.
#[derive(Clone, Debug)]
pub struct Stop(Box<Cause>);

/// What ends an evaluation.
#[derive(Clone, Debug)]
pub(super) enum Cause {
    /// An error.
    Error(EvalError),
    /// A bound.
    Halt(Halt),
}

impl EvalCode {
    /// As OPA writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conflict => "eval_conflict_error",
            Self::Type => "eval_type_error",
            Self::Builtin => "eval_builtin_error",
            Self::Cancelled => "eval_cancel_error",
            Self::WithMerge => "eval_with_merge_error",
            Self::Internal => "eval_internal_error",
        }
    }
}

impl Stop {
    pub(crate) fn conflict(message: impl Into<String>, span: Span) -> Self {
        Self::error(EvalError::new(EvalCode::Conflict, message, span))
    }

    pub(crate) fn error(error: EvalError) -> Self {
        Self(Box::new(Cause::Error(error)))
    }

    /// A bound that was reached at a place.
    pub(crate) fn at(halt: Halt, span: Span) -> Self {
        let error = EvalError::new(EvalCode::Cancelled, halt.to_string(), span);
        Self::error(EvalError { halt: Some(halt), ..error })
    }

    /// The bound, if that is why.
    pub(crate) fn halt(&self) -> Option<Halt> {
        match self.0.as_ref() {
            Cause::Halt(halt) => Some(*halt),
            Cause::Error(error) => error.halt,
        }
    }

    /// Returns the same stop; an error that has no stack yet gets this one.
    pub(crate) fn with_stack(mut self, stack: impl FnOnce() -> Vec<Suspended>) -> Self {
        if let Cause::Error(error) = self.0.as_mut()
            && error.stack.is_empty()
        {
            error.stack = stack();
        }
        self
    }

    /// The error, if that is why.
    pub(crate) fn as_error(&self) -> Option<&EvalError> {
        if let Cause::Error(error) = self.0.as_ref() { Some(error) } else { None }
    }

    pub(crate) fn into_error(self) -> EvalError {
        match *self.0 {
            Cause::Error(error) => error,
            Cause::Halt(halt) => {
                let (code, message) = (EvalCode::Cancelled, halt.to_string());
                EvalError { code, message, span: None, halt: Some(halt), stack: Vec::new() }
            }
        }
    }
}

impl EvalError {
    pub(crate) fn new(code: EvalCode, message: impl Into<String>, span: Span) -> Self {
        let span = (span != Span::default()).then_some(span);
        Self { code, message: message.into(), span, halt: None, stack: Vec::new() }
    }

    /// Whether another error has the same code, message and place.
    pub(crate) fn says(&self, other: &Self) -> bool {
        (self.code, &self.message, self.span) == (other.code, &other.message, other.span)
    }
}

impl From<EvalError> for Stop {
    fn from(error: EvalError) -> Self {
        Self::error(error)
    }
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Self(Box::new(Cause::Halt(halt)))
    }
}
