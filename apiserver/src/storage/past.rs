//! Snapshots of the past: the present, with what happened since undone.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::history::{Ledger, Order};
use super::{Event, EventKind, Snapshot};

/// Snapshots of the past that are kept for those who page through them. Few: each may hold objects that are long gone.
const KEPT: usize = 8;

/// Why there is no snapshot of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AtError {
    /// The history does not reach back so far.
    #[error("too old: the oldest revision known is {oldest}")]
    Compacted {
        /// The oldest revision that can be read exactly.
        oldest: u64,
    },
    /// There is no such revision yet.
    #[error("too large: the current revision is {current}")]
    Future {
        /// The last revision there is.
        current: u64,
    },
}

impl Ledger {
    /// The objects as they were at exactly this revision.
    pub(crate) fn at(&self, revision: u64) -> Result<Snapshot, AtError> {
        let (near, undo) = self.near(revision)?;
        let snapshot = rewind(&near, revision, &undo);
        if snapshot.revision() != self.snapshot().revision() {
            self.keep(&snapshot);
        }
        Ok(snapshot)
    }

    /// Keeps a snapshot for those who come back for the rest of it. The least recently used gives way.
    pub(crate) fn keep(&self, snapshot: &Snapshot) {
        let mut order = self.order.write();
        order.past.retain(|(_, kept)| kept.revision() != snapshot.revision());
        order.past.push_back((Instant::now(), snapshot.clone()));
        while order.past.len() > KEPT {
            order.past.pop_front();
        }
    }

    /// The latest snapshot, not before `revision` but after a wait if need be.
    pub(crate) async fn not_before(&self, revision: u64, limit: Duration) -> Result<Snapshot, AtError> {
        let mut progress = self.subscribe();
        let reached = tokio::time::timeout(limit, progress.wait_for(|current| *current >= revision)).await;
        let current = self.snapshot();
        match reached {
            Ok(Ok(_)) => Ok(current),
            _ if current.revision() >= revision => Ok(current),
            _ => Err(AtError::Future { current: current.revision() }),
        }
    }

    /// The closest later snapshot there is, and the events between, oldest first.
    fn near(&self, revision: u64) -> Result<(Snapshot, Vec<Arc<Event>>), AtError> {
        let order = self.order.read();
        // Under the lock, because the writer publishes and logs under it.
        let current = self.snapshot();
        if revision > current.revision() {
            return Err(AtError::Future { current: current.revision() });
        }
        let near = order.later(revision).unwrap_or(current);
        if near.revision() == revision {
            return Ok((near, Vec::new()));
        }
        if revision < order.floor {
            return Err(AtError::Compacted { oldest: order.floor });
        }
        let undo = order.between(revision, near.revision());
        Ok((near, undo))
    }
}

impl Order {
    fn later(&self, revision: u64) -> Option<Snapshot> {
        let kept = self.past.iter().map(|(_, kept)| kept).filter(|kept| kept.revision() >= revision);
        kept.min_by_key(|kept| kept.revision()).cloned()
    }

    fn between(&self, after: u64, until: u64) -> Vec<Arc<Event>> {
        let start = self.events.partition_point(|(_, event)| event.revision <= after);
        let end = self.events.partition_point(|(_, event)| event.revision <= until);
        self.events.range(start..end).map(|(_, event)| Arc::clone(event)).collect()
    }
}

fn rewind(later: &Snapshot, revision: u64, undo: &[Arc<Event>]) -> Snapshot {
    if later.revision() == revision {
        return later.clone();
    }
    let mut state = later.thaw();
    for event in undo.iter().rev() {
        match (&event.kind, &event.previous) {
            (EventKind::Added, _) | (_, None) => drop(state.remove(&event.record.key)),
            (_, Some(previous)) => drop(state.put(Arc::clone(previous))),
        }
    }
    state.revision = revision;
    Snapshot::new(state)
}
