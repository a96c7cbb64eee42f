//! Why an event is not logged: what could not be masked is shown to nobody.

use serde_json::Value as Json;

use crate::rego::EvalError;

/// Why a decision has no event: the mask or the drop policy failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum MaskError {
    /// The decision's input is no JSON.
    #[error("the input: {0}")]
    Input(serde_json::Error),
    /// The event cannot be a policy's input.
    #[error(transparent)]
    Event(serde_json::Error),
    /// A policy that says what is logged cannot be evaluated.
    #[error(transparent)]
    Policy(EvalError),
    /// The mask policy gives something else than rules; in OPA's words, as all that follow.
    #[error("unexpected rule format {0}")]
    Rules(Json),
    /// A rule that is neither a path nor an object.
    #[error("invalid mask rule format encountered: {0}")]
    Rule(Json),
    /// An operation that there is not.
    #[error("mask op is not supported: {0}")]
    Op(String),
    /// A rule without a path.
    #[error("mask must be non-empty")]
    Empty,
    /// A path that begins elsewhere.
    #[error("mask must be slash-prefixed")]
    Slash,
    /// A part of the event that is not masked.
    #[error("mask prefix not allowed: {0}")]
    Prefix(String),
}
