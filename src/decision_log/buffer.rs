//! Lines that wait for their upload: bounded, oldest dropped first, sent in order.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use super::{Batches, Counts};
use crate::config::decision_logs::{BufferType, Reporting};

/// OPA has no bound by default; memory has.
const BYTES: usize = 64 << 20;
/// OPA's default of the event buffer.
const EVENTS: usize = 10_000;

/// What the buffer may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Bytes of lines.
    pub bytes: usize,
    /// Number of lines.
    pub events: usize,
    /// Lines taken in a second.
    pub per_second: Option<f64>,
    /// What comes when it is full waits, instead of pushing out the oldest.
    pub waits: bool,
}

impl Bounds {
    /// As configured.
    pub fn of(reporting: &Reporting, waits: bool) -> Self {
        let bytes = reporting.buffer_size_limit_bytes.map_or(BYTES, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let events = match reporting.buffer_type {
            BufferType::Event => reporting.buffer_size_limit_events.unwrap_or(EVENTS),
            BufferType::Size => usize::MAX,
        };
        Self { bytes, events, per_second: reporting.max_decisions_per_second, waits }
    }
}

/// The buffer.
#[derive(Debug)]
pub(super) struct Buffer {
    bounds: Bounds,
    state: Mutex<State>,
    room: Condvar,
    full: Arc<Notify>,
    counts: Counts,
}

#[derive(Debug)]
struct State {
    lines: VecDeque<(u64, Bytes)>,
    next: u64,
    bytes: usize,
    /// Compressed bytes per byte, of the last batch.
    ratio: f64,
    bucket: Bucket,
    waits: bool,
}

/// Lines that may come at once, filled again by time.
#[derive(Debug)]
struct Bucket {
    level: f64,
    at: Instant,
}

impl Buffer {
    pub(super) fn new(bounds: Bounds, counts: Counts) -> Self {
        let bucket = Bucket { level: bounds.per_second.unwrap_or_default().max(1.0), at: Instant::now() };
        let state = State { lines: VecDeque::new(), next: 0, bytes: 0, ratio: 0.25, bucket, waits: bounds.waits };
        Self { bounds, state: Mutex::new(state), room: Condvar::new(), full: Arc::new(Notify::new()), counts }
    }

    /// Takes in a line; the oldest make room, unless it is told to wait.
    pub(super) fn push(&self, line: Bytes) {
        let mut state = self.state.lock();
        if !self.passes(&mut state) {
            self.counts.dropped("rate");
            return;
        }
        if line.len() > self.bounds.bytes {
            self.counts.dropped("too_large");
            return;
        }
        while state.waits && self.is_full(&state, line.len()) {
            self.room.wait(&mut state);
        }
        while self.is_full(&state, line.len())
            && let Some((_, oldest)) = state.lines.pop_front()
        {
            state.bytes -= oldest.len();
            self.counts.dropped("buffer");
        }
        state.bytes += line.len();
        let number = state.next;
        state.next += 1;
        state.lines.push_back((number, line));
        self.full.notify_one();
    }

    fn is_full(&self, state: &State, more: usize) -> bool {
        state.lines.len() >= self.bounds.events || state.bytes + more > self.bounds.bytes
    }

    fn passes(&self, state: &mut State) -> bool {
        let Some(rate) = self.bounds.per_second else { return true };
        let now = Instant::now();
        let bucket = &mut state.bucket;
        bucket.level = (bucket.level + now.duration_since(bucket.at).as_secs_f64() * rate).min(rate.max(1.0));
        bucket.at = now;
        let passes = bucket.level >= 1.0;
        if passes {
            bucket.level -= 1.0;
        }
        passes
    }

    pub(super) fn len(&self) -> usize {
        self.state.lock().lines.len()
    }

    /// Nobody waits any more: the process ends.
    pub(super) fn open_wide(&self) {
        self.state.lock().waits = false;
        self.room.notify_all();
    }
}

impl Batches for Buffer {
    fn oldest(&self, limit: usize) -> Option<(Bytes, Vec<u64>)> {
        loop {
            let (lines, ratio): (Vec<_>, f64) = {
                let state = self.state.lock();
                let wanted = (limit as f64 / state.ratio.max(0.001)).max(1.0);
                let mut sum = 0.0;
                let fits = |line: &&(u64, Bytes)| {
                    sum += line.1.len() as f64;
                    sum <= wanted
                };
                let mut lines: Vec<_> = state.lines.iter().take_while(fits).cloned().collect();
                if lines.is_empty() {
                    lines.extend(state.lines.front().cloned());
                }
                (lines, state.ratio)
            };
            let first = lines.first()?.0;
            let plain: usize = lines.iter().map(|(_, line)| line.len()).sum();
            let batch = gzip(lines.iter().map(|(_, line)| line))?;
            let fits = batch.len() <= limit;
            {
                let mut state = self.state.lock();
                // What did not fit is tried with fewer lines, and in the end with one.
                state.ratio = if fits {
                    batch.len() as f64 / plain.max(1) as f64
                } else {
                    ratio.max(batch.len() as f64 / plain.max(1) as f64) * 2.0
                };
            }
            if fits {
                return Some((batch.into(), lines.into_iter().map(|(number, _)| number).collect()));
            }
            if lines.len() == 1 {
                tracing::error!(bytes = batch.len(), limit, "a decision is larger than a batch may be and is not sent");
                self.counts.dropped("too_large");
                self.arrived(&[first]);
            }
        }
    }

    fn arrived(&self, events: &[u64]) {
        let mut state = self.state.lock();
        // Some may have been pushed out meanwhile.
        while let Some((number, line)) = state.lines.front()
            && events.last().is_some_and(|last| number <= last)
        {
            let size = line.len();
            state.bytes -= size;
            state.lines.pop_front();
        }
        drop(state);
        self.room.notify_all();
    }

    fn full(&self) -> Arc<Notify> {
        Arc::clone(&self.full)
    }

    fn counts(&self) -> &Counts {
        &self.counts
    }
}

/// A gzipped JSON array; in memory it cannot fail.
fn gzip<'a>(lines: impl Iterator<Item = &'a Bytes>) -> Option<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    for (at, line) in lines.enumerate() {
        out.write_all(if at == 0 { b"[" } else { b"," }).ok()?;
        out.write_all(line).ok()?;
    }
    out.write_all(b"]").ok()?;
    out.finish().ok()
}
