//! What is found: a rule, where, and what to write instead.

use serde::Serialize;
use serde_json::{Map, Value as Json};

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Such as `timeout`; a closed set, see [`super::rules`] and [`super::refused`].
    pub rule: &'static str,
    /// `file:line`, or the kind where the API server was asked.
    pub place: String,
    /// Name of the configuration.
    pub configuration: String,
    /// Name of the hook in it; empty where the configuration itself is meant.
    pub hook: String,
    /// What is wrong with it.
    pub message: String,
    /// What to write instead.
    pub change: String,
    /// Fields of the hook with the values that clear this finding, and every other one of the same hook that is about them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Json>,
}

/// A finding before it is known whose it is.
pub(super) struct Found {
    /// The field, below the hook, as a JSON pointer; empty is the hook itself.
    pub(super) field: String,
    pub(super) message: String,
    pub(super) advice: Advice,
}

/// What to do about one finding, whatever else is found of the hook.
pub(super) enum Advice {
    /// A field has one right value; then what else is to be done, if anything.
    Set(&'static str, Json, &'static str),
    /// The hook is not called in this namespace.
    Exempt(String),
    /// The hook is not called for these resources.
    LeaveOut(Vec<&'static str>),
    /// A person must decide, or another object is to be changed.
    Say(String),
}

impl Found {
    pub(super) fn new(field: impl Into<String>, message: impl Into<String>, advice: Advice) -> Self {
        Self { field: field.into(), message: message.into(), advice }
    }

    /// With advice in words.
    pub(super) fn saying(field: impl Into<String>, message: impl Into<String>, words: impl Into<String>) -> Self {
        Self::new(field, message, Advice::Say(words.into()))
    }
}
