//! Placements onto existing objects: feed in, plan, budget, write out.
//!
//! ```text
//!  engine ──feed──► plan/queue ──gate, brake, budget, throttle──► write/apply ──► API server
//!                    ▲   └────────────gate───────────────► write/events
//!                    └── answer ◄────────────────────────── write/apply
//! ```

use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::config::{BudgetConfig, WriteConfig};
use crate::engine::placements::FeedEvent;
use crate::engine::status::View;
use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::plan::answer::Answer;
use crate::plan::brake::{Pass, Permit as Brakes};
use crate::plan::budget::Budget;
use crate::plan::gate::{Gate, Sight};
use crate::plan::note::{Note, Reason};
use crate::plan::queue::{Queue, Waits};
use crate::plan::row::{Key, Patch};
use crate::results::{EventEnd, RowEnd};
use crate::write::apply::Apply;
use crate::write::lease::Right;
use crate::write::throttle::{Permit, Throttle};

mod brake;

pub use brake::Line;
use brake::{Braking, ReportedCause};

/// The gate depends on ages, too, and the oldest row gets older: look again after this time.
const LOOK: Duration = Duration::from_secs(5);

/// The parts that the remediator is made of.
pub struct Parts {
    /// Rows.
    pub feed: mpsc::Receiver<FeedEvent>,
    /// Patches.
    pub apply: Apply,
    /// Shared with the Events.
    pub throttle: Throttle,
    /// Events.
    pub notes: Notes,
    /// This replica may write.
    pub leading: Right,
    /// The engine's status.
    pub view: View,
    /// The epoch of the engine's latest answer.
    pub epoch: watch::Receiver<Option<String>>,
    /// The brake.
    pub brake: Line,
    /// Where to count.
    pub metrics: Metrics,
}

/// The parts that stay as they were given.
struct Ways {
    feed: mpsc::Receiver<FeedEvent>,
    apply: Apply,
    throttle: Throttle,
    notes: Notes,
    leading: Right,
    view: View,
    epoch: watch::Receiver<Option<String>>,
    metrics: Metrics,
}

/// Repairs existing objects.
pub struct Remediator {
    parts: Ways,
    queue: Queue,
    brake: Braking,
    reported: ReportedCause,
    budget: Budget,
    in_flight: usize,
    drain: Duration,
    clock: Instant,
    /// The epoch of the rows in the queue, while their stream lives.
    alive: Option<String>,
    /// How far their stream has been read.
    reached: u64,
    gate: Gate,
    closed: Option<String>,
}

type Ended = (Key, Patch, Answer);
type Write = BoxFuture<'static, Ended>;

impl Remediator {
    /// Ready to run.
    pub fn new(parts: Parts, budget: &BudgetConfig, config: &WriteConfig) -> Self {
        let waits = Waits {
            first: config.first_wait,
            longest: config.longest_wait,
            unreachable: config.longest_slowdown.min(config.longest_wait),
            grace: config.grace,
        };
        let Parts { feed, apply, throttle, notes, leading, view, epoch, brake, metrics } = parts;
        Self {
            parts: Ways { feed, apply, throttle, notes, leading, view, epoch, metrics },
            queue: Queue::new(waits),
            brake: Braking::new(brake),
            reported: ReportedCause::default(),
            budget: Budget::new(budget.writes_per_second, budget.burst),
            in_flight: budget.in_flight.max(1),
            drain: config.drain,
            clock: Instant::now(),
            alive: None,
            reached: 0,
            gate: Gate::default(),
            closed: Some("starting".into()),
        }
    }

    /// Runs until `stop`, then finishes the writes that are under way.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut writes = FuturesUnordered::new();
        let mut others = self.parts.throttle.ended();
        loop {
            self.look_at_gate();
            self.look_at_brake();
            others.mark_unchanged();
            let mut wait = LOOK;
            if self.closed.is_none() {
                self.say();
                wait = self.send(&mut writes);
                // What it announces is written down at once.
                self.look_at_brake();
            }
            self.show();
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = writes.next(), if !writes.is_empty() => self.ended(ended),
                event = self.parts.feed.recv() => match event {
                    Some(event) => self.observe(event),
                    None => break,
                },
                () = self.parts.leading.changed() => {}
                _ = self.parts.view.changed() => {}
                _ = self.parts.epoch.changed() => {}
                _ = others.changed() => {}
                () = self.brake.changed() => {}
                () = sleep(wait) => {}
            }
        }
        self.finish(writes).await;
    }

    /// Begins the writes that may begin now; how long to wait at most for more.
    fn send(&mut self, writes: &mut FuturesUnordered<Write>) -> Duration {
        while writes.len() < self.in_flight {
            match self.next() {
                Ok((key, patch, permit)) => writes.push(write(self.parts.apply.clone(), key, patch, permit)),
                Err(wait) => return wait.min(LOOK),
            }
        }
        LOOK
    }

    async fn finish(&mut self, mut writes: FuturesUnordered<Write>) {
        let drained = timeout(self.drain, async {
            while let Some(ended) = writes.next().await {
                self.ended(ended);
            }
        });
        if drained.await.is_err() {
            tracing::warn!(left = writes.len(), "writes under way did not end in time");
        }
    }

    /// The next patch that may be sent now, or how long to wait at most before asking again.
    fn next(&mut self) -> Result<(Key, Patch, Permit), Duration> {
        let now = self.now();
        let pass = self.next_permitted(now).ok_or_else(|| self.queue.next_due().map_or(LOOK, |due| due.saturating_sub(now)))?;
        self.budget.take(now)?;
        let permit = self.parts.throttle.try_begin();
        let taken = permit.and_then(|permit| {
            let (key, patch) = self.queue.take(now).ok_or(LOOK)?;
            Ok((key, patch, permit))
        });
        match &taken {
            Ok((key, patch, _)) => {
                let note = self.brake.goes(key, patch, pass, &self.parts.metrics);
                if note.is_some_and(|note| !self.parts.notes.say(note)) {
                    self.parts.metrics.event(EventEnd::Dropped);
                }
            }
            Err(_) => self.budget.give_back(),
        }
        taken
    }

    /// Puts aside what the brake holds back, up to the first patch that it permits; why it does.
    fn next_permitted(&mut self, now: Duration) -> Option<Pass> {
        loop {
            let key = self.queue.peek(now)?.clone();
            match self.brake.permit(&key) {
                Brakes::Go(pass) => return Some(pass),
                Brakes::Wait | Brakes::Held => self.queue.park(&key, now),
            }
        }
    }

    /// The brake hears what is new, and says what has changed.
    fn look_at_brake(&mut self) {
        let is_leading = self.parts.leading.look();
        let freed = self.brake.look(is_leading, self.closed.is_none());
        self.queue.unpark(&freed, self.now());
        let Some(note) = self.brake.show(&self.parts.metrics) else { return };
        let beside = self.brake.on_cause(&note, self.parts.notes.causes(), &mut self.reported);
        self.say_all(beside.into_iter().chain([note]));
    }

    /// Sets the gauges of the queue.
    fn show(&self) {
        let (metrics, counts) = (&self.parts.metrics, self.queue.counts());
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        metrics.pending.set(number(counts.pending));
        metrics.suggested.set(number(counts.suggested));
        metrics.held.set(number(counts.held));
        metrics.reverted.set(number(counts.reverted));
        metrics.oldest_seconds.set(self.queue.oldest(self.now()).as_secs_f64());
        metrics.repairing.set(i64::from(self.closed.is_none()));
    }

    fn now(&self) -> Duration {
        self.clock.elapsed()
    }

    fn look_at_gate(&mut self) {
        let leading = self.parts.leading.look();
        if !leading {
            self.take_back();
        }
        let closed = {
            let latest = self.parts.epoch.borrow();
            let view = self.parts.view.borrow();
            let (feed, reached, now) = (self.alive.as_deref(), self.reached, self.clock.elapsed());
            self.gate.closed(&Sight { leading, feed, reached, latest: latest.as_deref(), status: view.as_deref(), now })
        };
        if closed != self.closed {
            match (&closed, &self.closed) {
                (None, _) => tracing::info!(pending = self.queue.counts().pending, "repair goes on"),
                (Some(reason), None) => tracing::info!(reason, pending = self.queue.counts().pending, "repair stands still"),
                (Some(reason), Some(_)) => tracing::debug!(reason, "repair still stands still"),
            }
            self.closed = closed;
        }
    }

    /// Takes back notes that are not written yet: they are due again when this replica leads again, if they still hold then.
    fn take_back(&mut self) {
        let now = self.now();
        for key in self.parts.notes.take_placements_back() {
            self.queue.unsay(&key, now);
        }
    }

    fn observe(&mut self, event: FeedEvent) {
        let now = self.now();
        self.brake.observe(&event);
        match event {
            FeedEvent::Listed(list) => {
                (self.alive, self.reached) = (Some(list.epoch), list.since);
                for end in self.queue.observe_all(&list.items, now) {
                    self.parts.metrics.row(end);
                }
            }
            FeedEvent::Changed(row) => self.parts.metrics.row(self.queue.observe(&row, now)),
            FeedEvent::Removed(key) => {
                self.queue.forget(&key, now);
                self.parts.metrics.row(RowEnd::Removed);
            }
            FeedEvent::Reached(position) => self.reached = position,
            FeedEvent::Lost => self.alive = None,
        }
    }

    fn say(&mut self) {
        while let Some((key, note)) = self.queue.take_note() {
            let failed = (note.reason == Reason::PlacementFailed).then(|| note.clone());
            if !self.parts.notes.say(note) {
                return self.unsaid(&key);
            }
            if let Some(failed) = failed {
                self.parts.notes.conflicts().show(&failed, |note| self.is_said(note));
            }
        }
    }

    /// Reports notes that are dropped where there is no room for them.
    fn say_all(&self, notes: impl IntoIterator<Item = Note>) {
        for note in notes {
            self.is_said(note);
        }
    }

    /// Reports a note; returns whether there was room for it, and counts it as dropped if not.
    fn is_said(&self, note: Note) -> bool {
        let is_said = self.parts.notes.say(note);
        if !is_said {
            self.parts.metrics.event(EventEnd::Dropped);
        }
        is_said
    }

    fn unsaid(&mut self, key: &Key) {
        self.parts.metrics.event(EventEnd::Dropped);
        self.queue.unsay(key, self.now());
    }

    fn ended(&mut self, (key, patch, answer): Ended) {
        if let Answer::Reverted(reverted) = &answer {
            let (keys, managers) = (reverted.keys.join(", "), reverted.managers.join(", "));
            tracing::warn!(kind = %key.gvr, namespace = key.namespace, name = key.name, keys, managers, "a patch was undone at admission");
        }
        if matches!(answer, Answer::Refused { .. } | Answer::Reverted(_)) {
            self.brake.refused(&key);
        }
        let note = self.queue.finished(&key, &patch, &answer, self.now());
        if note.is_some_and(|note| !self.parts.notes.say(note)) {
            self.unsaid(&key);
        }
    }
}

fn write(apply: Apply, key: Key, patch: Patch, permit: Permit) -> Write {
    let write = async move {
        let answer = apply.write(&patch, permit).await;
        (key, patch, answer)
    };
    write.boxed()
}

#[cfg(test)]
mod tests;
