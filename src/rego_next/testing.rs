//! Policy tests as `opa test` runs them. (To be written on the crate's tester.)

use std::collections::BTreeMap;

use plimsoll_contract::policy::Location;
use serde::Serialize;

use super::coverage::Lines;
use super::{EvalError, Limits, Prepared, Program, Value};

/// Cases by key.
pub type Cases = BTreeMap<String, Case>;

/// What came of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Its key; empty for one without a verdict.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// It is not true, or a case of its own is not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fail: bool,
    /// The cases below it.
    #[serde(rename = "sub_results", skip_serializing_if = "Cases::is_empty")]
    pub cases: Cases,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Names of the package, below `data`.
    pub package: Vec<String>,
    /// The rule's path, up to the name of the test.
    pub name: String,
    /// Where it stands.
    pub location: Location,
    /// Named `todo_test_*`: not run.
    pub todo: bool,
}

/// What came of a test.
#[derive(Debug)]
pub enum Verdict {
    /// The rule is true.
    Pass,
    /// The rule is undefined, or anything but true.
    Fail,
    /// It could not be evaluated.
    Error(EvalError),
    /// Named `todo_test_*`.
    Skip,
}

/// A test that has run.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub verdict: Verdict,
    /// Its cases by key, if it has any.
    pub cases: Cases,
    /// What it printed.
    pub prints: Vec<String>,
    /// The lines that it evaluated, if that was asked for.
    pub covered: Lines,
}

impl std::fmt::Display for Test {
    /// `data.package.test_name`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "data.{}.{}", self.package.join("."), self.name)
    }
}

impl Program {
    /// All tests, in the order of modules and lines.
    pub fn tests(&self) -> Vec<Test> {
        Vec::new()
    }
}

impl Prepared {
    /// Runs one of [`Program::tests`] of this program.
    pub fn run_test(&self, _: &Test, _: Option<&Value>, _: &Limits) -> Run {
        Run { verdict: Verdict::Skip, cases: Cases::new(), prints: Vec::new(), covered: Lines::default() }
    }

    /// The same, with the lines that it evaluated.
    pub fn cover_test(&self, test: &Test, input: Option<&Value>, limits: &Limits) -> Run {
        self.run_test(test, input, limits)
    }
}
