//! A finding: which rule is broken, where, and what to write instead.

use serde::Serialize;
use serde_json::{Map, Value as Json};

/// A broken rule of one hook or configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Name of the rule, such as `timeout`; all of them are in the modules `rules` and `refused`.
    pub rule: &'static str,
    /// `file:line`, or kind and name of the object if it was read from the API server.
    pub place: String,
    /// Name of the configuration.
    pub configuration: String,
    /// Name of the hook in it; empty if the finding is about the configuration itself.
    pub hook: String,
    /// What is wrong, as a sentence about the hook.
    pub message: String,
    /// What to write instead, for people.
    pub change: String,
    /// New values of fields of the hook. They clear this finding, and every other one of the same hook about the same fields.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Json>,
}

/// What a rule finds in a hook, before the hook's names are added.
pub(super) struct Found {
    /// The field as a JSON pointer below the hook; empty for the hook itself.
    pub(super) field: String,
    pub(super) message: String,
    pub(super) advice: Advice,
}

/// What to do about one finding, regardless of others of the same hook.
pub(super) enum Advice {
    /// Set a field to a value; the last text says what else is to be done, or is empty.
    Set(&'static str, Json, &'static str),
    /// Do not call the hook in this namespace.
    Exempt(String),
    /// Do not call the hook for these resources.
    LeaveOut(Vec<&'static str>),
    /// Do what the text says: a person must decide, or another object must change.
    Say(String),
}

impl Found {
    pub(super) fn new(field: impl Into<String>, message: impl Into<String>, advice: Advice) -> Self {
        Self { field: field.into(), message: message.into(), advice }
    }

    /// Returns a finding whose advice is a text.
    pub(super) fn saying(field: impl Into<String>, message: impl Into<String>, words: impl Into<String>) -> Self {
        Self::new(field, message, Advice::Say(words.into()))
    }
}
