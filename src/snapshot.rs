//! Policies and state, frozen, with epoch and revision. One writer publishes; readers never wait.

pub mod store;

pub use store::Store;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::policy::Diagnostic;
use plimsoll_contract::source::SourceAge;

use crate::rego::{EvalError, Limits, Program, Value};
use crate::state::State;

/// Everything one decision reads.
#[derive(Debug)]
pub struct Snapshot {
    /// This engine process.
    pub epoch: Arc<str>,
    /// Counts publications.
    pub revision: u64,
    /// All accepted policy sets, compiled together.
    pub policies: Arc<Policies>,
    /// What the sources replicated.
    pub state: State,
    /// Milliseconds-resolution clock of the engine at publication is not kept here: ages are computed when asked.
    pub not_ready: Vec<String>,
}

/// The policy sets in force.
#[derive(Debug)]
pub struct Policies {
    /// The compiled union of all sets.
    pub program: Arc<Program>,
    /// Digest of all modules of all sets.
    pub digest: String,
    /// The sets by name.
    pub sets: BTreeMap<String, PolicySet>,
}

/// One named set: the directory's is `files`, a source's has its name.
#[derive(Clone, Debug, Default)]
pub struct PolicySet {
    /// The accepted modules.
    pub modules: Vec<crate::rego::Module>,
    /// Errors of the last set offered, if it was refused.
    pub errors: Vec<Diagnostic>,
    /// Why the set could not be read at all; before a first success this means not ready.
    pub unreadable: Option<String>,
}

impl Snapshot {
    /// Whether decisions may be made: policies loaded, required sources declared and loaded.
    pub fn ready(&self) -> bool {
        self.not_ready.is_empty()
    }

    /// The document at `data.<path>`, base and virtual merged, evaluated on this snapshot; `None` when undefined.
    pub fn document(
        &self,
        path: &[String],
        _input: Option<&Value>,
        _limits: &Limits,
    ) -> Result<Option<serde_json::Value>, EvalError> {
        Err(EvalError::Failed { document: path.join("."), message: "not built".into() })
    }

    /// The age of each source at `now` (time since the engine started).
    pub fn ages(&self, now: Duration) -> Vec<SourceAge> {
        let sources = self.state.sources.iter();
        sources.map(|(name, s)| SourceAge { name: name.clone(), age_seconds: s.age(now).map(|a| a.as_secs_f64()) }).collect()
    }
}
