//! Lines that wait for their upload: bounded, oldest dropped first, sent in order.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use super::batch::gzip;
use super::bucket::Bucket;
use super::counts::Sink;
use super::{Batches, Bounds, Counts, WhenFull};

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
    /// The last of those that are being sent.
    sending: Option<u64>,
    /// Of those, so many made room for others meanwhile.
    gone: u64,
}

impl Buffer {
    pub(super) fn new(bounds: Bounds, counts: Counts) -> Self {
        let bucket = Bucket::new(bounds.per_second);
        let state = State {
            lines: VecDeque::new(),
            next: 0,
            bytes: 0,
            ratio: 0.25,
            bucket,
            waits: bounds.when_full == WhenFull::Wait,
            sending: None,
            gone: 0,
        };
        Self { bounds, state: Mutex::new(state), room: Condvar::new(), full: Arc::new(Notify::new()), counts }
    }

    /// Takes in a line; the oldest make room, unless it is told otherwise. Says whether it was taken, or is not wanted.
    pub(super) fn push(&self, line: Bytes) -> bool {
        let too_large = line.len() > self.bounds.bytes || self.is_never_sent(&line);
        let mut state = self.state.lock();
        if !state.bucket.passes(self.bounds.per_second) {
            self.counts.dropped("rate");
            return true;
        }
        if too_large {
            self.counts.dropped("too_large");
            return false;
        }
        while state.waits && self.is_full(&state, line.len()) {
            self.room.wait(&mut state);
        }
        if self.bounds.when_full == WhenFull::Fail && self.is_full(&state, line.len()) {
            self.counts.dropped("buffer");
            return false;
        }
        self.make_room(&mut state, line.len());
        state.bytes += line.len();
        let number = state.next;
        state.next += 1;
        state.lines.push_back((number, line));
        self.full.notify_one();
        true
    }

    fn make_room(&self, state: &mut State, more: usize) {
        while self.is_full(state, more)
            && let Some((number, oldest)) = state.lines.pop_front()
        {
            state.bytes -= oldest.len();
            if state.sending.is_some_and(|last| number <= last) {
                state.gone += 1;
            } else {
                self.counts.dropped("buffer");
            }
        }
    }

    /// Where a decision fails with its line, this must be known now, not when the line's turn comes.
    fn is_never_sent(&self, line: &Bytes) -> bool {
        // What does not shrink grows by a header.
        let may_be = self.bounds.when_full == WhenFull::Fail && line.len() + 64 > self.bounds.batch;
        may_be && gzip(std::iter::once(line)).is_none_or(|batch| batch.len() > self.bounds.batch)
    }

    /// Counts a batch that made room while it was being sent, and did not arrive, as dropped.
    fn give_up(&self, state: &mut State) {
        self.counts.dropped_some("buffer", std::mem::take(&mut state.gone));
        state.sending = None;
    }

    /// Takes away what has been dealt with.
    fn remove(&self, last: Option<u64>) {
        let mut state = self.state.lock();
        // Some may have been pushed out meanwhile.
        while let Some((number, line)) = state.lines.front()
            && last.is_some_and(|last| *number <= last)
        {
            let size = line.len();
            state.bytes -= size;
            state.lines.pop_front();
        }
        (state.gone, state.sending) = (0, None);
        drop(state);
        self.room.notify_all();
    }

    fn is_full(&self, state: &State, more: usize) -> bool {
        state.lines.len() >= self.bounds.events || state.bytes + more > self.bounds.bytes
    }

    #[cfg(test)]
    pub(super) fn lines(&self) -> Vec<Bytes> {
        self.state.lock().lines.iter().map(|(_, line)| line.clone()).collect()
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
                let mut state = self.state.lock();
                self.give_up(&mut state);
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
                state.sending = lines.last().map(|(number, _)| *number);
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
                self.remove(Some(first));
            }
        }
    }

    fn arrived(&self, events: &[u64]) {
        self.counts.written(Sink::Upload, events.len());
        self.remove(events.last().copied());
    }

    fn refused(&self) {
        self.give_up(&mut self.state.lock());
    }

    fn abandon(&self) -> u64 {
        let mut state = self.state.lock();
        self.give_up(&mut state);
        state.bytes = 0;
        let left = std::mem::take(&mut state.lines).len() as u64;
        self.counts.dropped_some("end", left);
        left
    }

    fn full(&self) -> Arc<Notify> {
        Arc::clone(&self.full)
    }

    fn counts(&self) -> &Counts {
        &self.counts
    }
}
