//! A declared source: its kinds, which are loaded, and when each was last proved current.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::version::ResourceVersion;

use super::Seen;

/// One declared source.
#[derive(Clone, Debug)]
pub struct SourceState {
    /// Who declared it.
    pub instance: Arc<str>,
    /// The session that may sync.
    pub session: Arc<str>,
    /// The cluster whose objects these are, if it is known.
    pub cluster: Option<Arc<str>>,
    /// It also sends policies: not ready before they came.
    pub policies: bool,
    /// Its kinds.
    pub kinds: Vec<Arc<KindState>>,
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
    /// Milliseconds on the engine's clock at which the source last proved the kind current; shared by all snapshots.
    pub proved: Arc<AtomicU64>,
    /// Of the fleet kind: the last version that altered it as it is replicated, if versions are known.
    pub changed: Option<ResourceVersion>,
    /// Up to which version it has been seen; shared by all snapshots.
    pub seen: Arc<Seen>,
}

impl SourceState {
    /// Age of the oldest required kind at `now` (time since the engine started); `None` before all are loaded.
    pub fn age(&self, now: Duration) -> Option<Duration> {
        let awaited = self.kinds.iter().filter(|k| k.awaited());
        awaited.map(|k| k.age(now)).try_fold(Duration::ZERO, |oldest, age| age.map(|age| oldest.max(age)))
    }

    /// The kind's position among the source's.
    pub fn position(&self, gvr: &Gvr) -> Option<usize> {
        self.kinds.iter().position(|k| k.kind.gvr == *gvr)
    }
}

impl KindState {
    /// A kind of which nothing has come yet.
    pub fn new(kind: Kind) -> Self {
        Self { kind, loaded: false, objects: 0, proved: Arc::default(), changed: None, seen: Arc::default() }
    }

    /// Whether readiness waits for the kind: it is required, and it is replicated at all.
    pub fn awaited(&self) -> bool {
        self.kind.required && (self.kind.replicate || self.kind.place || self.kind.fleet)
    }

    /// Time since the last proof; `None` before the kind is loaded.
    pub fn age(&self, now: Duration) -> Option<Duration> {
        let proved = Duration::from_millis(self.proved.load(Ordering::Relaxed));
        self.loaded.then(|| now.saturating_sub(proved))
    }

    /// The source has proved the kind current at `at`; a proof that comes late does not make it older.
    pub fn prove(&self, at: Duration) {
        self.proved.fetch_max(at.as_millis().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}
