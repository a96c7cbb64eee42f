//! One row of the placements table, and its notification stream.
//!
//! `GET /plimsoll/v1/placements` answers [`PlacementList`]; `?watch&since=SEQ` streams one [`PlacementEvent`] per line;
//! a `SEQ` that is too old, or of another epoch, is answered 410: list again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::annotations::{canonical, digest};
use crate::kind::{Gvr, Mode};
use crate::moves::Move;
use crate::outcome::Outcome;

/// What the engine decided for one existing object and what is left to write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Placement {
    /// The object's kind.
    pub gvr: Arc<Gvr>,
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
    /// [`seen`] of the object that was decided on, where a patch is left to write: at another version with an equal one, the decision
    /// still holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
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
    /// It is kept for a while only: the policies have changed, and it is let go once they have stayed as they are for some time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub letting_go: bool,
    /// Annotations to set and (`null`) to remove, `plimsoll.io/applied` included. Empty: the object is as decided.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub patch: Arc<BTreeMap<String, Option<String>>>,
    /// [`crate::moves::stands`] of the object as it is, before the patch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stands: String,
    /// Where the patch moves the object, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Arc<Move>>,
    /// The clusters of the decision, if it names any.
    #[serde(default, skip_serializing_if = "is_none_named")]
    pub clusters: Arc<Vec<String>>,
    /// Why not elsewhere, for people.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rejected: Arc<BTreeMap<String, String>>,
    /// The policy's warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The revision decided at.
    pub revision: u64,
}

fn is_nothing(patch: &Arc<BTreeMap<String, Option<String>>>) -> bool {
    patch.is_empty()
}

fn is_none_named(clusters: &[String]) -> bool {
    clusters.is_empty()
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

/// Digest of everything in an object's `metadata` but what changes with each write and each owner of fields: two versions of one object
/// with equal digests differ in nothing but `status`. The API server counts changes of all else in `generation`; without one there is
/// no digest.
pub fn seen(metadata: &serde_json::Value) -> Option<String> {
    let mut metadata = metadata.as_object()?.clone();
    metadata.get("generation").and_then(serde_json::Value::as_u64).filter(|generation| *generation > 0)?;
    for changing in ["uid", "resourceVersion", "managedFields"] {
        metadata.remove(changing);
    }
    Some(digest(&canonical(&metadata.into())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_no_news_and_everything_else_is() {
        let object = json!({
            "name": "web", "uid": "u", "resourceVersion": "7", "generation": 2, "managedFields": [{}], "annotations": {"a": "b"},
        });
        let replicated = json!({"name": "web", "generation": 2, "annotations": {"a": "b"}});
        let before = seen(&object).unwrap();
        assert_eq!(seen(&replicated).as_ref(), Some(&before));
        let changes = [
            ("generation", json!(3)),
            ("annotations", json!({"a": "c"})),
            ("labels", json!({"a": "b"})),
            ("deletionTimestamp", json!("2026-11-22T00:00:00Z")),
            ("ownerReferences", json!([{"uid": "o"}])),
        ];
        for (name, value) in changes {
            let mut changed = object.clone();
            changed[name] = value;
            assert_ne!(seen(&changed).unwrap(), before, "{name}");
        }
    }

    #[test]
    fn without_a_generation_nobody_counts_changes() {
        for metadata in [json!({"name": "web"}), json!({"name": "web", "generation": 0}), json!(null)] {
            assert_eq!(seen(&metadata), None, "{metadata}");
        }
    }
}
