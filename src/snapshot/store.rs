//! The one writer of snapshots.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use plimsoll_contract::policy::{Diagnostic, PoliciesAccepted};
use plimsoll_contract::source::{Declare, Declared, Synced};
use tokio::sync::watch;

use super::Snapshot;
use crate::rego::{Module, RegoVersion};
use crate::state::{PatchOp, WriteError};

/// Holds the current snapshot. Every write publishes a new one before it is answered; a write that changes nothing
/// publishes nothing.
#[derive(Debug)]
pub struct Store {
    current: ArcSwap<Snapshot>,
    writer: Mutex<()>,
    published: watch::Sender<u64>,
    started: Instant,
}

/// What the store is started with.
#[derive(Clone, Debug, Default)]
pub struct StoreOptions {
    /// Sources without which nothing is decided.
    pub require_sources: Vec<String>,
    /// How modules are read.
    pub rego: RegoVersion,
    /// A set `files` is expected from a directory: not ready before it came.
    pub expect_files: bool,
}

/// A sync that is refused.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// HTTP 409: declare again.
    #[error("session `{session}` of source `{source_name}` has ended: a newer declare holds it")]
    SessionEnded {
        /// The source.
        source_name: String,
        /// The session that was sent.
        session: String,
    },
    /// HTTP 404.
    #[error("source `{0}` is not declared")]
    UnknownSource(String),
    /// HTTP 400.
    #[error("{0}")]
    Invalid(String),
}

impl Store {
    /// The current snapshot; never waits.
    pub fn load(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Tells the revision at each publication.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.published.subscribe()
    }

    /// Time since the engine started: the clock of ages.
    pub fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Offers a whole policy set; refused as a whole, the last good set stays in force.
    pub fn put_policies(&self, _name: &str, _modules: Vec<Module>) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        let _writer = self.writer.lock();
        Err(Vec::new())
    }

    /// Says that a set cannot be read at all, such as a missing directory.
    pub fn policies_unreadable(&self, _name: &str, _why: String) {}

    /// OPA's `PUT /v1/data/<path>`: upsert with parents.
    pub fn put_data(&self, _path: &[String], _value: serde_json::Value) -> Result<(), WriteError> {
        Ok(())
    }

    /// OPA's `PATCH /v1/data/<path>`: all or nothing.
    pub fn patch_data(&self, _path: &[String], _ops: &[PatchOp]) -> Result<(), WriteError> {
        Ok(())
    }

    /// OPA's `DELETE /v1/data/<path>`.
    pub fn delete_data(&self, _path: &[String]) -> Result<(), WriteError> {
        Ok(())
    }

    /// Declares a source; its older session ends.
    pub fn declare(&self, _name: &str, _declare: Declare) -> Result<Declared, SyncError> {
        Err(SyncError::Invalid("not built".into()))
    }

    /// Applies an NDJSON sync body (header line first) in one revision.
    pub fn sync(&self, _name: &str, _body: &[u8]) -> Result<Synced, SyncError> {
        Err(SyncError::Invalid("not built".into()))
    }
}
