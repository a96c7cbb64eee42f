//! The one writer of snapshots.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use plimsoll_contract::policy::Diagnostic;
use tokio::sync::watch;

use super::basis::Bases;
use super::emptied::HeldBack;
use super::freshness::Depends;
use super::leader::Leaders;
use super::prepare::PreparedCache;
use super::{Freshness, Policies, Snapshot, readiness};
use crate::rego::RegoVersion;
use crate::state::State;

/// Holds the current snapshot. Every write publishes a new one before it is answered; a write that changes nothing
/// publishes nothing.
#[derive(Debug)]
pub struct Store {
    pub(super) options: StoreOptions,
    current: ArcSwap<Snapshot>,
    /// Held for the short time in which the next snapshot is put together.
    writer: Mutex<()>,
    /// Held while policies compile; taken before `writer`, never after it.
    pub(super) policy_writer: Mutex<()>,
    published: watch::Sender<u64>,
    /// Counts syncs, those that publish nothing as well.
    proofs: watch::Sender<u64>,
    pub(super) leaders: Leaders,
    pub(crate) held_back: HeldBack,
    started: Instant,
    /// Tells sessions that this process issued from others.
    pub(super) sessions: RandomState,
}

/// Settings of the store.
#[derive(Clone, Debug, Default)]
pub struct StoreOptions {
    /// Sources without which nothing is decided.
    pub require_sources: Vec<String>,
    /// How modules are read.
    pub rego: RegoVersion,
    /// A set `files` is expected from a directory: not ready before it came.
    pub expect_files: bool,
    /// Bundles, by name, that are expected from elsewhere: not ready before each was activated.
    pub expect_bundles: Vec<String>,
    /// Those of them that are directories and files of this machine.
    pub local_bundles: Vec<String>,
    /// The document below `data` that is the decision; empty: all documents may be.
    pub placement_path: Vec<String>,
    /// How long sources are believed.
    pub freshness: Freshness,
    /// What policy has no opinion of any more since it was changed is let go when it has stayed unchanged for this long.
    pub letting_go_after: Duration,
}

/// A sync or declaration that is refused.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// HTTP 409: declare again.
    #[error("session `{session}` of source `{source_name}` has ended: declare the source again")]
    SessionEnded {
        /// The source.
        source_name: String,
        /// The session that was sent.
        session: String,
    },
    /// HTTP 404.
    #[error("source `{0}` is not declared")]
    UnknownSource(String),
    /// HTTP 409: list the fleet again.
    #[error("{0}; nothing was applied")]
    HeldBack(String),
    /// HTTP 400.
    #[error("{0}")]
    Invalid(String),
    /// HTTP 413, or 429 when it would be taken later.
    #[error("{why}; nothing was applied")]
    NoMemory {
        /// What there is no memory for.
        why: String,
        /// Trying again is of no use.
        never: bool,
    },
}

/// A policy set that is refused.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The set does not compile, alone or with the others.
    #[error("the policy set is refused with {} errors", .0.len())]
    Rejected(Vec<Diagnostic>),
    /// The sender does not hold the source's session.
    #[error(transparent)]
    Session(#[from] SyncError),
}

/// The parts of the next snapshot.
pub(crate) struct Next {
    pub(crate) policies: Arc<Policies>,
    pub(crate) state: State,
}

/// Where a snapshot stands among the others of its store, and what it shares with them.
struct Place {
    epoch: Arc<str>,
    revision: u64,
    unchanged_since: Duration,
    prepared_cache: Arc<PreparedCache>,
    bases: Arc<Bases>,
}

impl Store {
    /// An empty store: a new epoch at revision 0.
    pub fn new(options: StoreOptions) -> Result<Self, Vec<Diagnostic>> {
        let policies = Arc::new(Policies::none(options.rego)?);
        let state = State::default();
        let (epoch, unchanged_since) = (random().into(), Duration::ZERO);
        let first = Place { epoch, revision: 0, unchanged_since, prepared_cache: Arc::default(), bases: Arc::default() };
        let first = snapshot(&options, first, Next { policies, state });
        Ok(Self {
            options,
            current: ArcSwap::from_pointee(first),
            writer: Mutex::new(()),
            policy_writer: Mutex::new(()),
            published: watch::channel(0).0,
            proofs: watch::channel(0).0,
            leaders: Leaders::default(),
            held_back: HeldBack::default(),
            started: Instant::now(),
            sessions: RandomState::new(),
        })
    }

    /// The current snapshot; never waits.
    pub fn load(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Tells the revision at each publication.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.published.subscribe()
    }

    /// Tells at each sync that some kind is seen further, also where nothing was published.
    pub fn proofs(&self) -> watch::Receiver<u64> {
        self.proofs.subscribe()
    }

    /// Says that some kind is seen further.
    pub(crate) fn proved(&self) {
        self.proofs.send_modify(|proofs| *proofs += 1);
    }

    /// Time since the engine started: the clock of ages.
    pub fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// The only way to a new snapshot: `next` sees the current one and says what follows it; `None` publishes nothing.
    pub(crate) fn change<E>(&self, next: impl FnOnce(&Snapshot) -> Result<Option<Next>, E>) -> Result<Arc<Snapshot>, E> {
        // The older snapshot may be the last to hold a large state: it is dropped after the lock.
        let current;
        let _writer = self.writer.lock();
        current = self.load();
        let Some(next) = next(&current)? else { return Ok(current) };
        let is_unchanged = next.policies.digest == current.policies.digest;
        let after = Place {
            epoch: current.epoch.clone(),
            revision: current.revision + 1,
            unchanged_since: if is_unchanged { current.unchanged_since } else { self.now() },
            prepared_cache: current.prepared_cache.clone(),
            bases: current.bases.clone(),
        };
        let snapshot = Arc::new(snapshot(&self.options, after, next));
        self.current.store(snapshot.clone());
        self.published.send_replace(snapshot.revision);
        Ok(snapshot)
    }
}

/// A snapshot and all that follows from what it is made of.
fn snapshot(options: &StoreOptions, place: Place, next: Next) -> Snapshot {
    let Next { policies, state } = next;
    let Place { epoch, revision, unchanged_since, prepared_cache, bases } = place;
    Snapshot {
        epoch,
        revision,
        not_ready: readiness::reasons(options, &policies, &state),
        not_loaded: readiness::not_loaded(options, &policies),
        depends: Depends::of(options, &policies, &state),
        policies,
        unchanged_since,
        state,
        prepared: OnceLock::new(),
        prepared_cache,
        basis: OnceLock::new(),
        bases,
    }
}

/// 16 hex digits that no other process or call has had.
pub(super) fn random() -> String {
    // Each RandomState has its own random keys.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    format!("{:016x}", hasher.finish())
}
