//! One object in, one decision out: pure, on one snapshot.
//!
//! ```text
//!  object ─► class (exempt?) ─► normal form (our writes undone) ─► evaluate ─► validate ─► outcome ─► patch (intent kept)
//! ```

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::kind::Kind;
use plimsoll_contract::outcome::Outcome;
use serde_json::Value as Json;

use crate::rego::Limits;
use crate::snapshot::Snapshot;

/// What does not change while the engine runs.
#[derive(Clone, Debug)]
pub struct Config {
    /// The document that is the decision, such as `["kubernetes", "placement"]`.
    pub placement_path: Vec<String>,
    /// Annotation keys that policy may write, beside the targets' own.
    pub annotation_keys: BTreeSet<String>,
    /// Namespaces that are never decided, beside `kube-*`.
    pub exempt_namespaces: BTreeSet<String>,
    /// Restore originals when no policy defines the placement path any more.
    pub release_when_disarmed: bool,
    /// Of one evaluation.
    pub limits: Limits,
}

/// What was last decided for an object, kept in memory by the placements table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Last {
    /// Digest of the policy set that decided.
    pub policy: String,
    /// Digest of the object's normal form.
    pub intent: String,
    /// Whether it was `Place` or `Nowhere`.
    pub placed: bool,
}

/// What to decide on.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The whole object, annotations as they are now.
    pub object: &'a Json,
    /// Its row, if some source declared the kind.
    pub kind: Option<&'a Kind>,
    /// What was last decided for it, if known.
    pub last: Option<&'a Last>,
}

/// The decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What was decided.
    pub outcome: Outcome,
    /// The package's whole document with `annotations` and `errors` replaced by their final form; for the data API.
    pub document: Option<Json>,
    /// Annotation keys and values as they are to be on the object (without `plimsoll.io/applied`).
    pub annotations: BTreeMap<String, String>,
    /// What differs on the object as it is: keys to set and (`None`) to remove, `plimsoll.io/applied` included.
    pub patch: BTreeMap<String, Option<String>>,
    /// No opinion any more, only state changed: what was written stays.
    pub kept: bool,
    /// The clusters named, sorted.
    pub clusters: Vec<String>,
    /// Policy's warnings and ours (ignored keys of `applied`), sorted.
    pub warnings: Vec<String>,
    /// Why not there.
    pub rejected: BTreeMap<String, String>,
    /// For the table's memory.
    pub last: Last,
    /// The snapshot's revision.
    pub revision: u64,
}

/// Decides one object on one snapshot. The same object gives the same decision on CREATE, UPDATE and sweep.
pub fn decide(snapshot: &Snapshot, subject: Subject<'_>, config: &Config) -> Decision {
    let _ = (subject, config);
    Decision {
        outcome: Outcome::Unarmed,
        document: None,
        annotations: BTreeMap::new(),
        patch: BTreeMap::new(),
        kept: false,
        clusters: Vec::new(),
        warnings: Vec::new(),
        rejected: BTreeMap::new(),
        last: Last { policy: String::new(), intent: String::new(), placed: false },
        revision: snapshot.revision,
    }
}
