//! What is found: a rule, where, and the line to change.

use serde::Serialize;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Such as `timeout`; a closed set, see [`super::rules`].
    pub rule: &'static str,
    /// `file:line`, or the kind where the API server was asked.
    pub place: String,
    /// Name of the configuration.
    pub configuration: String,
    /// Name of the hook in it.
    pub hook: String,
    /// What is wrong with it.
    pub message: String,
    /// What to write instead.
    pub change: String,
}

/// A finding before it is known whose it is.
pub(super) struct Found {
    /// The field, below the hook, as a JSON pointer; empty is the hook itself.
    pub(super) field: String,
    pub(super) message: String,
    pub(super) change: String,
}

impl Found {
    pub(super) fn new(field: impl Into<String>, message: impl Into<String>, change: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into(), change: change.into() }
    }
}
