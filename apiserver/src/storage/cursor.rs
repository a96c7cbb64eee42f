//! One reader of a collection's events. It holds a place, no buffer: who is slow loses its place, and nobody waits for it.

use std::sync::Arc;

use tokio::sync::watch;

use super::Event;
use super::history::{Ledger, Log};

/// Events that one call gives at most.
const BATCH: usize = 512;

/// A place in the history of a collection.
pub struct Cursor {
    ledger: Arc<Ledger>,
    log: Arc<Log>,
    wake: watch::Receiver<()>,
    at: u64,
}

/// Why there are no more events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CursorEnd {
    /// Events that this reader has not seen are gone; it must list again.
    #[error("too slow: the oldest revision known is {oldest}")]
    Lagged {
        /// The oldest revision that is still good to start from.
        oldest: u64,
    },
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

impl Cursor {
    pub(super) fn new(ledger: Arc<Ledger>, log: Arc<Log>, at: u64) -> Self {
        let wake = log.subscribe();
        Self { ledger, log, wake, at }
    }

    /// The next events, oldest first, at least one; waits for them. May be cancelled without loss.
    pub async fn next_batch(&mut self) -> Result<Vec<Arc<Event>>, CursorEnd> {
        loop {
            // Look only after the mark is set: what comes later wakes us.
            self.wake.mark_unchanged();
            let closed = self.ledger.is_closed();
            let events = self.take()?;
            if !events.is_empty() {
                return Ok(events);
            }
            if closed || self.wake.changed().await.is_err() {
                return Err(CursorEnd::Closed);
            }
        }
    }

    /// The revision up to which this reader has seen everything: what a bookmark may say.
    pub fn progress(&mut self) -> u64 {
        // Read before looking: all events up to here are in the log.
        let progress = self.ledger.progress();
        if self.log.after(self.at, 1).is_ok_and(|next| next.first().is_none_or(|event| event.revision > progress)) {
            self.at = self.at.max(progress);
        }
        self.at
    }

    fn take(&mut self) -> Result<Vec<Arc<Event>>, CursorEnd> {
        let events = self.log.after(self.at, BATCH).map_err(|gone| CursorEnd::Lagged { oldest: gone.oldest })?;
        if let Some(last) = events.last() {
            self.at = last.revision;
        }
        Ok(events)
    }
}
