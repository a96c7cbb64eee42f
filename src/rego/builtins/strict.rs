//! Whether errors of functions end the evaluation on this thread (`strict-builtin-errors`), or make the call undefined.

use std::cell::Cell;

use super::random;

thread_local! {
    // An extension cannot be replaced, nor does it learn which evaluation calls it; an evaluation stays on one thread.
    static STRICT: Cell<bool> = const { Cell::new(false) };
}

/// Whether errors end the evaluation.
pub(in crate::rego) fn is_strict() -> bool {
    STRICT.get()
}

/// Runs an evaluation on this thread, whose errors of our functions end it if `strict`.
pub(in crate::rego) fn strictly<T>(strict: bool, evaluation: impl FnOnce() -> T) -> T {
    let _restored = Restore(STRICT.replace(strict));
    random::renew();
    evaluation()
}

/// Puts back what was, also after a panic.
struct Restore(bool);

impl Drop for Restore {
    fn drop(&mut self) {
        STRICT.set(self.0);
    }
}
