//! Policies and state, frozen, with epoch and revision. One writer publishes; readers never wait.
//!
//! ```text
//!  put_policies, put_set, withdraw ──┐          ┌─► document, ages, status
//!  ingest: declare, sync, data ──────┴► store ─►│ Snapshot
//!                                 (publishes)   └─► prepared: the program bound to what it reads
//! ```

mod basis;
pub(crate) mod conflicts;
mod document;
mod documents;
pub(crate) mod emptied;
mod explain;
mod freshness;
mod knowledge;
mod leader;
pub mod modules;
mod offer;
mod policies;
mod prepare;
mod query;
mod readiness;
mod reads;
pub mod restore;
mod roots;
mod sessions;
mod set;
mod status;
pub mod store;
mod values;
mod withdraw;

pub use basis::Basis;
pub use emptied::BELIEVED_AFTER;
pub use freshness::Freshness;
pub use knowledge::Knowledge;
pub use modules::ModuleError;
pub use policies::Policies;
pub use query::QueryError;
pub use set::{Bundle, Document, Offer, PolicySet, bundle_set};
pub use store::{PolicyError, Store, StoreOptions, SyncError};
pub use withdraw::WithdrawError;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use plimsoll_contract::source::SourceAge;

use crate::rego::{EvalError, Prepared};
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
    /// When the policies became what they are (time since the engine started): their digest was another one before.
    pub unchanged_since: Duration,
    /// What the sources replicated.
    pub state: State,
    /// Why no decision can be made, one sentence each; empty when ready.
    pub not_ready: Vec<String>,
    /// What this engine was told to load from its own disk and has never had in force; part of `not_ready`.
    pub not_loaded: Vec<String>,
    depends: freshness::Depends,
    prepared: OnceLock<Arc<Prepared>>,
    prepared_cache: Arc<prepare::PreparedCache>,
    basis: OnceLock<(Vec<String>, Basis)>,
    bases: Arc<basis::Bases>,
}

impl Snapshot {
    /// Whether decisions may be made: policies loaded, required sources declared and loaded.
    pub fn ready(&self) -> bool {
        self.not_ready.is_empty()
    }

    /// The program bound to the state that it reads: made when first asked for, and shared with later snapshots as long
    /// as nothing that is read differs.
    pub fn prepared(&self) -> Result<Arc<Prepared>, EvalError> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared.clone());
        }
        let prepared = self.prepared_cache.prepare(self)?;
        Ok(self.prepared.get_or_init(|| prepared).clone())
    }

    /// Whether both have one program, and the same is missing of what it needs.
    pub fn same_rules(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.policies.program, &other.policies.program) && self.missing() == other.missing()
    }

    /// The age of each source at `now` (time since the engine started).
    pub fn ages(&self, now: Duration) -> Vec<SourceAge> {
        let sources = self.state.sources.iter();
        sources.map(|(name, s)| SourceAge { name: name.clone(), age_seconds: s.age(now).map(|a| a.as_secs_f64()) }).collect()
    }
}

#[cfg(test)]
mod tests;
