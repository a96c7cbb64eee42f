//! What an evaluation says of itself with `trace(…)`.

use std::sync::Arc;

use parking_lot::Mutex;

/// The messages of `trace(…)`, in the order of evaluation. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// What was said so far.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }
}
