//! What one evaluation may cost, and how it can fail.

use std::time::Duration;

use super::Notes;

pub(super) mod compiling;

pub use compiling::{CompileLimits, compiling};

/// Limits of one evaluation, and how it is done.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Duration,
    /// Bytes of the encoded answer.
    pub output: usize,
    /// Errors of builtins end the evaluation instead of being undefined, as with OPA's `strict-builtin-errors`.
    pub strict_builtin_errors: bool,
    /// Hears the messages of `trace(…)`.
    pub notes: Option<Notes>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(2), output: 8 << 20, strict_builtin_errors: false, notes: None }
    }
}

/// Why an evaluation gave no answer. `Display` is one sentence that names the document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// Two definitions gave different values.
    #[error("{location}: eval_conflict_error: {message}")]
    Conflict {
        /// `file:row:col`, or empty.
        location: String,
        /// OPA's wording.
        message: String,
    },
    /// A builtin failed, and errors of builtins are strict.
    #[error("{location}: {code}: {message}")]
    Builtin {
        /// OPA's: `eval_builtin_error`, or `eval_type_error` for an operand of the wrong type.
        code: &'static str,
        /// `file:row:col`, or empty.
        location: String,
        /// Which builtin, and what is wrong.
        message: String,
    },
    /// A time, memory, depth or output limit.
    #[error("evaluation of `{document}` stopped: {limit} exceeded")]
    Limit {
        /// The document asked for.
        document: String,
        /// Which limit, with its value.
        limit: String,
    },
    /// Anything else.
    #[error("evaluation of `{document}` failed: {message}")]
    Failed {
        /// The document asked for.
        document: String,
        /// The interpreter's message with location.
        message: String,
    },
}

/// Counts what this thread allocates and frees to its very end; to be called when it starts. The allocator counts by thread, and tells
/// the process's count now and then: what a thread has not told when it ends would be wrong for ever, and with it the limit.
pub fn count_to_the_end() {
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            regorus_mimalloc::limits::flush_thread_counters();
        }
    }
    // Destructors of a thread run in the reverse order of their registration: those of its other values come before this one.
    thread_local!(static END: End = const { End });
    END.with(|_| ());
}

/// Bounds the memory of the whole process: parsing and evaluation that would go beyond `bytes` end in [`EvalError::Limit`].
/// `None` lifts the bound. For `main` to call once; it holds for every evaluation in the process.
pub fn install_memory_limit(bytes: Option<u64>) {
    regorus::set_global_memory_limit(bytes);
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    const SIZE: usize = 100 << 10;
    const THREADS: usize = 4_000;

    /// Lost, these would be 400 MB.
    #[test]
    fn what_a_thread_frees_at_its_end_is_counted() {
        thread_local!(static KEPT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        let in_use = || regorus_mimalloc::allocation_stats_snapshot().0.allocated;
        let before = in_use();
        for _ in 0..THREADS {
            let thread = std::thread::spawn(|| {
                count_to_the_end();
                KEPT.with_borrow_mut(|kept| kept.resize(SIZE, 1));
                // As when a worker is asked how much there is.
                regorus_mimalloc::limits::flush_thread_counters();
            });
            thread.join().unwrap();
        }
        // Other tests allocate meanwhile.
        let grown = in_use().saturating_sub(before);
        assert!(grown < (THREADS * SIZE) as u64 / 2, "{grown} bytes");
    }
}
