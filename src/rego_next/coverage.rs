//! Which lines of policies were evaluated. (To be written on the crate's coverage.)

use std::collections::{BTreeMap, BTreeSet};

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
}

impl Program {
    /// Every line with something to evaluate.
    pub fn lines(&self) -> Lines {
        Lines::default()
    }
}
