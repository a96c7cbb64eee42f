//! `/plimsoll/v1/status`: what the engine has, how fresh it is, and what is missing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::kind::Gvr;
use crate::policy::Diagnostic;

/// The engine's whole status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The engine process.
    pub epoch: String,
    /// Number of the current snapshot.
    pub revision: u64,
    /// Version of the program.
    pub version: String,
    /// Decisions can be made.
    pub ready: bool,
    /// Why not, one sentence each; empty when ready.
    pub not_ready: Vec<String>,
    /// Some accepted module defines the placement path.
    pub armed: bool,
    /// The document that is the decision, such as `kubernetes/placement`.
    pub placement_path: String,
    /// Digest of all policy sets together.
    pub digest: String,
    /// Policy sets by name; the directory's is `files`.
    pub policies: BTreeMap<String, PolicySetStatus>,
    /// Declared sources and required ones that are missing.
    pub sources: BTreeMap<String, SourceStatus>,
    /// A source that has not proved itself current for so many seconds is stale.
    #[serde(default = "a_minute")]
    pub stale_after_seconds: f64,
    /// What is done with decisions on a stale source.
    #[serde(default)]
    pub on_stale: OnStale,
    /// Which sources are stale now, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// What is worth knowing though it is no error, such as "no fleet kind: cluster names are not checked".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What is done with decisions on a source that is stale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnStale {
    /// They are refused, and readiness is red.
    #[default]
    Deny,
    /// They are made, with a warning.
    Warn,
    /// They are made.
    Ignore,
}

fn a_minute() -> f64 {
    60.0
}

/// One policy set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicySetStatus {
    /// Module key to the Rego version it was read as: `v0` or `v1`.
    pub modules: BTreeMap<String, String>,
    /// Digest of the accepted set.
    pub digest: String,
    /// Errors of the last set that was offered; the accepted one stays in force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Diagnostic>,
    /// Why the set could not be read at all, such as a missing directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// One source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceStatus {
    /// Named by `--require-source`.
    pub required: bool,
    /// Some sidecar has declared it.
    pub declared: bool,
    /// Who declared it.
    #[serde(default)]
    pub instance: String,
    /// Its kinds.
    pub kinds: Vec<KindStatus>,
}

/// One kind of a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KindStatus {
    /// The kind.
    pub gvr: Gvr,
    /// Readiness waits for it.
    pub required: bool,
    /// All objects have been loaded once in this session or an earlier one of this epoch.
    pub loaded: bool,
    /// Number of objects.
    pub objects: usize,
    /// Seconds since the source last proved the kind current.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<f64>,
}
