//! One row of the placements table, and its notification stream.
//!
//! `GET /plimsoll/v1/placements` answers [`PlacementList`]; `?watch&since=SEQ` streams one [`PlacementEvent`] per line;
//! a `SEQ` that is too old, or of another epoch, is answered 410: list again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::kind::{Gvr, Mode};
use crate::outcome::Outcome;

/// What the engine decided for one existing object and what is left to write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Placement {
    /// The object's kind.
    pub gvr: Gvr,
    /// The kind's name.
    pub kind: String,
    /// Empty for cluster-scoped objects.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// The object that was decided on: a patch is only good for this one,
    pub uid: String,
    /// … at this version.
    pub resource_version: String,
    /// The decision.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// How existing objects of the kind are repaired.
    pub mode: Mode,
    /// The object asks not to be repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hold: bool,
    /// Policy has no opinion any more, only state changed: the last placement is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// It is kept though nothing shows that this engine, or one that shares its keys, wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unproven: bool,
    /// Annotations to set and (`null`) to remove, `plimsoll.io/applied` included. Empty: the object is as decided.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub patch: BTreeMap<String, Option<String>>,
    /// The clusters of the decision, if it names any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<String>,
    /// Why not elsewhere, for people.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rejected: BTreeMap<String, String>,
    /// The policy's warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The revision decided at.
    pub revision: u64,
}

impl Placement {
    /// `apps/v1/replicasets namespace/name`, for messages.
    pub fn object(&self) -> String {
        if self.namespace.is_empty() {
            format!("{} {}", self.gvr, self.name)
        } else {
            format!("{} {}/{}", self.gvr, self.namespace, self.name)
        }
    }
}

/// The table at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacementList {
    /// The engine process.
    pub epoch: String,
    /// The revision up to which every row has been decided.
    pub revision: u64,
    /// Where to start watching.
    pub since: u64,
    /// Every row.
    pub items: Vec<Placement>,
}

/// One line of the notification stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlacementEvent {
    /// The row is new or differs from what was last sent.
    Changed {
        /// The engine process.
        epoch: String,
        /// Position in the stream.
        seq: u64,
        /// The row.
        placement: Box<Placement>,
    },
    /// The object is gone.
    Removed {
        /// The engine process.
        epoch: String,
        /// Position in the stream.
        seq: u64,
        /// The object's kind.
        gvr: Gvr,
        /// Empty for cluster-scoped objects.
        #[serde(default)]
        namespace: String,
        /// `metadata.name`.
        name: String,
    },
    /// Nothing happened up to here; sent at least every 10 s.
    Bookmark {
        /// The engine process.
        epoch: String,
        /// Position in the stream.
        seq: u64,
        /// Every row has been decided at this revision.
        revision: u64,
    },
}
