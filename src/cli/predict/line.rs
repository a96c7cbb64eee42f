//! The report: one line for each hook, in the order in which a server comes to them.

use std::fmt;

use serde::Serialize;

/// The prediction for one request.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// `CREATE`, `UPDATE` or `DELETE`.
    pub operation: &'static str,
    /// The resource as kubectl names it, with its version: `deployments.apps/v1`.
    pub resource: String,
    /// Namespace of the object; empty for a kind without namespaces.
    pub namespace: String,
    /// Name of the object; empty if the server will generate it.
    pub name: String,
    /// Name of the user who sends the request; `None` if the API server does not say.
    pub user: Option<String>,
    /// The hooks, in the order in which a server comes to them.
    pub lines: Vec<Line>,
    /// Admission policies whose rules match: they are listed, but not predicted.
    pub policies: Vec<Policy>,
    /// Notes on what could not be read, or limits the prediction.
    pub notes: Vec<String>,
}

/// The prediction for one hook.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// When the server comes to it.
    pub phase: Phase,
    /// Name of the configuration.
    pub configuration: String,
    /// Name of the hook in it.
    pub hook: String,
    /// Whether it is called; `None` if that is not certain.
    pub called: Option<bool>,
    /// How certain `called` is.
    pub certainty: Certainty,
    /// What `called` depends on, or why it is not known.
    pub depends_on: Vec<String>,
    /// Why the hook matches the request, or does not.
    pub why: Vec<String>,
    /// Whether the request ends here, without a call of the hook.
    pub refuses: bool,
    /// What happens to the request when the hook does not answer.
    pub if_down: String,
    /// The condition under which the hook is called a second time; `None` if it never is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<&'static str>,
}

/// How certain a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// It will happen so.
    Certain,
    /// It depends on what happens before.
    Depends,
    /// It cannot be known.
    Unknown,
}

/// When the server comes to a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Before all others; the stored object then waits for the initializer.
    Initializer,
    /// One after the other; each sees the changes of those before.
    Mutating,
    /// Hooks of `v1alpha1`, in parallel.
    External,
    /// In parallel, with the object that will be stored.
    Validating,
}

/// An admission policy whose rules match.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// `MutatingAdmissionPolicy` or `ValidatingAdmissionPolicy`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Names of its bindings.
    pub bindings: Vec<String>,
    /// `Fail` or `Ignore`: what happens when the policy cannot be evaluated.
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
