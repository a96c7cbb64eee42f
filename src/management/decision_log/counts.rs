//! What was logged, dropped and sent. Of each decision and each sink exactly one of these holds: it is written, it is dropped, it
//! waits; `queue`, `policy` and `failed` drop it for all sinks, the other reasons for one; `end` for those that it was still to be written to.

use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{IntCounterVec, Opts};

/// Why a line was dropped; a closed set.
const REASONS: [&str; 9] = ["queue", "buffer", "rate", "policy", "failed", "too_large", "console", "file", "end"];

/// Where lines go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Standard error.
    Console,
    /// A file.
    File,
    /// A service.
    Upload,
}

impl Sink {
    const ALL: [Self; 3] = [Self::Console, Self::File, Self::Upload];

    fn name(self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::File => "file",
            Self::Upload => "upload",
        }
    }
}

/// Counters; clones count together.
#[derive(Clone, Debug)]
pub struct Counts {
    events: IntCounterVec,
    dropped: IntCounterVec,
    uploads: IntCounterVec,
}

impl Counts {
    /// All at zero.
    pub fn new() -> Result<Self, prometheus::Error> {
        let counters = |name: &str, help: &str, labels: &[&str]| IntCounterVec::new(Opts::new(name, help), labels);
        let counts = Self {
            events: counters("plimsoll_decision_log_events_total", "Decisions written to the decision log.", &["sink"])?,
            dropped: counters("plimsoll_decision_log_dropped_total", "Decisions not in the log, by reason.", &["reason"])?,
            uploads: counters("plimsoll_decision_log_uploads_total", "Batches sent, by result.", &["result"])?,
        };
        for reason in REASONS {
            counts.dropped.with_label_values(&[reason]).inc_by(0);
        }
        // A counter without a series cannot be shown, and with it no other.
        for result in ["ok", "failed"] {
            counts.uploads.with_label_values(&[result]).inc_by(0);
        }
        for sink in Sink::ALL {
            counts.events.with_label_values(&[sink.name()]).inc_by(0);
        }
        Ok(counts)
    }

    pub(super) fn written(&self, sink: Sink, lines: usize) {
        self.events.with_label_values(&[sink.name()]).inc_by(lines as u64);
    }

    pub(super) fn dropped(&self, reason: &'static str) {
        self.dropped_some(reason, 1);
    }

    pub(super) fn dropped_some(&self, reason: &'static str, lines: u64) {
        self.dropped.with_label_values(&[reason]).inc_by(lines);
    }

    pub(super) fn sent(&self, well: bool) {
        self.uploads.with_label_values(&[if well { "ok" } else { "failed" }]).inc();
    }

    /// Lines that a sink has taken so far; a service, what it said yes to.
    pub fn written_to(&self, sink: Sink) -> u64 {
        self.events.with_label_values(&[sink.name()]).get()
    }

    /// Lines dropped so far for a reason.
    pub fn dropped_for(&self, reason: &str) -> u64 {
        if REASONS.contains(&reason) { self.dropped.with_label_values(&[reason]).get() } else { 0 }
    }

    /// Batches that arrived and that did not.
    pub fn uploads(&self) -> (u64, u64) {
        let get = |result: &str| self.uploads.with_label_values(&[result]).get();
        (get("ok"), get("failed"))
    }

    /// For `/metrics`.
    pub fn gather(&self) -> Vec<MetricFamily> {
        [&self.events, &self.dropped, &self.uploads].into_iter().flat_map(Collector::collect).collect()
    }
}
