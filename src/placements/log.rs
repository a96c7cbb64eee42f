//! What changed, by position: the newest change of every row and the latest removals.
//!
//! A row stands here once, at its last change, so a reader that falls behind gets the row as it is now instead of every
//! step on the way, and the log never outgrows the table. Only removals have to be forgotten; a position older than the
//! last forgotten one is gone.

use std::sync::Arc;

use imbl::{OrdMap, Vector};
use plimsoll_contract::placement::Placement;

use super::rows::Key;

/// Removals that are kept.
pub(super) const REMOVALS: usize = 65_536;

/// Cloning is cheap.
#[derive(Clone, Debug)]
pub(super) struct Log {
    entries: OrdMap<u64, Entry>,
    removals: Vector<u64>,
    keep: usize,
    oldest: u64,
    newest: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Entry {
    Changed(Arc<Placement>),
    /// Behind a pointer: there are far more of the others, and all take as much memory as the largest.
    Removed(Box<Key>),
}

impl Log {
    /// The first event gets the position after `start`; at most `keep` removals are remembered.
    pub(super) fn new(start: u64, keep: usize) -> Self {
        Self { entries: OrdMap::new(), removals: Vector::new(), keep, oldest: start, newest: start }
    }

    /// Position of the last event.
    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    /// A row is as given; `before` is the position of its last change.
    pub(super) fn changed(&mut self, before: Option<u64>, row: Arc<Placement>) -> u64 {
        self.push(before, Entry::Changed(row))
    }

    /// A row went; `before` is the position of its last change.
    pub(super) fn removed(&mut self, before: u64, key: Key) {
        let at = self.push(Some(before), Entry::Removed(Box::new(key)));
        self.removals.push_back(at);
        while self.removals.len() > self.keep {
            if let Some(forgotten) = self.removals.pop_front() {
                self.entries.remove(&forgotten);
                self.oldest = forgotten;
            }
        }
    }

    /// The row keeps its position: what differs is not worth an event.
    pub(super) fn refreshed(&mut self, at: u64, row: Arc<Placement>) {
        self.entries.insert(at, Entry::Changed(row));
    }

    /// The events after a position, oldest first; `None` when that position is not known any more or not yet.
    pub(super) fn after(&self, since: u64) -> Option<impl Iterator<Item = (u64, &Entry)>> {
        let known = (self.oldest..=self.newest).contains(&since);
        known.then(|| self.entries.range(since.saturating_add(1)..).map(|(at, entry)| (*at, entry)))
    }

    fn push(&mut self, before: Option<u64>, entry: Entry) -> u64 {
        if let Some(before) = before {
            self.entries.remove(&before);
        }
        self.newest += 1;
        self.entries.insert(self.newest, entry);
        self.newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placements::rows::tests::{key, row};

    fn positions(log: &Log, since: u64) -> Option<Vec<u64>> {
        log.after(since).map(|events| events.map(|(at, _)| at).collect())
    }

    #[test]
    fn a_row_stands_once_at_its_last_change() {
        let mut log = Log::new(10, 2);
        let a = log.changed(None, Arc::new(row("a")));
        log.changed(None, Arc::new(row("b")));
        log.changed(Some(a), Arc::new(row("a")));
        assert_eq!(positions(&log, 10), Some(vec![12, 13]));
        assert_eq!(positions(&log, 13), Some(vec![]));
        assert_eq!(log.newest(), 13);
    }

    #[test]
    fn positions_before_the_start_and_beyond_the_newest_are_unknown() {
        let log = Log::new(10, 2);
        assert_eq!((positions(&log, 9), positions(&log, 10), positions(&log, 11)), (None, Some(vec![]), None));
        assert_eq!(positions(&log, u64::MAX), None);
    }

    #[test]
    fn forgetting_a_removal_makes_older_positions_unknown() {
        let mut log = Log::new(0, 2);
        for name in ["a", "b", "c"] {
            let at = log.changed(None, Arc::new(row(name)));
            log.removed(at, key(name));
        }
        assert_eq!(positions(&log, 1), None);
        assert_eq!(positions(&log, 2), Some(vec![4, 6]));
    }
}
