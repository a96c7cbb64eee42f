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

/// Bounds the memory of the whole process: parsing and evaluation that would go beyond `bytes` end in [`EvalError::Limit`].
/// `None` lifts the bound. For `main` to call once; it holds for every evaluation in the process.
pub fn install_memory_limit(bytes: Option<u64>) {
    regorus::set_global_memory_limit(bytes);
}
