//! Decides again what may have changed, and nothing else. A pass is a pure step: no clock, no waiting.
//!
//! An update of an object decides that object; a change of what policies read decides one object of each class, and all of those
//! of which policy says something else then; a change of the policies decides every object. What is known to
//! matter now (objects that changed, rows that name a cluster that changed) goes first, but never at the cost of the rest:
//! both lanes of the queue move. A newer snapshot may interrupt: what was decided stays, what was not keeps
//! its place, and what was decided on the older snapshot queues up again.

mod cause;
mod course;
mod groups;
mod history;
mod inputs;
mod parallel;
mod queue;
pub mod runner;
mod verdict;
mod words;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

pub(super) use cause::Pending;

use super::rows::{Key, Rows, Verdict};
use super::table::{Table, Writer};
use crate::decision::{Config, Readings};
use crate::snapshot::{Knowledge, Snapshot};
use course::Interners;
use groups::Groups;
use history::{History, Span};
use queue::{Queue, Ticket};
use verdict::Memory;

/// Objects decided between two publications.
const BATCH: usize = 512;

/// Why a pass is made; a resync looks at everything again, whatever it believes to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A snapshot was published.
    Published,
    /// Some kind has been seen further, or the policies are not new any more, though nothing changed: what was left alone until then is
    /// looked at again.
    Proved,
    /// The periodic pass.
    Resync,
}

/// The result of one pass over the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassReport {
    /// Objects looked at.
    pub decided: usize,
    /// Objects of which policy says the same after a change of some clusters, found by those alone.
    pub confirmed: usize,
    /// Events made.
    pub changed: usize,
    /// Objects still to be looked at: the pass was interrupted.
    pub left: usize,
    /// Nothing was looked at: the snapshot is not ready, or stale.
    pub skipped: bool,
}

/// The result of looking at one object.
enum Finding {
    /// It was decided.
    Decided(Verdict),
    /// Policy says of it what it said before.
    Confirmed,
}

/// The one writer of a [`Table`].
#[derive(Debug)]
pub struct Reconciler {
    writer: Writer,
    config: Arc<Config>,
    threads: usize,
    queue: Queue,
    groups: Groups,
    history: History,
    previous: Option<Arc<Snapshot>>,
    resyncs: u64,
    knowledge: Knowledge,
    readings: Readings,
    interners: Interners,
}

impl Reconciler {
    /// A reconciler with an empty table of its own.
    pub fn new(epoch: Arc<str>, config: Arc<Config>) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            writer: Writer::new(epoch),
            config,
            threads,
            queue: Queue::default(),
            groups: Groups::default(),
            history: History::default(),
            previous: None,
            resyncs: 0,
            knowledge: Knowledge::default(),
            readings: Readings::default(),
            interners: Interners::default(),
        }
    }

    /// Sets what the next pass knows beside its snapshot.
    pub fn know(&mut self, knowledge: Knowledge) {
        self.knowledge = knowledge;
    }

    /// The table, for readers.
    pub fn table(&self) -> &Arc<Table> {
        self.writer.table()
    }

    /// Counts a pass that is over, for metrics.
    pub fn count(&self, report: &PassReport) {
        self.writer.count(report);
    }

    /// Brings the table up to a snapshot. `interrupted` is asked between decisions; every pass makes progress even if the
    /// answer is always yes.
    pub fn pass(&mut self, snapshot: &Arc<Snapshot>, trigger: Trigger, interrupted: &(dyn Fn() -> bool + Sync)) -> PassReport {
        if !snapshot.ready() {
            return PassReport { skipped: true, left: self.queue.len(), ..PassReport::default() };
        }
        self.resyncs += u64::from(trigger == Trigger::Resync);
        let previous = self.previous.replace(Arc::clone(snapshot));
        self.history.record(previous.as_deref(), snapshot, &self.config.placement_path);
        // A pass may bring the rows over several revisions at once: they may be out of date since the first of them.
        let since = previous.as_ref().map_or(0, |previous| previous.revision + 1).min(snapshot.revision);
        let previous = previous.filter(|_| trigger != Trigger::Resync);
        let work = (&mut self.queue, &mut self.groups, since);
        inputs::enqueue(work, &self.writer.rows(), previous.as_deref(), snapshot, &self.config);
        if trigger == Trigger::Proved {
            inputs::enqueue_waiting(&mut self.queue, &self.writer.rows(), snapshot, &self.knowledge);
        }
        self.drain(snapshot, interrupted)
    }

    fn drain(&mut self, snapshot: &Snapshot, interrupted: &(dyn Fn() -> bool + Sync)) -> PassReport {
        let mut report = PassReport::default();
        loop {
            let (verdicts, confirmed) = self.decide_batch(snapshot, interrupted);
            report.decided += verdicts.len();
            report.confirmed += confirmed;
            let swept = self.queue.oldest().map_or(snapshot.revision, |oldest| oldest.saturating_sub(1));
            report.changed += self.writer.publish(verdicts, swept);
            report.left = self.queue.len();
            if report.left == 0 || interrupted() {
                return report;
            }
        }
    }

    /// Decides some objects; returns the verdicts, and of how many policy says the same.
    fn decide_batch(&mut self, snapshot: &Snapshot, interrupted: &(dyn Fn() -> bool + Sync)) -> (Vec<(Key, Verdict)>, usize) {
        let tickets = self.queue.take(BATCH);
        let (rows, config) = (self.writer.rows(), &*self.config);
        let spans = self.spans(&tickets, &rows, snapshot);
        let (knowledge, readings, interners) = (&self.knowledge, &self.readings, &self.interners);
        let memory = Memory { rows: &rows, resyncs: self.resyncs, knowledge, spans: &spans, readings, interners };
        let groups = &self.groups;
        let is_confirmed = |ticket: &Ticket| {
            groups.in_doubt_of(ticket).is_some_and(|doubt| verdict::is_confirmed(snapshot, config, ticket, memory, doubt))
        };
        let decide = |ticket: &Ticket| match is_confirmed(ticket) {
            true => Finding::Confirmed,
            false => Finding::Decided(verdict::verdict(snapshot, config, ticket, memory)),
        };
        let found = parallel::map(&tickets, self.threads, decide, interrupted);
        self.settle(tickets, found)
    }

    /// Does with each object what was found for it; `None` where it was not reached.
    fn settle(&mut self, tickets: Vec<Ticket>, found: Vec<Option<Finding>>) -> (Vec<(Key, Verdict)>, usize) {
        let (mut verdicts, mut confirmed, mut undecided) = (Vec::with_capacity(tickets.len()), 0, Vec::new());
        for (ticket, found) in tickets.into_iter().zip(found) {
            match found {
                Some(Finding::Decided(verdict)) => {
                    self.groups.settle(&ticket.key, verdict.said());
                    verdicts.push((ticket.key, verdict));
                }
                Some(Finding::Confirmed) => {
                    self.groups.confirm(&ticket.key);
                    confirmed += 1;
                }
                None => undecided.push(ticket),
            }
        }
        self.groups.release(&mut self.queue);
        self.queue.put_back(undecided);
        (verdicts, confirmed)
    }

    /// Returns, for each revision since which some of these objects may be out of date, what changed since then.
    fn spans(&self, tickets: &[Ticket], rows: &Rows, snapshot: &Snapshot) -> HashMap<u64, Span> {
        let mut spans = HashMap::new();
        for ticket in tickets {
            let since = course::since(ticket, rows.known(&ticket.key));
            spans.entry(since).or_insert_with(|| self.history.span(since, snapshot, &self.config.placement_path));
        }
        spans
    }
}
