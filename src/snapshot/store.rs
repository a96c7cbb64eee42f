//! The one writer of snapshots.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use plimsoll_contract::policy::{Diagnostic, PoliciesAccepted};
use tokio::sync::watch;

use super::prepare::Shelf;
use super::{Policies, Snapshot, conflicts, readiness};
use crate::rego::{Module, RegoVersion};
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
    policy_writer: Mutex<()>,
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

/// A sync or declaration that is refused.
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

/// What the next snapshot is made of.
pub(super) struct Next {
    pub(super) policies: Arc<Policies>,
    pub(super) state: State,
}

impl Store {
    /// An empty store: a new epoch at revision 0.
    pub fn new(options: StoreOptions) -> Result<Self, Vec<Diagnostic>> {
        let policies = Arc::new(Policies::none(options.rego)?);
        let state = State::default();
        let not_ready = readiness::reasons(&options, &policies, &state);
        let (epoch, shelf) = (random().into(), Arc::new(Shelf::default()));
        let first = Snapshot { epoch, revision: 0, policies, state, not_ready, prepared: OnceLock::new(), shelf };
        Ok(Self {
            options,
            current: ArcSwap::from_pointee(first),
            writer: Mutex::new(()),
            policy_writer: Mutex::new(()),
            published: watch::channel(0).0,
            started: Instant::now(),
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

    /// Time since the engine started: the clock of ages.
    pub fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// The only way to a new snapshot: `next` sees the current one and says what follows it; `None` publishes nothing.
    pub(super) fn change<E>(&self, next: impl FnOnce(&Snapshot) -> Result<Option<Next>, E>) -> Result<Arc<Snapshot>, E> {
        // The older snapshot may be the last to hold a large state: it is dropped after the lock.
        let current;
        let _writer = self.writer.lock();
        current = self.load();
        let Some(Next { policies, state }) = next(&current)? else { return Ok(current) };
        let not_ready = readiness::reasons(&self.options, &policies, &state);
        let snapshot = Arc::new(Snapshot {
            epoch: current.epoch.clone(),
            revision: current.revision + 1,
            policies,
            state,
            not_ready,
            prepared: OnceLock::new(),
            shelf: current.shelf.clone(),
        });
        self.current.store(snapshot.clone());
        self.published.send_replace(snapshot.revision);
        Ok(snapshot)
    }

    // ---- policies ----

    /// Offers a whole policy set; refused as a whole, the last good set stays in force.
    pub fn put_policies(&self, name: &str, modules: Vec<Module>) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        let _policies = self.policy_writer.lock();
        self.offer(name, modules)
    }

    /// Offers a whole policy set of a source, which must hold the source's session if it declared policies.
    pub fn put_policies_of(
        &self,
        name: &str,
        session: Option<&str>,
        modules: Vec<Module>,
    ) -> Result<PoliciesAccepted, PolicyError> {
        let _policies = self.policy_writer.lock();
        if let Some(source) = self.load().state.sources.get(name).filter(|source| source.policies) {
            let session = session.unwrap_or_default();
            if *source.session != *session {
                return Err(SyncError::SessionEnded { source_name: name.into(), session: session.into() }.into());
            }
        }
        self.offer(name, modules).map_err(PolicyError::Rejected)
    }

    /// Takes a policy set away; says whether there was one.
    pub fn remove_policies(&self, name: &str) -> Result<bool, Vec<Diagnostic>> {
        let _policies = self.policy_writer.lock();
        let current = self.load();
        if !current.policies.sets.contains_key(name) {
            return Ok(false);
        }
        let policies = Arc::new(current.policies.without(name, self.options.rego)?);
        self.change(|current| Ok::<_, Vec<Diagnostic>>(Some(Next { policies, state: current.state.clone() })))?;
        Ok(true)
    }

    /// Says that a set cannot be read at all, such as a missing directory.
    pub fn policies_unreadable(&self, name: &str, why: String) {
        let _policies = self.policy_writer.lock();
        self.note(name, |set| set.unreadable = Some(why));
    }

    fn offer(&self, name: &str, mut modules: Vec<Module>) -> Result<PoliciesAccepted, Vec<Diagnostic>> {
        modules.sort_unstable();
        let current = self.load();
        let same = current.policies.sets.get(name).is_some_and(|set| set.accepted && set.modules == modules);
        let published = if same {
            Ok(self.note(name, |set| (set.errors, set.unreadable) = (Vec::new(), None)))
        } else {
            let compiled = current.policies.with(name, modules, self.options.rego);
            compiled.and_then(|policies| self.enforce(Arc::new(policies)))
        };
        match published {
            Ok(snapshot) => Ok(accepted(name, &snapshot)),
            Err(errors) => {
                self.note(name, |set| (set.errors, set.unreadable) = (errors.clone(), None));
                Err(errors)
            }
        }
    }

    fn enforce(&self, policies: Arc<Policies>) -> Result<Arc<Snapshot>, Vec<Diagnostic>> {
        self.change(|current| {
            let errors = conflicts::of_policies(&policies, &current.state);
            if errors.is_empty() { Ok(Some(Next { policies, state: current.state.clone() })) } else { Err(errors) }
        })
    }

    /// Publishes what is to be said of a set, if it is news.
    fn note(&self, name: &str, note: impl FnOnce(&mut super::PolicySet)) -> Arc<Snapshot> {
        let noted = self.change(|current| {
            let policies = current.policies.noting(name, note);
            let news = policies.sets.get(name) != current.policies.sets.get(name);
            Ok::<_, std::convert::Infallible>(news.then(|| Next { policies: Arc::new(policies), state: current.state.clone() }))
        });
        match noted {
            Ok(snapshot) => snapshot,
        }
    }
}

fn accepted(name: &str, snapshot: &Snapshot) -> PoliciesAccepted {
    let policies = &snapshot.policies;
    let versions = policies.program.versions();
    let modules = policies.sets.get(name).into_iter().flat_map(|set| &set.modules);
    let old = modules.filter(|m| versions.get(&policies.compiled_key(name, &m.key)).is_some_and(|v| v == "v0"));
    PoliciesAccepted {
        epoch: snapshot.epoch.to_string(),
        revision: snapshot.revision,
        digest: policies.digest.clone(),
        notes: old.map(|module| format!("{} is read as Rego v0", module.key)).collect(),
    }
}

/// 16 hex digits that no other process or call has had.
pub(super) fn random() -> String {
    // Each RandomState has its own random keys.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    format!("{:016x}", hasher.finish())
}
