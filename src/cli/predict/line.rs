//! What is said: one line for each hook, in the order in which a server comes to them.

use std::fmt;

use serde::Serialize;

/// All that is said of one request.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// `CREATE`, `UPDATE` or `DELETE`.
    pub operation: &'static str,
    /// As kubectl names it, with its version: `deployments.apps/v1`.
    pub resource: String,
    /// Empty for what has no namespace.
    pub namespace: String,
    /// Empty where the server draws it.
    pub name: String,
    /// Who asks; nothing where the API server does not say.
    pub user: Option<String>,
    /// In order.
    pub lines: Vec<Line>,
    /// Admission policies that look at the resource: listed, not predicted.
    pub policies: Vec<Policy>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// One hook.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// When it is asked.
    pub phase: Phase,
    /// Name of the configuration.
    pub configuration: String,
    /// Name of the hook in it.
    pub hook: String,
    /// Whether it is called; nothing where that is not certain.
    pub called: Option<bool>,
    /// Whether that is certain.
    pub certainty: Certainty,
    /// What it depends on, or why it is not known.
    pub depends_on: Vec<String>,
    /// Why it matches, or does not.
    pub why: Vec<String>,
    /// The request ends here, whatever the hook would say.
    pub refuses: bool,
    /// What happens when it does not answer.
    pub if_down: String,
    /// Under what condition it is called once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<&'static str>,
}

/// Whether a line is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// It is what will happen.
    Certain,
    /// It depends on what others do first.
    Depends,
    /// It cannot be told.
    Unknown,
}

/// When a hook is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Before everything else; afterwards the object waits for it.
    Initializer,
    /// One after the other; each sees what the one before left.
    Mutating,
    /// Those of `v1alpha1`, at once.
    External,
    /// At once, about the object as it will be stored.
    Validating,
}

/// An admission policy.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// `MutatingAdmissionPolicy` or `ValidatingAdmissionPolicy`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Names of its bindings.
    pub bindings: Vec<String>,
    /// `Fail` or `Ignore`: what an error in it means.
    pub failure_policy: String,
}

impl fmt::Display for Phase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Initializer => "initializer",
            Self::Mutating => "mutating",
            Self::External => "external",
            Self::Validating => "validating",
        })
    }
}
