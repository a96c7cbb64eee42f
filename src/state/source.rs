//! A declared source: its kinds, which are loaded, and when each was last proved current.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plimsoll_contract::kind::Kind;

/// One declared source.
#[derive(Clone, Debug)]
pub struct SourceState {
    /// Who declared it.
    pub instance: String,
    /// The session that may sync.
    pub session: String,
    /// It also sends policies: not ready before they came.
    pub policies: bool,
    /// Its kinds.
    pub kinds: Vec<KindState>,
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
}

impl SourceState {
    /// Age of the oldest required kind at `now` (time since the engine started); `None` before all are loaded.
    pub fn age(&self, now: Duration) -> Option<Duration> {
        let required = self.kinds.iter().filter(|k| k.kind.required);
        required.map(|k| k.age(now)).try_fold(Duration::ZERO, |oldest, age| age.map(|age| oldest.max(age)))
    }
}

impl KindState {
    /// Time since the last proof; `None` before the kind is loaded.
    pub fn age(&self, now: Duration) -> Option<Duration> {
        let proved = Duration::from_millis(self.proved.load(Ordering::Relaxed));
        self.loaded.then(|| now.saturating_sub(proved))
    }
}
