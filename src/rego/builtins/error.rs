//! Why a call has no answer, in OPA's words.

use super::steps::Exceeded;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum BuiltinError {
    /// An operand of a wrong type; `place` counts from 1.
    #[error("operand {place} {what}")]
    Operand {
        /// Which operand.
        place: usize,
        /// What it must be and is not.
        what: String,
    },
    /// Anything else OPA would say.
    #[error("{0}")]
    Other(String),
    /// The call would cost too much; evaluation ends.
    #[error("{0}")]
    Limit(String),
}

impl From<Exceeded> for BuiltinError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Limit(exceeded.to_string())
    }
}

impl BuiltinError {
    /// An operand of a wrong type.
    pub(super) fn operand(place: usize, what: impl Into<String>) -> Self {
        Self::Operand { place, what: what.into() }
    }

    /// Anything else.
    pub(super) fn other(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }

    /// OPA's code for it.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Operand { .. } => "eval_type_error",
            Self::Other(_) | Self::Limit(_) => "eval_builtin_error",
        }
    }
}
