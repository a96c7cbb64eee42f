//! What tests cover.

use std::sync::Arc;

use plimsoll_rego::program;
use plimsoll_rego::testing::coverage::Coverage;
pub use plimsoll_rego::testing::coverage::Report;

use super::Program;

/// Coverage of one or more programs, as lines of their files.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    pub(super) coverage: Coverage,
    program: Option<Arc<program::Program>>,
}

impl Lines {
    /// Coverage whose program is not known yet.
    pub(super) fn covered(coverage: Coverage) -> Self {
        Self { coverage, program: None }
    }

    /// Coverage of `program`.
    pub(super) fn covered_in(coverage: Coverage, program: &Arc<program::Program>) -> Self {
        Self { coverage, program: Some(program.clone()) }
    }

    /// Takes in other lines.
    pub fn extend(&mut self, other: Self) {
        self.coverage.extend(other.coverage);
    }

    /// Returns what is covered and what is not, by rows and columns; nothing without a program.
    pub fn report(&self) -> Report {
        self.program.as_ref().map(|program| self.coverage.report(program)).unwrap_or_default()
    }
}

impl Program {
    /// Its lines, of which nothing is covered yet.
    pub fn lines(&self) -> Lines {
        Lines { coverage: Coverage::default(), program: Some(self.tested().clone()) }
    }
}
