//! Policy tests as `opa test` runs them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_contract::policy::Location;
use plimsoll_rego::compile::Options;
use plimsoll_rego::program::{self, Request, Text};
use plimsoll_rego::testing::coverage::Coverage;
use plimsoll_rego::testing::{self, Printed, TestError};
pub use plimsoll_rego::testing::{Case, Cases};

use super::coverage::Lines;
use super::limits::compiling::{self, Cores};
use super::prepared::{guarded, request};
use super::trace::StackFrame;
use super::{EvalError, Limits, Prepared, Program, Value};

/// One test: a rule with a name that begins with `test_` or `todo_test_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Its package as a reference: `data.a`.
    pub package: String,
    /// The rule's path, up to the name of the test; further rules of one path are `name#01`, `name#02`, as in OPA.
    pub name: String,
    /// Where it stands.
    pub location: Location,
    /// Named `todo_test_*`: not run.
    pub todo: bool,
    pub(super) test: testing::Test,
}

/// The result of a test.
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
    /// The queries that were evaluated when it ended in an error, the innermost first.
    pub stack: Vec<StackFrame>,
    /// How long it took, without what finds those.
    pub took: Duration,
}

impl std::fmt::Display for Test {
    /// `data.package.test_name`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.test.fmt(f)
    }
}

impl Program {
    /// All tests, in the order of modules and lines.
    pub fn tests(&self) -> Vec<Test> {
        testing::tests(self.tested()).into_iter().map(Test::from).collect()
    }

    /// The set with the stages that tests have more, if they make a difference. It was compiled without them, so it can be with them.
    pub(super) fn tested(&self) -> &Arc<program::Program> {
        self.tested.get_or_init(|| {
            let plain = self.program.clone();
            if !testing::needs_stages(&plain) {
                return plain;
            }
            let modules = plain.compiled().modules.iter();
            let texts = modules.filter_map(|module| {
                let source = plain.sources().get(module.source)?;
                Some(Text { name: source.name.to_string(), text: source.text.to_string(), version: Some(module.version) })
            });
            let options = testing::compile_options(Options::default());
            compiling::timed(&texts.collect::<Vec<_>>(), options, Cores::All).map_or(plain.clone(), Arc::new)
        })
    }
}

impl Prepared {
    /// Runs one of [`Program::tests`] of this program. Panics inside are caught.
    pub fn run_test(&self, test: &Test, input: Option<&Value>, limits: &Limits) -> Run {
        self.run(test, &request(input, limits), |bound, request| {
            (testing::run_test(bound, &test.test, request), Lines::default())
        })
    }

    /// Runs a test, and records the lines that it evaluated.
    pub fn cover_test(&self, test: &Test, input: Option<&Value>, limits: &Limits) -> Run {
        self.run(test, &request(input, limits), |bound, request| {
            let mut coverage = Coverage::default();
            let run = coverage.run_test(bound, &test.test, request);
            (run, Lines::covered(coverage))
        })
    }

    fn run(
        &self,
        test: &Test,
        request: &Request<'_>,
        run: impl FnOnce(&program::Bound, &Request<'_>) -> (testing::Run, Lines),
    ) -> Run {
        let program = self.program().tested();
        let bound = program.bind(self.bound.data().clone());
        let name = test.to_string();
        let began = Instant::now();
        let ran = guarded(&name, || {
            let (run, covered) = run(&bound, request);
            let took = began.elapsed();
            let stack = run.verdict.cause().map(|error| testing::stack_of_test(&bound, &test.test, request, error));
            Ok((run, covered, stack.unwrap_or_default(), took))
        });
        match ran {
            Err(error) => {
                let (cases, prints, covered, stack) = Default::default();
                Run { verdict: Verdict::Error(error), cases, prints, covered, stack, took: began.elapsed() }
            }
            Ok((run, covered, stack, took)) => {
                let prints = run.prints.into_iter().map(placed).collect();
                Run { verdict: Verdict::of(&name, run.verdict, program), cases: run.cases, prints, covered, stack, took }
            }
        }
    }
}

/// Its place, and what was printed there.
fn placed(Printed { location, text }: Printed) -> String {
    format!("{}:{}: {text}", location.file, location.row)
}

impl From<testing::Test> for Test {
    fn from(test: testing::Test) -> Self {
        Self { package: test.package.clone(), name: test.name.clone(), location: test.location.clone(), todo: test.todo, test }
    }
}

impl Verdict {
    fn of(test: &str, verdict: testing::Verdict, program: &program::Program) -> Self {
        match verdict {
            testing::Verdict::Pass => Self::Pass,
            testing::Verdict::Fail => Self::Fail,
            testing::Verdict::Skip => Self::Skip,
            testing::Verdict::Error(TestError { cause: Some(cause), .. }) => {
                Self::Error(EvalError::of(test, cause, program.sources()))
            }
            // OPA's query for the test has one line.
            testing::Verdict::Error(TestError { code, message, .. }) => {
                Self::Error(EvalError::Builtin { code, location: "1:1".to_owned(), message })
            }
        }
    }
}
