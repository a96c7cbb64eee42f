//! What happened lately: one log in the order of revisions, and one for each collection, of the same events.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::RwLock;
use tokio::sync::watch;
use tokio::time::Instant;

use super::cursor::Cursor;
use super::{Event, Snapshot};

/// How much history is kept. An event goes when it is too old, or when there are too many or too large ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Events older than this are forgotten; five minutes, as often as kube-apiserver lets etcd compact.
    pub age: Duration,
    /// Events at most; 100,000, about what upstream's watch cache can hold of one resource.
    pub events: usize,
    /// Bytes of events at most.
    pub bytes: usize,
}

/// The revision asked for is not in the history any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too old: the oldest revision known is {oldest}")]
pub struct Compacted {
    /// The oldest revision that is still good to start from.
    pub oldest: u64,
}

/// The events of one collection.
#[derive(Clone)]
pub struct History {
    ledger: Arc<Ledger>,
    log: Arc<Log>,
}

/// The published snapshot and how it came about. Written by the writer alone.
pub(crate) struct Ledger {
    limits: HistoryLimits,
    /// The revision at which the store was opened: history begins there.
    base: u64,
    published: ArcSwap<Snapshot>,
    pub(super) order: RwLock<Order>,
    logs: RwLock<HashMap<Arc<str>, Arc<Log>>>,
    /// The last revision whose events are in the logs.
    progress: watch::Sender<u64>,
    closed: AtomicBool,
}

/// All events, oldest first.
pub(super) struct Order {
    pub(super) events: VecDeque<(Instant, Arc<Event>)>,
    bytes: usize,
    /// Events up to here are gone.
    pub(super) floor: u64,
    /// Snapshots of the past that somebody pages through.
    pub(super) past: VecDeque<(Instant, Snapshot)>,
}

/// One collection's events.
pub(crate) struct Log {
    ring: RwLock<Ring>,
    /// Sent to whenever the ring has grown, or the store closes.
    woken: watch::Sender<()>,
}

struct Ring {
    events: VecDeque<Arc<Event>>,
    floor: u64,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { age: Duration::from_secs(300), events: 100_000, bytes: 32 << 20 }
    }
}

// --- History ---

impl History {
    /// Events after `revision`, which may lie in the future.
    pub fn since(&self, revision: u64) -> Result<Cursor, Compacted> {
        let oldest = self.log.ring.read().floor;
        if revision < oldest {
            return Err(Compacted { oldest });
        }
        Ok(Cursor::new(Arc::clone(&self.ledger), Arc::clone(&self.log), revision))
    }

    /// The oldest revision that `since` accepts now.
    pub fn oldest(&self) -> u64 {
        self.log.ring.read().floor
    }
}

// --- Ledger ---

impl Ledger {
    pub(crate) fn new(start: Snapshot, limits: HistoryLimits) -> Self {
        let base = start.revision();
        let order = Order { events: VecDeque::new(), bytes: 0, floor: base, past: VecDeque::new() };
        Self {
            limits,
            base,
            published: ArcSwap::from_pointee(start),
            order: RwLock::new(order),
            logs: RwLock::default(),
            progress: watch::Sender::new(base),
            closed: AtomicBool::new(false),
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::clone(&self.published.load())
    }

    pub(crate) fn limits(&self) -> HistoryLimits {
        self.limits
    }

    pub(crate) fn history(self: &Arc<Self>, collection: &str) -> History {
        History { ledger: Arc::clone(self), log: self.log(collection) }
    }

    /// Makes a commit visible: first to those who read, then to those who watch, so that nobody who has seen an event reads a
    /// state from before it. The logs that have grown are given back, to be woken: a thousand watchers take a while, and who
    /// waits for an answer need not wait for them.
    pub(crate) fn publish(&self, snapshot: Snapshot, events: Vec<Arc<Event>>, now: Instant) -> Vec<Arc<Log>> {
        let revision = snapshot.revision();
        let gone = {
            let mut order = self.order.write();
            self.published.store(Arc::new(snapshot));
            order.append(&events, now);
            order.trim(self.limits, now)
        };
        let grown = self.append(events);
        self.forget(&gone);
        self.progress.send_replace(revision);
        grown
    }

    /// No more events will come; everybody who waits is told.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.logs.read().values().for_each(|log| log.wake());
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// The last revision whose events can be read.
    pub(super) fn progress(&self) -> u64 {
        *self.progress.borrow()
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.progress.subscribe()
    }

    fn log(&self, collection: &str) -> Arc<Log> {
        if let Some(log) = self.logs.read().get(collection) {
            return Arc::clone(log);
        }
        let mut logs = self.logs.write();
        // A collection that had no log has had no event, so it has lost none.
        Arc::clone(logs.entry(collection.into()).or_insert_with(|| Arc::new(Log::new(self.base))))
    }

    /// The logs that have grown, each once.
    fn append(&self, events: Vec<Arc<Event>>) -> Vec<Arc<Log>> {
        let mut grown: Vec<(Arc<str>, Arc<Log>)> = Vec::new();
        for event in events {
            let collection = &event.record.key.collection;
            let log = match grown.iter().find(|(name, _)| name == collection) {
                Some((_, log)) => Arc::clone(log),
                None => {
                    let log = self.log(collection);
                    grown.push((Arc::clone(collection), Arc::clone(&log)));
                    log
                }
            };
            log.ring.write().events.push_back(event);
        }
        grown.into_iter().map(|(_, log)| log).collect()
    }

    fn forget(&self, gone: &[Arc<Event>]) {
        for event in gone {
            self.log(&event.record.key.collection).ring.write().forget(event.revision);
        }
    }
}

// --- Order ---

impl Order {
    fn append(&mut self, events: &[Arc<Event>], now: Instant) {
        for event in events {
            self.bytes += event.cost();
            self.events.push_back((now, Arc::clone(event)));
        }
    }

    /// Drops what exceeds the limits and gives it back, for the logs to drop as well.
    fn trim(&mut self, limits: HistoryLimits, now: Instant) -> Vec<Arc<Event>> {
        let mut gone = Vec::new();
        while let Some((at, _)) = self.events.front() {
            let old = now.duration_since(*at) > limits.age;
            if !old && self.events.len() <= limits.events && self.bytes <= limits.bytes {
                break;
            }
            let Some((_, event)) = self.events.pop_front() else { break };
            self.bytes -= event.cost();
            self.floor = event.revision;
            gone.push(event);
        }
        self.past.retain(|(used, _)| now.duration_since(*used) <= limits.age);
        gone
    }
}

// --- Log ---

impl Log {
    fn new(floor: u64) -> Self {
        Self { ring: RwLock::new(Ring { events: VecDeque::new(), floor }), woken: watch::Sender::new(()) }
    }

    /// Everybody who waits looks again.
    pub(crate) fn wake(&self) {
        self.woken.send_replace(());
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<()> {
        self.woken.subscribe()
    }

    /// Up to `most` events after a revision.
    pub(super) fn after(&self, revision: u64, most: usize) -> Result<Vec<Arc<Event>>, Compacted> {
        let ring = self.ring.read();
        if revision < ring.floor {
            return Err(Compacted { oldest: ring.floor });
        }
        let start = ring.events.partition_point(|event| event.revision <= revision);
        Ok(ring.events.range(start..).take(most).cloned().collect())
    }
}

impl Ring {
    fn forget(&mut self, revision: u64) {
        while self.events.front().is_some_and(|event| event.revision <= revision) {
            self.events.pop_front();
        }
        self.floor = self.floor.max(revision);
    }
}
