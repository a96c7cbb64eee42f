//! Which steps of an evaluation are shown: OPA's `--explain`.

use clap::ValueEnum;

use crate::rego::trace::{Explain, Form, Steps};

/// More than anybody reads, on a developer's own machine.
const MOST: usize = 10_000_000;
/// What they take.
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

/// The steps of an evaluation that a developer asks for.
pub(super) fn steps(explain: impl Into<Explain>, form: Form) -> Steps {
    Steps { explain: explain.into(), form, most: MOST, bytes: BYTES }
}
