//! Placements onto existing objects: feed in, plan, budget, write out.
//!
//! ```text
//!  engine ──feed──► plan/queue ──gate, budget──► write/apply ──► API server
//!                     └─────────────gate────────► write/events
//! ```

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::config::BudgetConfig;
use crate::engine::placements::Fed;
use crate::engine::status::View;
use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::plan::budget::Budget;
use crate::plan::gate;
use crate::plan::note::{Note, Reason};
use crate::plan::queue::Queue;
use crate::plan::row::{Key, Patch};
use crate::results::{EventEnd, RowEnd, WriteEnd};
use crate::write::apply::{Apply, Written};
use crate::write::lease::Right;

/// Writes under way get this long on the way out.
const DRAIN: Duration = Duration::from_secs(10);
/// The gate depends on ages, too: look again after this time.
const LOOK: Duration = Duration::from_secs(5);

/// What the remediator works with.
pub struct Parts {
    /// Rows.
    pub feed: mpsc::Receiver<Fed>,
    /// Patches.
    pub apply: Apply,
    /// Events.
    pub notes: Notes,
    /// This replica may write.
    pub leading: Right,
    /// The engine's status.
    pub view: View,
    /// The epoch of the engine's latest answer.
    pub epoch: watch::Receiver<Option<String>>,
    /// Where to count.
    pub metrics: Metrics,
}

/// Repairs existing objects.
pub struct Remediator {
    parts: Parts,
    queue: Queue,
    budget: Budget,
    in_flight: usize,
    clock: Instant,
    /// The epoch of the rows in the queue, while their stream lives.
    alive: Option<String>,
    closed: Option<String>,
}

type Ended = (Key, Patch, Written);

impl Remediator {
    /// Ready to run.
    pub fn new(parts: Parts, config: &BudgetConfig) -> Self {
        let budget = Budget::new(config.writes_per_second, config.burst);
        let in_flight = config.in_flight.max(1);
        Self {
            parts,
            queue: Queue::default(),
            budget,
            in_flight,
            clock: Instant::now(),
            alive: None,
            closed: Some("starting".into()),
        }
    }

    /// Runs until `stop`, then finishes the writes that are under way.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut writes = FuturesUnordered::new();
        loop {
            self.look_at_gate();
            let mut wake = self.clock + self.now() + LOOK;
            if self.closed.is_none() {
                self.say();
                while writes.len() < self.in_flight && self.queue.is_due(self.now()) {
                    if let Err(wait) = self.budget.take(self.now()) {
                        wake = wake.min(Instant::now() + wait);
                        break;
                    }
                    match self.queue.take(self.now()) {
                        Some((key, patch)) => writes.push(write(self.parts.apply.clone(), key, patch)),
                        None => self.budget.give_back(),
                    }
                }
                if let Some(due) = self.queue.next_due().filter(|due| *due > self.now()) {
                    wake = wake.min(self.clock + due);
                }
            }
            self.parts.metrics.pending.set(i64::try_from(self.queue.pending()).unwrap_or(i64::MAX));
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = writes.next(), if !writes.is_empty() => self.ended(ended),
                fed = self.parts.feed.recv() => match fed {
                    Some(fed) => self.fed(fed),
                    None => break,
                },
                () = self.parts.leading.changed() => {}
                _ = self.parts.view.changed() => {}
                _ = self.parts.epoch.changed() => {}
                () = sleep_until(wake) => {}
            }
        }
        let drained = timeout(DRAIN, async {
            while let Some(ended) = writes.next().await {
                self.ended(ended);
            }
        });
        if drained.await.is_err() {
            tracing::warn!(left = writes.len(), "writes under way did not end in time");
        }
    }

    fn now(&self) -> Duration {
        self.clock.elapsed()
    }

    fn look_at_gate(&mut self) {
        let closed = {
            let (leading, latest) = (self.parts.leading.look(), self.parts.epoch.borrow());
            let view = self.parts.view.borrow();
            gate::closed(leading, self.alive.as_deref(), latest.as_deref(), view.as_deref())
        };
        if closed != self.closed {
            match (&closed, &self.closed) {
                (None, _) => tracing::info!(pending = self.queue.pending(), "repair goes on"),
                (Some(reason), None) => tracing::info!(reason, pending = self.queue.pending(), "repair stands still"),
                (Some(reason), Some(_)) => tracing::debug!(reason, "repair still stands still"),
            }
            self.closed = closed;
        }
    }

    fn fed(&mut self, fed: Fed) {
        let now = self.now();
        match fed {
            Fed::Listed(list) => {
                self.alive = Some(list.epoch);
                for end in self.queue.observe_all(&list.items, now) {
                    self.parts.metrics.row(end);
                }
            }
            Fed::Changed(row) => self.parts.metrics.row(self.queue.observe(&row, now)),
            Fed::Removed(key) => {
                self.queue.forget(&key);
                self.parts.metrics.row(RowEnd::Removed);
            }
            Fed::Lost => self.alive = None,
        }
    }

    fn say(&mut self) {
        while let Some((key, note)) = self.queue.take_note() {
            if !self.parts.notes.say(note) {
                self.parts.metrics.event(EventEnd::Dropped);
                return self.queue.unsay(&key);
            }
        }
    }

    fn ended(&mut self, (key, patch, written): Ended) {
        let now = self.now();
        let note = match (&written, &patch.said) {
            (Written { end: WriteEnd::Patched, .. }, said) => {
                said.clone().map(|said| Note::new(patch.subject.clone(), Reason::PlacementUpdated, said))
            }
            (Written { end: WriteEnd::Refused, fault: Some(fault) }, _) => {
                tracing::warn!(kind = %key.gvr, namespace = key.namespace, name = key.name, error = %fault, "a patch is refused");
                let message = format!("the placement cannot be written: {fault}");
                Some(Note::new(patch.subject.clone(), Reason::PlacementFailed, message))
            }
            _ => None,
        };
        if let Some(note) = note
            && !self.parts.notes.say(note)
        {
            self.parts.metrics.event(EventEnd::Dropped);
        }
        self.queue.finished(&key, patch, written.end, now);
    }
}

async fn write(apply: Apply, key: Key, patch: Patch) -> Ended {
    let written = apply.write(&patch).await;
    (key, patch, written)
}
