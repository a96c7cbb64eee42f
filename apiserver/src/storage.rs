//! One revisioned store: every write gets the next revision, readers hold immutable snapshots, nothing is answered before
//! it is durable.
//!
//! ```text
//!   write ─► draft (caller's task) ─► queue ─► writer (one thread): decide, stamp ─► disk: one commit for all that waited
//!                                                                          │
//!   snapshot, snapshot_at ◄── published snapshot ◄── ledger ◄── publish ◄──┘ ─► answers
//!   cursors (watches)     ◄── log of a collection ◄────┘
//! ```
//!
//! Readers never wait for the writer, and the writer waits for no reader: a snapshot is a pointer, a cursor is a place in a
//! log that forgets. What the store promises is etcd's contract as kube-apiserver uses it (section 5.2 of the design's facts:
//! linearizable reads and writes, watches that are ordered, unique, reliable and resumable).

mod ahead;
mod cursor;
mod derived;
mod directory;
mod disk;
mod draft;
mod event;
mod history;
mod open;
mod past;
pub mod record;
mod snapshot;
mod trial;
mod unsynced;
mod write;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

pub use cursor::{Cursor, CursorEnd};
pub use derived::Derived;
pub use disk::DiskError;
pub use draft::OBJECT_LIMIT;
pub use event::{Event, EventKind, encode_line};
pub use history::{Compacted, History, HistoryLimits};
pub use open::{OpenError, Options};
pub use past::AtError;
pub use record::{Key, Record};
pub use snapshot::Snapshot;
pub use write::{Change, Expect, Write, WriteError};

use history::Ledger;
use writer::{Job, Writer};

/// Writes that may wait for the writer; more callers wait for a place.
const QUEUE: usize = 4096;

/// The store. Clones are the same store.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    ledger: Arc<Ledger>,
    queue: mpsc::Sender<Job>,
    commits: Arc<AtomicU64>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Store {
    /// Opens a data directory, or starts an empty store in memory. Blocks while the data file is checked.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let opened = open::open(&options)?;
        Self::start(opened.disk, opened.snapshot, options.history)
    }

    /// Opens a store on a backend of the caller's; `backend` is asked twice, for the trial run and for good. For tests of what
    /// a disk may do.
    pub fn open_backend<B: redb::StorageBackend>(
        backend: impl Fn() -> std::io::Result<B>,
        history: HistoryLimits,
    ) -> Result<Self, OpenError> {
        let opened = open::open_backend(&backend)?;
        Self::start(opened.disk, opened.snapshot, history)
    }

    fn start(disk: Option<disk::Disk>, snapshot: Snapshot, limits: HistoryLimits) -> Result<Self, OpenError> {
        let ledger = Arc::new(Ledger::new(snapshot, limits));
        let commits = Arc::new(AtomicU64::new(0));
        let (queue, waiting) = mpsc::channel(QUEUE);
        let writer = Writer { disk, ledger: Arc::clone(&ledger), commits: Arc::clone(&commits), failed: None };
        let thread = std::thread::Builder::new().name("store-writer".to_owned());
        let thread = thread.spawn(move || writer.run(waiting)).map_err(OpenError::Thread)?;
        Ok(Self(Arc::new(Inner { ledger, queue, commits, writer: Mutex::new(Some(thread)) })))
    }

    /// The latest snapshot. It contains every write that has been answered.
    pub fn snapshot(&self) -> Snapshot {
        self.0.ledger.snapshot()
    }

    /// The objects as they were at exactly this revision. Costs as much as has changed since, once.
    pub fn snapshot_at(&self, revision: u64) -> Result<Snapshot, AtError> {
        self.0.ledger.at(revision)
    }

    /// Keeps a snapshot for a while, so that `snapshot_at` gives it at once: for lists that are read in pages.
    pub fn keep(&self, snapshot: &Snapshot) {
        self.0.ledger.keep(snapshot);
    }

    /// The latest snapshot as soon as it is not older than a revision.
    pub async fn wait_for(&self, revision: u64, limit: Duration) -> Result<Snapshot, AtError> {
        self.0.ledger.not_before(revision, limit).await
    }

    /// Makes a change. Answered when it is durable and visible; the record of a deletion is the object's last state at the
    /// deletion's revision. If the caller gives up waiting, the change may be made nevertheless.
    pub async fn write(&self, write: Write) -> Result<Arc<Record>, WriteError> {
        let prepared = {
            let snapshot = self.snapshot();
            let current = snapshot.get(&write.key).cloned();
            write.prepare(current.as_ref())?
        };
        let (answer, wait) = oneshot::channel();
        self.0.queue.send(Job::Write(prepared, answer)).await.map_err(|_| WriteError::Closed)?;
        wait.await.map_err(|_| WriteError::Closed)?
    }

    /// The events of a collection.
    pub fn history(&self, collection: &str) -> History {
        self.0.ledger.history(collection)
    }

    /// The limits of the history.
    pub fn limits(&self) -> HistoryLimits {
        self.0.ledger.limits()
    }

    /// Whether no more writes are taken.
    pub fn is_closed(&self) -> bool {
        self.0.ledger.is_closed()
    }

    /// Commits so far; fewer than writes when writes came at the same time.
    pub fn commits(&self) -> u64 {
        self.0.commits.load(Ordering::Relaxed)
    }

    /// Stops the writer after what is queued, and closes the data file. Writes fail from then on, watches end.
    pub fn close(self) {
        let Some(writer) = self.0.writer.lock().take() else { return };
        let mut stop = Job::Stop;
        // A full queue empties by itself, unless the writer is gone already.
        while let Err(mpsc::error::TrySendError::Full(back)) = self.0.queue.try_send(stop) {
            stop = back;
            std::thread::yield_now();
        }
        if writer.join().is_err() {
            tracing::error!("the store's writer ended in a panic");
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Store").field(&self.snapshot()).finish()
    }
}
