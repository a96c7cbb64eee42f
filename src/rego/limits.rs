//! What one evaluation may cost, and how it can fail.

use std::time::Duration;

use plimsoll_rego::eval::{EvalCode, EvalError as Failure};
use plimsoll_rego::limits::{self, Halt};
use plimsoll_rego::syntax::source::Sources;

pub(super) mod compiling;

/// Bytes of all values that one evaluation makes, one after another: what is in use at a time is bounded for the process.
const MEMORY: u64 = 64 << 30;

/// Limits of one evaluation, and how it is done.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Duration,
    /// Bytes of the encoded answer.
    pub output: usize,
    /// Errors of builtins end the evaluation instead of being undefined, as with OPA's `strict-builtin-errors`.
    pub strict_builtin_errors: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(2), output: 8 << 20, strict_builtin_errors: false }
    }
}

impl Limits {
    pub(super) fn of_evaluation(&self) -> limits::Limits {
        limits::Limits { time: self.time, memory: MEMORY, ..limits::Limits::default() }
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
        /// The evaluator's message with location.
        message: String,
    },
}

impl EvalError {
    /// Returns the error of the document `document` for an error of the evaluator.
    pub(super) fn of(document: &str, error: Failure, sources: &Sources) -> Self {
        let document = document.to_owned();
        let location = error.span.map(|span| sources.location(span).to_string()).unwrap_or_default();
        // A query has no name.
        let shown = location.strip_prefix(':').unwrap_or(&location);
        let place = if shown.is_empty() { String::new() } else { format!("{shown}: ") };
        if let Some(halt) = error.halt {
            return Self::Limit { document, limit: format!("{place}{}", limit(halt)) };
        }
        match error.code {
            EvalCode::Conflict => Self::Conflict { location, message: error.message },
            EvalCode::Builtin | EvalCode::Type => Self::Builtin { code: error.code.as_str(), location, message: error.message },
            EvalCode::Cancelled | EvalCode::WithMerge | EvalCode::Internal => {
                Self::Failed { document, message: format!("{place}{}: {}", error.code.as_str(), error.message) }
            }
        }
    }
}

fn limit(halt: Halt) -> String {
    match halt {
        Halt::Time(time) => format!("the time limit of {time:?}"),
        Halt::Steps(steps) => format!("the limit of {steps} steps"),
        Halt::Memory(bytes) | Halt::Process(bytes) => format!("the memory limit of {bytes} bytes"),
        Halt::Depth(levels) => format!("the limit of {levels} levels"),
        Halt::Cancelled => "the patience of whoever asked".to_owned(),
    }
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

/// Bounds the memory of the whole process: evaluation that would go beyond `bytes` ends in [`EvalError::Limit`].
/// `None` lifts the bound. For `main` to call once; it holds for every evaluation in the process.
pub fn install_memory_limit(bytes: Option<u64>) {
    limits::bound_process(bytes, || {
        regorus_mimalloc::limits::flush_thread_counters();
        regorus_mimalloc::allocation_stats_snapshot().0.allocated
    });
}
