//! How much of trees was gone through: what tests measure, where a clock would depend on the machine.

use std::cell::Cell;

thread_local! {
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

/// One node was visited. Counts in builds with debug assertions only; elsewhere it costs nothing.
#[inline]
pub(crate) fn one() {
    if cfg!(debug_assertions) {
        TAKEN.with(|taken| taken.set(taken.get().saturating_add(1)));
    }
}

/// How many nodes this thread has visited since it began.
pub fn taken() -> u64 {
    TAKEN.with(Cell::get)
}
