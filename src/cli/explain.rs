//! Which steps of an evaluation are recorded for OPA's `--explain`.

use clap::ValueEnum;

use crate::rego::trace::{Explain, Form, Steps};

/// The most steps that are recorded: more than anybody reads.
const MOST: usize = 10_000_000;
/// The most bytes that they take.
const BYTES: usize = 1 << 30;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Expressions without a solution, and what led there.
    Fails,
    /// Every step but unification.
    Full,
    /// What policies say with `trace`, and what led there.
    Notes,
    /// Every step.
    Debug,
}

impl From<Mode> for Explain {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Fails => Self::Fails,
            Mode::Full => Self::Full,
            Mode::Notes => Self::Notes,
            Mode::Debug => Self::Debug,
        }
    }
}

/// Returns which steps the evaluation records, and how many at most, for a command on a developer's own machine.
pub(super) fn steps(explain: impl Into<Explain>, form: Form) -> Steps {
    Steps { explain: explain.into(), form, most: MOST, bytes: BYTES }
}
