//! Lines on their way to the thread that writes them, in the order in which their requests were completed.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

/// One line, with its end.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) text: Vec<u8>,
    /// Told once the line has been written, or could not be; dropped with a line that never will be.
    pub(super) written: Option<oneshot::Sender<()>>,
}

/// What may wait at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub(super) lines: usize,
    pub(super) bytes: usize,
}

/// Why a line is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    #[error("too much waits to be written: whoever reads the audit log is too slow, or stands still")]
    Full,
    #[error("the audit log is closed")]
    Closed,
}

/// What waits.
#[derive(Debug)]
pub(super) struct Queue {
    most: Most,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<Line>,
    bytes: usize,
    is_closed: bool,
}

impl Queue {
    /// Returns an empty queue.
    pub(super) fn new(most: Most) -> Self {
        Self { most, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Takes a line, at once. Fails when there is no room, or no more lines are taken.
    pub(super) fn push(&self, line: Line) -> Result<(), Refused> {
        let mut state = self.state.lock();
        let bytes = state.bytes.saturating_add(line.text.len());
        if state.is_closed {
            return Err(Refused::Closed);
        }
        if state.lines.len() >= self.most.lines || bytes > self.most.bytes {
            return Err(Refused::Full);
        }
        state.bytes = bytes;
        state.lines.push_back(line);
        self.changed.notify_one();
        Ok(())
    }

    /// Returns the oldest line, once there is one: blocks the thread. `None` at the end: closed, and all of it was taken.
    pub(super) fn next(&self) -> Option<Line> {
        let mut state = self.state.lock();
        loop {
            if let Some(line) = state.lines.pop_front() {
                state.bytes = state.bytes.saturating_sub(line.text.len());
                return Some(line);
            }
            if state.is_closed {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    /// Takes no more lines.
    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_one();
    }

    /// Returns how many lines still wait.
    pub(super) fn len(&self) -> usize {
        self.state.lock().lines.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line { text: text.into(), written: None }
    }

    #[test]
    fn what_waits_is_bounded_and_in_order() {
        // What may wait, what comes, and what of it is taken.
        let table =
            [((2, 100), "a b c", "a b"), ((9, 4), "aa bb c", "aa bb"), ((9, 3), "aaaa b cc d", "b cc"), ((0, 9), "a", "")];
        for ((lines, bytes), come, expected) in table {
            let queue = Queue::new(Most { lines, bytes });
            let taken: Vec<&str> = come.split(' ').filter(|text| queue.push(line(text)) == Ok(())).collect();
            assert_eq!((taken.join(" ").as_str(), queue.len()), (expected, taken.len()), "{lines} {bytes}");
        }
    }

    #[test]
    fn room_that_is_left_is_given_again_and_the_end_comes_after_the_last_line() {
        let queue = Queue::new(Most { lines: 1, bytes: 3 });
        for text in ["aaa", "bbb"] {
            queue.push(line(text)).unwrap();
            assert_eq!(queue.push(line("c")), Err(Refused::Full));
            assert_eq!(queue.next().unwrap().text, text.as_bytes());
        }
        queue.push(line("c")).unwrap();
        queue.close();
        assert_eq!(queue.push(line("d")), Err(Refused::Closed));
        assert_eq!(queue.next().unwrap().text, b"c");
        assert!(queue.next().is_none());
    }
}
