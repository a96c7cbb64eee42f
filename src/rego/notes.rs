//! What an evaluation says of itself with `trace(…)`.

use std::sync::Arc;

use parking_lot::Mutex;

/// More than anybody reads.
const MOST: usize = 10_000;
/// Bytes of all messages.
const LARGEST: usize = 1 << 20;

/// The messages of `trace(…)`, in the order of evaluation. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// What was said so far.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }

    pub(super) fn add(&self, message: String) {
        let mut notes = self.0.lock();
        let bytes: usize = notes.iter().map(String::len).sum::<usize>().saturating_add(message.len());
        if notes.len() < MOST && bytes <= LARGEST {
            notes.push(message);
        }
    }
}
