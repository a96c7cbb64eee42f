//! Which lines of policies were evaluated.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_rego::program;
use plimsoll_rego::testing::coverage::Coverage;

use super::Program;

/// Lines by module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(pub BTreeMap<String, BTreeSet<u32>>);

impl Lines {
    /// Takes in other lines.
    pub fn extend(&mut self, other: Self) {
        for (module, lines) in other.0 {
            self.0.entry(module).or_default().extend(lines);
        }
    }

    /// What was covered.
    pub(super) fn covered(coverage: &Coverage, program: &program::Program) -> Self {
        let files = coverage.report(program).files.into_iter();
        Self(files.map(|(name, file)| (name, file.covered_rows().collect())).collect())
    }
}

impl Program {
    /// Every line with something to evaluate.
    pub fn lines(&self) -> Lines {
        let files = Coverage::default().report(&self.program).files.into_iter();
        let rows = |spans: Vec<(u32, u32)>| spans.into_iter().flat_map(|(first, last)| first..=last).collect();
        Lines(files.map(|(name, file)| (name, rows(file.missed_rows()))).collect())
    }
}
