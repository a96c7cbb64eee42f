//! `trace` (OPA: `v1/topdown/trace.go`), and who hears it: what an evaluation says of itself for `explain=notes`.

use std::cell::RefCell;
use std::sync::Arc;

use parking_lot::Mutex;
use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};

/// More than anybody reads.
const MOST: usize = 10_000;
/// Bytes of all messages.
const LARGEST: usize = 1 << 20;

pub(super) const BUILTINS: &[Builtin] = &[Builtin { name: "trace", operands: 1, call: trace }];

thread_local! {
    // An extension does not learn which evaluation calls it; an evaluation stays on one thread.
    static HEARD: RefCell<Option<Notes>> = const { RefCell::new(None) };
}

/// The messages of `trace(…)`, in the order of evaluation. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// What was said so far.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }

    fn add(&self, message: &str) {
        let mut notes = self.0.lock();
        let bytes: usize = notes.iter().map(String::len).sum::<usize>().saturating_add(message.len());
        if notes.len() < MOST && bytes <= LARGEST {
            notes.push(message.to_owned());
        }
    }
}

/// Runs an evaluation on this thread, whose notes are heard if there are ears.
pub(in crate::rego) fn heard<T>(notes: Option<&Notes>, evaluation: impl FnOnce() -> T) -> T {
    let _restored = Restore(HEARD.replace(notes.cloned()));
    evaluation()
}

/// Puts back what was, also after a panic.
struct Restore(Option<Notes>);

impl Drop for Restore {
    fn drop(&mut self) {
        HEARD.replace(self.0.take());
    }
}

fn trace(values: &[Value]) -> Result<Value, BuiltinError> {
    let message = operand::string(values, 1)?;
    HEARD.with_borrow(|heard| heard.iter().for_each(|notes| notes.add(message)));
    Ok(true.into())
}
