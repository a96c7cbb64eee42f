//! Between decisions and the worker: bounded, in order.

use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::Entry;

/// Lines that may wait for the worker.
const LENGTH: usize = 8192;
/// Bytes of their inputs.
const BYTES: usize = 64 << 20;

/// An entry on its way.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) entry: Entry,
    pub(super) request: u64,
    pub(super) at: String,
    /// Told whether the line was taken, if somebody waits for that.
    pub(super) taken: Option<SyncSender<bool>>,
}

/// First in, first out.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    news: Condvar,
    room: Condvar,
}

#[derive(Debug, Default)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    closed: bool,
}

impl Item {
    fn size(&self) -> usize {
        self.entry.input.as_ref().map_or(0, bytes::Bytes::len)
    }
}

impl Queue {
    /// Says whether there was room, at the latest after `patience`.
    pub(super) fn push(&self, item: Item, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.state.lock();
        while !state.closed && (state.items.len() >= LENGTH || state.bytes >= BYTES) {
            if patience.is_zero() || self.room.wait_until(&mut state, deadline).timed_out() {
                return false;
            }
        }
        if state.closed {
            return false;
        }
        state.bytes += item.size();
        state.items.push_back(item);
        self.news.notify_one();
        true
    }

    /// The next one, waiting for it; nothing after the last of a closed queue.
    pub(super) fn pop(&self) -> Option<Item> {
        let mut state = self.state.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                state.bytes -= item.size();
                self.room.notify_one();
                return Some(item);
            }
            if state.closed {
                return None;
            }
            self.news.wait(&mut state);
        }
    }

    /// Takes no more, and lets go of what waits; returns how many that are.
    pub(super) fn abandon(&self) -> u64 {
        self.close();
        let items = std::mem::take(&mut self.state.lock().items);
        items.len() as u64
    }

    pub(super) fn len(&self) -> usize {
        self.state.lock().items.len()
    }

    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.news.notify_all();
        self.room.notify_all();
    }
}
