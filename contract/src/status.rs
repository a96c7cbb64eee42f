//! `/plimsoll/v1/status`: what the engine has, how fresh it is, and what is missing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::kind::Gvr;
use crate::policy::{Diagnostic, Location};
use crate::still::Still;

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
    /// What that document depends on, if some module defines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<Reads>,
    /// Digest of all policy sets together.
    pub digest: String,
    /// Policy sets by name; the directory's is `files`.
    pub policies: BTreeMap<String, PolicySetStatus>,
    /// Declared sources and required ones that are missing.
    pub sources: BTreeMap<String, SourceStatus>,
    /// Seconds after which a source that has not proved itself current is stale: `serve --stale-after`.
    #[serde(default = "stale_after")]
    pub stale_after_seconds: f64,
    /// What admission does while a source that decisions depend on is stale: `serve --on-stale`.
    #[serde(default)]
    pub on_stale: OnStale,
    /// The sources that decisions depend on and that are stale, one sentence each; empty when none is. Nothing may be moved while
    /// there is one, whatever [`Self::on_stale`] says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// How far existing objects have been decided. Engines before 0.1.0 do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
    /// Where the brake is on or placement is paused, as far as sidecars have said so within 30 s.
    #[serde(default, skip_serializing_if = "Still::is_none")]
    pub still: Still,
    /// What is worth knowing though it is no error, such as "no fleet kind: cluster names are not checked".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How far existing objects have been decided, when the status was made or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Every row of the placements has been decided at this revision.
    pub revision: u64,
    /// Position in the stream of placements up to which it can be read.
    pub position: u64,
}

/// What a document depends on: objects that differ in nothing of it have one answer, and policies are asked once for all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reads {
    /// Paths such as `input.metadata.labels.region`, each followed by how much is read there, if it is not all of it.
    pub input: Vec<String>,
    /// The same below `data`.
    pub data: Vec<String>,
    /// Answers are kept: they depend on no clock, no randomness, and not on how the process was started.
    pub kept: bool,
    /// Where all of `input`, or of `data`, is read: there no two objects are alike, or every change counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<WholeRead>,
    /// Where several clusters are looked at together: each change of a cluster asks policies again for all objects, and not only for those
    /// of which the changed cluster alone may make something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Location>,
}

/// A place where all of a document is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WholeRead {
    /// `input` or `data`.
    pub document: String,
    /// The expression.
    pub location: Location,
}

/// What admission does while a source that decisions depend on is stale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnStale {
    /// Nothing is decided, and the engine is not ready.
    #[default]
    Deny,
    /// Decisions are made, with a warning.
    Warn,
    /// Decisions are made.
    Ignore,
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
    /// Nothing was heard of it, or of one of its kinds that matter, for [`Status::stale_after_seconds`]; whether decisions
    /// depend on it is said by [`Status::stale`].
    #[serde(default)]
    pub stale: bool,
    /// Who declared it.
    #[serde(default)]
    pub instance: String,
    /// Its kinds.
    pub kinds: Vec<KindStatus>,
    /// Who holds its Lease, and by which policies it places, if a sidecar has said so within 30 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader: Option<LeaderStatus>,
}

/// The holder of a source's Lease, as its sidecars read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeaderStatus {
    /// The Lease's holder; empty if it is given back.
    pub holder: String,
    /// Digest of all policy sets in force at the holder's engine.
    pub policy: String,
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

/// What `serve --stale-after` is unless it is given: engines that do not say it yet are judged by it.
fn stale_after() -> f64 {
    60.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_that_says_nothing_of_staleness_is_judged_by_the_defaults() {
        let text = r#"{"epoch":"e","revision":1,"version":"","ready":true,"notReady":[],"armed":true,"placementPath":"",
            "digest":"","policies":{},"sources":{}}"#;
        let status: Status = serde_json::from_str(text).unwrap();
        assert_eq!((status.stale_after_seconds, status.on_stale, status.stale.len()), (60.0, OnStale::Deny, 0));
        let said = serde_json::to_value(&Status { on_stale: OnStale::Warn, stale: vec!["s".into()], ..status }).unwrap();
        assert_eq!(
            (&said["onStale"], &said["stale"][0], &said["staleAfterSeconds"]),
            (&"warn".into(), &"s".into(), &60.0.into())
        );
    }
}
