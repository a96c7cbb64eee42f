//! One object in, one decision out: pure, on one snapshot.
//!
//! ```text
//!  object ─► class (exempt?) ─► normal form (our writes undone) ─► evaluate ─► validate ─► outcome ─► patch (intent kept)
//! ```

pub mod class;
pub mod decide;
pub mod evaluate;
pub mod fleet;
pub mod intent;
pub mod letting_go;
pub mod normal_form;
pub mod outcome;
pub mod output;
pub mod preferences;
pub mod selector;
pub mod syntax;
pub mod target;
pub mod validate;

#[cfg(test)]
pub(crate) mod testing;

pub use decide::decide;

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::annotations::{APPLIED, CLUSTER_SELECTOR, DEPLOYMENT_PREFERENCES, HOLD, REPLICA_SET_PREFERENCES};
use plimsoll_contract::kind::{Kind, Target};
use plimsoll_contract::outcome::Outcome;
use serde_json::Value as Json;

use crate::rego::Limits;

/// Written by Plimsoll itself or by people, never by policy, whatever the configuration says.
const RESERVED: [&str; 2] = [APPLIED, HOLD];

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
    /// Annotation keys that policy sets, or that are kept for it, and their final values (without `plimsoll.io/applied`).
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

impl Config {
    /// The annotation keys that policy may write on an object with this target.
    pub fn allowed_keys(&self, target: Option<&Target>) -> BTreeSet<String> {
        let targets = [REPLICA_SET_PREFERENCES, DEPLOYMENT_PREFERENCES, CLUSTER_SELECTOR];
        let own = target.map(Target::annotation);
        self.annotation_keys
            .iter()
            .map(String::as_str)
            .chain(targets)
            .chain(own)
            .filter(|key| !RESERVED.contains(key))
            .map(Into::into)
            .collect()
    }
}

impl Default for Config {
    /// `data.kubernetes.placement`, and the targets' own annotations.
    fn default() -> Self {
        Self {
            placement_path: vec!["kubernetes".into(), "placement".into()],
            annotation_keys: BTreeSet::new(),
            exempt_namespaces: BTreeSet::new(),
            release_when_disarmed: false,
            limits: Limits::default(),
        }
    }
}
