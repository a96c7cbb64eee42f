//! The decision log, in OPA's event shape (`v1/plugins/logs` of its sources).
//!
//! ```text
//!  decision ─► record ─► queue ─► worker: drop, mask ─┬─► console
//!             (bounded)                               ├─► file
//!                                                     └─► buffer ─► upload (gzip batches, in order)
//!                                                        (bounded)
//! ```
//!
//! A decision never waits for its log line and never fails for it, unless `--decision-log-full` says so: what finds no room
//! is dropped and counted. Under `fail` it is answered when its line is where it should be. Policies see the event as OPA shows it: `data.system.log.drop` and `data.system.log.mask` are
//! evaluated on the snapshot that the decision was made on.

mod batch;
mod bounds;
mod bucket;
mod buffer;
mod counts;
mod error;
mod event;
mod file;
mod mask;
mod policy;
mod queue;
mod sinks;
mod upload;
mod worker;

pub use bounds::Bounds;
pub use counts::{Counts, Sink};
use error::MaskError;
pub use event::{BundleInfo, Event, RequestContext};
pub use file::FileSink;
pub use upload::{UploadStatus, Uploader};

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::{Map, Value as Json};

use crate::management::config::decision_logs::DecisionLogs;
use crate::rego::Limits;
use crate::snapshot::Snapshot;
use buffer::Buffer;
use queue::Queue;

/// One decision, as it is handed to the log.
#[derive(Debug)]
pub struct Entry {
    /// As answered.
    pub decision_id: String,
    /// Of the document asked for, without `data`; empty for a query.
    pub path: String,
    /// Of an ad-hoc query.
    pub query: String,
    /// JSON text.
    pub input: Option<Bytes>,
    /// As answered; nothing if undefined.
    pub result: Option<Json>,
    /// As answered.
    pub error: Option<Json>,
    /// Address and port.
    pub requested_by: String,
    /// Of the request.
    pub headers: BTreeMap<String, Vec<String>>,
    /// OPA's timers.
    pub metrics: Map<String, Json>,
    /// What METADATA labels the rules with that were found to hold.
    pub rule_labels: Vec<Json>,
    /// What OPA does not know of: outcome, protocol.
    pub custom: Map<String, Json>,
    /// What the decision was made on.
    pub snapshot: Arc<Snapshot>,
}

/// What happens when the log's queue is full: the line is dropped, or the decision waits, or fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum WhenFull {
    /// The line is dropped and counted.
    #[default]
    Drop,
    /// The decision waits, at most as long as an evaluation may take, then fails.
    Wait,
    /// The decision waits until its line is written, or in the upload's buffer, and fails if it is not.
    Fail,
}

/// A line that is not in the log, where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("decision_logs: this decision could not be logged: is the sink down or full?")]
pub struct NotLogged;

/// Where decisions are logged; off by default. Clones are one log.
#[derive(Clone, Debug, Default)]
pub struct DecisionLog {
    inner: Option<Arc<Inner>>,
}

#[derive(Debug)]
struct Inner {
    queue: Arc<Queue>,
    buffer: Option<Arc<Buffer>>,
    counts: Counts,
    when_full: WhenFull,
    patience: Duration,
    headers: Vec<String>,
    requests: AtomicU64,
    /// Closed by the worker when it ends.
    ended: Mutex<Receiver<()>>,
}

/// Settings of the decision log.
#[derive(Debug)]
pub struct Options {
    /// The section of the configuration.
    pub config: DecisionLogs,
    /// In every event.
    pub labels: BTreeMap<String, String>,
    /// Of OPA's `file_logger`.
    pub file: Option<FileSink>,
    /// What happens when the log's queue is full: the line is dropped, or the decision waits, or fails.
    pub when_full: WhenFull,
    /// What the drop and mask policies may cost.
    pub limits: Limits,
}

impl DecisionLog {
    /// Starts the worker.
    pub fn start(options: Options) -> io::Result<Self> {
        let Options { config, labels, file, when_full, limits } = options;
        let counts = Counts::new().map_err(io::Error::other)?;
        let bounds = Bounds::of(&config.reporting, when_full);
        let upload = !config.service.is_empty();
        let buffer = upload.then(|| Arc::new(Buffer::new(bounds, counts.clone())));
        let queue = Arc::new(Queue::default());
        let headers = config.request_context.http.as_ref().map(|http| http.headers.clone()).unwrap_or_default();
        let patience = limits.time;
        let policy = policy::Policies::of(&config, limits);
        let sinks = worker::Sinks { console: config.console, file, buffer: buffer.clone() };
        let worker = worker::Worker { queue: Arc::clone(&queue), labels, policy, sinks, counts: counts.clone() };
        let (ends, ended) = channel();
        let work = move || {
            // Also where it panics: whoever closes the log must not wait for nothing.
            let _ends: Sender<()> = ends;
            worker.run();
        };
        std::thread::Builder::new().name("decision-log".into()).stack_size(64 << 20).spawn(work)?;
        let ended = Mutex::new(ended);
        let requests = AtomicU64::new(0);
        let inner = Inner { queue, buffer, counts, when_full, patience, headers, requests, ended };
        Ok(Self { inner: Some(Arc::new(inner)) })
    }

    /// An id for the next decision; none while nothing is logged, as in OPA.
    pub fn decision_id(&self) -> Option<String> {
        self.inner.as_ref().map(|_| uuid::Uuid::new_v4().to_string())
    }

    /// Names of the headers to tell.
    pub fn headers(&self) -> &[String] {
        self.inner.as_ref().map(|inner| inner.headers.as_slice()).unwrap_or_default()
    }

    /// Takes in a decision. Only a log that was told to may fail it, and make it wait.
    pub fn record(&self, entry: Entry) -> Result<(), NotLogged> {
        let Some(inner) = &self.inner else { return Ok(()) };
        let request = inner.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let patience = if inner.when_full == WhenFull::Wait { inner.patience } else { Duration::ZERO };
        let (taken, told) = sync_channel(1);
        let taken = (inner.when_full == WhenFull::Fail).then_some(taken);
        if !inner.queue.push(queue::Item { entry, request, at: event::now(), taken }, patience) {
            inner.counts.dropped("queue");
            return if inner.when_full == WhenFull::Drop { Ok(()) } else { Err(NotLogged) };
        }
        match inner.when_full {
            WhenFull::Drop | WhenFull::Wait => Ok(()),
            // A line that comes later is in the log of a decision that was never given; the other way round never happens.
            WhenFull::Fail => told.recv_timeout(inner.patience).is_ok_and(|taken| taken).then_some(()).ok_or(NotLogged),
        }
    }

    /// Returns the buffer of batches; `None` where none are sent.
    pub fn buffer(&self) -> Option<Arc<dyn Batches>> {
        let buffer = self.inner.as_ref()?.buffer.clone()?;
        Some(buffer)
    }

    /// Returns the counts of lines that were logged and dropped; `None` without a log.
    pub fn counts(&self) -> Option<&Counts> {
        self.inner.as_ref().map(|inner| &inner.counts)
    }

    /// Lines that wait for the worker or the upload.
    pub fn waiting(&self) -> usize {
        let Some(inner) = &self.inner else { return 0 };
        inner.queue.len() + inner.buffer.as_ref().map_or(0, |buffer| buffer.len())
    }

    /// Writes what has been recorded, then ends the worker. What is recorded later is dropped, and what is not written within this time
    /// is counted as lost, with the line at work.
    pub fn close(&self, within: Duration) {
        let Some(inner) = &self.inner else { return };
        inner.queue.close();
        if let Some(buffer) = &inner.buffer {
            buffer.open_wide();
        }
        // Nothing is ever sent.
        if inner.ended.lock().recv_timeout(within) == Err(RecvTimeoutError::Timeout) {
            let lines = inner.queue.abandon() + 1;
            tracing::error!(lines, ?within, "the decision log stands still: its last lines are lost");
            inner.counts.dropped_some("end", lines);
        }
    }
}

/// Batches of events, in order; one is taken away when it has arrived.
pub trait Batches: Send + Sync + std::fmt::Debug {
    /// The oldest events, as a gzipped JSON array of at most `limit` bytes, and how many there are in it.
    fn oldest(&self, limit: usize) -> Option<(Bytes, Vec<u64>)>;
    /// They have arrived.
    fn arrived(&self, events: &[u64]);
    /// The last batch has not arrived; it is kept.
    fn refused(&self);
    /// Gives up and counts all that has not arrived, as the process ends; returns how many events that are.
    fn abandon(&self) -> u64;
    /// Resolves when there is as much as a batch.
    fn full(&self) -> Arc<tokio::sync::Notify>;
    /// For the upload's own counts.
    fn counts(&self) -> &Counts;
}

#[cfg(test)]
mod tests;
