//! What became of the passes over the table since the engine started, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use super::reconcile::PassReport;

/// Counted by the one that makes the passes, read by anybody.
#[derive(Debug, Default)]
pub(super) struct Tally {
    finished: AtomicU64,
    interrupted: AtomicU64,
    skipped: AtomicU64,
    changed: AtomicU64,
    unchanged: AtomicU64,
    confirmed: AtomicU64,
}

/// Passes and the objects that they looked at, each by its one result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// Passes after which nothing was left to be looked at.
    pub finished: u64,
    /// Passes that ended for a newer snapshot.
    pub interrupted: u64,
    /// Passes that looked at nothing: the snapshot was not ready, or stale.
    pub skipped: u64,
    /// Objects that were decided, and whose row is another one now.
    pub changed: u64,
    /// Objects that were decided, and whose row stayed.
    pub unchanged: u64,
    /// Objects whose row stayed because policy says the same of the clusters that changed.
    pub confirmed: u64,
}

impl Tally {
    /// Counts one pass.
    pub(super) fn add(&self, report: &PassReport) {
        let pass = match report {
            PassReport { skipped: true, .. } => &self.skipped,
            PassReport { left: 0, .. } => &self.finished,
            PassReport { .. } => &self.interrupted,
        };
        let add = |counter: &AtomicU64, count: usize| counter.fetch_add(count as u64, Ordering::Relaxed);
        add(pass, 1);
        add(&self.changed, report.changed);
        add(&self.unchanged, report.decided.saturating_sub(report.changed));
        add(&self.confirmed, report.confirmed);
    }

    /// Returns what was counted so far.
    pub(super) fn read(&self) -> Passes {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Passes {
            finished: read(&self.finished),
            interrupted: read(&self.interrupted),
            skipped: read(&self.skipped),
            changed: read(&self.changed),
            unchanged: read(&self.unchanged),
            confirmed: read(&self.confirmed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pass_and_each_object_is_counted_once() {
        let tally = Tally::default();
        tally.add(&PassReport { decided: 5, changed: 2, confirmed: 7, ..PassReport::default() });
        tally.add(&PassReport { decided: 1, changed: 1, left: 3, ..PassReport::default() });
        tally.add(&PassReport { skipped: true, left: 3, ..PassReport::default() });
        let expected = Passes { finished: 1, interrupted: 1, skipped: 1, changed: 3, unchanged: 3, confirmed: 7 };
        assert_eq!(tally.read(), expected);
    }
}
