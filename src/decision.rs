//! One object in, one decision out: pure, on one snapshot.
//!
//! ```text
//!  object ─► exempt? ─► in sight? ─► normal form (our writes undone) ─► evaluate ─► validate ─► outcome ─► retention ─► patch (intent kept)
//! ```

pub mod ahead;
pub mod change;
pub mod class;
pub mod decide;
pub mod evaluate;
pub mod exempt;
pub mod fleet;
pub mod intent;
pub mod interner;
pub mod mac;
pub mod member;
pub mod mirrored;
pub mod normal_form;
pub mod outcome;
pub mod output;
pub mod owner;
pub mod preferences;
pub mod previous;
pub mod retention;
pub mod selector;
pub mod shown;
pub mod sight;
pub mod skim;
pub mod standing;
pub mod syntax;
pub mod target;
pub mod validate;
pub mod wanted;

#[cfg(test)]
pub(crate) mod testing;

pub use change::FleetChange;
pub use class::Classes;
pub use decide::{decide, decide_again, decide_seeing, decide_seen};
pub use normal_form::NormalForm;
pub use previous::Previous;
pub use retention::Last;
pub use sight::Sight;
pub use standing::{Reading, Readings, Stands};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use class::{Answer, Class, Said};
use mac::{KeySource, RecordKeys};
use outcome::Placed;
use plimsoll_contract::annotations::{APPLIED, CLUSTER_SELECTOR, DEPLOYMENT_PREFERENCES, HOLD, REPLICA_SET_PREFERENCES};
use plimsoll_contract::controllers::Controllers;
use plimsoll_contract::kind::{Kind, Target};
use plimsoll_contract::outcome::Outcome;
use serde_json::Value as Json;

use crate::rego::Limits;

/// Written by Plimsoll itself or by people, never by policy, whatever the configuration says.
const RESERVED: [&str; 2] = [APPLIED, HOLD];

/// Settings of decisions, which do not change while the engine runs.
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
    /// Whose writes are a controller's.
    pub controllers: Controllers,
    /// User names of sidecars, as the API server authenticates them: what they write was decided by an engine.
    pub sidecars: BTreeSet<String>,
    /// Whether an object may ask not to be repaired.
    pub hold: Hold,
    /// What becomes of placements that nothing shows to be policy's own.
    pub unproven: Unproven,
    /// What records are signed with, if they are.
    pub record_keys: Option<Arc<dyn KeySource>>,
    /// What is kept of earlier decisions.
    pub classes: Classes,
}

/// Whether `plimsoll.io/hold` keeps the placement of an object as it is, and who may set it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// It has no effect.
    #[default]
    Ignored,
    /// It has; the API server's admission policy asks for the RBAC verb `hold` (`plimsoll manifests` generates it).
    Verb,
    /// It has; the review refuses it from users outside of these groups.
    Groups(BTreeSet<String>),
    /// It has, whoever writes it.
    Anyone,
}

/// What becomes of a placement that policy no longer has an opinion about and that nothing shows to be policy's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unproven {
    /// It is kept and said.
    #[default]
    Keep,
    /// It is taken back.
    Release,
}

/// The way on which an object came to be decided.
#[derive(Clone, Copy, Debug)]
pub enum Way<'a> {
    /// It is new: whatever it says of itself, nothing on it was decided.
    Create,
    /// It is what a stored object shall become.
    Update(&'a Previous<'a>),
    /// It is stored.
    Stored,
}

/// The writer of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Nobody knows: a sweep, or OPA's data API.
    Unknown,
    /// One of [`Config::controllers`], by the API server's word.
    Controller,
    /// Somebody else, by the API server's word.
    Other,
}

/// The object to decide on.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The whole object, annotations as they are now.
    pub object: &'a Json,
    /// Its row, if some source declared the kind.
    pub kind: Option<&'a Kind>,
    /// How it came.
    pub way: Way<'a>,
    /// The writer of the object.
    pub writer: Writer,
    /// What was last decided for it, if known.
    pub last: Option<&'a Last>,
}

/// The decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What was decided.
    pub outcome: Outcome,
    /// What policy was found to say, if it was asked.
    pub class: Option<Arc<Class>>,
    /// The same of a stored object, to be compared with what is said of others, and later.
    pub said: Option<Said>,
    /// Policy was not asked again: it had been asked the same before.
    pub cached: bool,
    /// What is kept of an earlier placement, where policy has no opinion any more.
    pub retained: Retained,
    /// What differs on the object as it is: keys to set and (`None`) to remove, `plimsoll.io/applied` included.
    pub patch: BTreeMap<String, Option<String>>,
    /// The record for clients that cannot remove annotations, if any of ours is to be removed: it still names these, so that they do not
    /// come to be taken for the developer's wish.
    pub unremoved: Option<String>,
    /// No opinion any more, only state changed: what was written stays.
    pub kept: bool,
    /// It stays though nothing shows that policy gave it.
    pub unproven: bool,
    /// It stays only as long as the policies are new.
    pub letting_go: bool,
    /// What it was made of that is stale, one sentence each.
    pub stale: Vec<String>,
    /// Policy's warnings and ours (ignored keys of `applied`), sorted.
    pub warnings: Vec<String>,
    /// Policy says that this cannot wait.
    pub urgent: bool,
    /// For the table's memory.
    pub last: Last,
    /// The snapshot's revision.
    pub revision: u64,
}

/// An earlier placement that stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retained {
    /// Annotation keys, and their values.
    pub annotations: BTreeMap<String, String>,
    /// The clusters named, sorted.
    pub clusters: Arc<Vec<String>>,
}

impl Decision {
    /// Annotation keys that policy sets, or that are kept for it, and their final values (without `plimsoll.io/applied`).
    pub fn annotations(&self) -> BTreeMap<String, String> {
        match self.placed() {
            Some((_, placed)) => placed.wanted.values().map(|(key, value)| (key.to_owned(), value.text.to_string())).collect(),
            None => self.retained.annotations.clone(),
        }
    }

    /// The clusters named, sorted.
    pub fn clusters(&self) -> Arc<Vec<String>> {
        match self.placed() {
            Some((answer, placed)) => answer.clusters(placed),
            None => self.retained.clusters.clone(),
        }
    }

    /// Why not there: cluster to reason.
    pub fn rejected(&self) -> Arc<BTreeMap<String, String>> {
        self.answer().filter(|answer| answer.ruling.is_ok()).map(Answer::rejected).unwrap_or_default()
    }

    fn answer(&self) -> Option<&Answer> {
        self.class.as_ref()?.answer.as_ref()
    }

    /// Returns the placement that is written on the object as policy gave it; `None` where something else is written, or nothing.
    fn placed(&self) -> Option<(&Answer, &Placed)> {
        let answer = self.answer().filter(|_| matches!(self.outcome, Outcome::Place | Outcome::Nowhere))?;
        Some((answer, answer.ruling.as_ref().ok()?.placed.as_ref()?))
    }
}

impl Config {
    /// The keys that records are signed with now.
    pub fn keys(&self) -> Option<Arc<RecordKeys>> {
        self.record_keys.as_ref().map(|source| source.keys())
    }

    /// Whether a user is a controller.
    pub fn writer(&self, user: &str) -> Writer {
        if self.controllers.include(user) { Writer::Controller } else { Writer::Other }
    }

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
            controllers: Controllers::default(),
            sidecars: BTreeSet::new(),
            hold: Hold::default(),
            unproven: Unproven::default(),
            record_keys: None,
            classes: Classes::default(),
        }
    }
}
