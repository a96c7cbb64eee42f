//! The same tests on another implementation of Rego.

use plimsoll_second_opinion as regorus;
pub use plimsoll_second_opinion::Opinion;

use super::testing::{Run, Test, Verdict};
use super::{Limits, Prepared};

/// A program with its data on regorus, as it comes.
#[derive(Debug)]
pub struct SecondOpinion(regorus::SecondOpinion);

impl Prepared {
    /// Fails with what regorus refuses, each with its place.
    pub fn second_opinion(&self, limits: &Limits) -> Result<SecondOpinion, Vec<String>> {
        let program = self.program().tested();
        regorus::SecondOpinion::new(program, self.bound.data(), limits.time).map(SecondOpinion)
    }
}

impl SecondOpinion {
    /// Returns the result of regorus for a test that has run here.
    pub fn of(&self, test: &Test, run: &Run) -> Opinion {
        let passed = match run.verdict {
            Verdict::Pass => Some(true),
            Verdict::Fail => Some(false),
            Verdict::Error(_) | Verdict::Skip => None,
        };
        self.0.of(&test.test, passed, &run.cases)
    }
}
