//! A declared source: its kinds, which are loaded, and when each was last proved current.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::source::FleetLoss;
use plimsoll_contract::version::ResourceVersion;

use super::Seen;

/// One declared source.
#[derive(Clone, Debug)]
pub struct SourceState {
    /// Who declared it.
    pub instance: Arc<str>,
    /// Who declared it before, latest first; so many.
    pub former: Vec<Arc<str>>,
    /// The session that may sync.
    pub session: Arc<str>,
    /// The cluster whose objects these are, if it is known.
    pub cluster: Option<Arc<str>>,
    /// It also sends policies: not ready before they came.
    pub policies: bool,
    /// Namespaces in which objects of its kinds are never placed.
    pub exempt_namespaces: Arc<BTreeSet<String>>,
    /// How many objects of its fleet kind may go at once.
    pub fleet_loss: FleetLoss,
    /// Its kinds.
    pub kinds: Vec<Arc<KindState>>,
    /// Kinds that it declared and loaded once, does not load now, and that policies read: their objects stay, and grow old, until
    /// the kind is loaded again or the source is deleted.
    pub left: Vec<Arc<KindState>>,
}

/// One kind of a source.
#[derive(Clone, Debug)]
pub struct KindState {
    /// The row of the table.
    pub kind: Kind,
    /// All objects have been loaded once.
    pub loaded: bool,
    /// Number of objects.
    pub objects: usize,
    /// Milliseconds on the engine's clock at which the source last proved the kind current, or declared it; shared by all
    /// snapshots.
    pub proved: Arc<AtomicU64>,
    /// Of the fleet kind: the last version that altered it as it is replicated, if versions are known.
    pub changed: Option<ResourceVersion>,
    /// Up to which version it has been seen; shared by all snapshots.
    pub seen: Arc<Seen>,
}

impl SourceState {
    /// How many former instances are remembered: a Lease names a dead one no longer than it lasts.
    pub(crate) const FORMER: usize = 8;

    /// Whether this is or was the sidecar of this engine.
    pub fn is_of(&self, instance: &str) -> bool {
        std::iter::once(&self.instance).chain(&self.former).any(|known| **known == *instance)
    }

    /// Age of the oldest required kind, and of what is left of others, at `now` (time since the engine started); `None` before
    /// all are loaded.
    pub fn age(&self, now: Duration) -> Option<Duration> {
        let awaited = self.kinds.iter().filter(|k| k.awaited() && !self.is_stood_in_for(k)).chain(&self.left);
        awaited.map(|k| k.age(now)).try_fold(Duration::ZERO, |oldest, age| age.map(|age| oldest.max(age)))
    }

    /// Whether nothing was heard, for longer than `limit`, of one of the kinds that readiness waits for or that are left, or of any
    /// kind at all.
    pub fn is_silent(&self, now: Duration, limit: Duration) -> bool {
        let silent = |k: &Arc<KindState>| k.silence(now) > limit;
        let mut waited_for = self.kinds.iter().filter(|k| k.awaited()).chain(&self.left);
        waited_for.any(silent) || (!self.kinds.is_empty() && self.kinds.iter().all(silent))
    }

    /// Every kind whose objects are or will be there: those that are declared, and those that are left.
    pub fn held(&self) -> impl Iterator<Item = &Arc<KindState>> {
        self.kinds.iter().chain(&self.left)
    }

    /// Whether the objects of a kind that is not loaded yet are those that an older declaration left.
    pub fn is_stood_in_for(&self, kind: &KindState) -> bool {
        !kind.loaded && self.left.iter().any(|left| left.kind.state_path() == kind.kind.state_path())
    }

    /// The kind's position among the source's.
    pub fn position(&self, gvr: &Gvr) -> Option<usize> {
        self.kinds.iter().position(|k| k.kind.gvr == *gvr)
    }
}

impl KindState {
    /// A kind that is declared at `now`, and of which nothing has come yet.
    pub fn new(kind: Kind, now: Duration) -> Self {
        let state = Self { kind, loaded: false, objects: 0, proved: Arc::default(), changed: None, seen: Arc::default() };
        state.prove(now);
        state
    }

    /// Whether the source's readiness waits for the kind: it is required, and it is replicated at all.
    pub fn awaited(&self) -> bool {
        self.kind.required && self.replicated()
    }

    /// Whether the source sends objects of the kind.
    pub fn replicated(&self) -> bool {
        self.kind.replicate || self.kind.place || self.kind.fleet
    }

    /// Time since the last proof; `None` before the kind is loaded.
    pub fn age(&self, now: Duration) -> Option<Duration> {
        self.loaded.then(|| self.silence(now))
    }

    /// Time since the last proof, or since the kind was declared.
    pub fn silence(&self, now: Duration) -> Duration {
        now.saturating_sub(Duration::from_millis(self.proved.load(Ordering::Relaxed)))
    }

    /// The source has proved the kind current at `at`; a proof that comes late does not make it older.
    pub fn prove(&self, at: Duration) {
        self.proved.fetch_max(at.as_millis().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}
