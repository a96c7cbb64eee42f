//! Runs one test (opa `v1/tester/runner.go`, `runTest`).

use std::sync::Arc;

use parking_lot::Mutex;
use plimsoll_contract::policy::Location;
use serde::Serialize;

use super::cases::{self, Cases};
use super::coverage::Coverage;
use super::test::{Shape, Test};
use crate::eval::{Arena, EvalError, Observe, PrintHook, Seen};
use crate::program::{Asked, Bound, Request};
use crate::syntax::source::Sources;
use crate::syntax::span::Span;
use crate::value::Value;

/// What came of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The rule is true; with cases: none has failed.
    Pass,
    /// The rule is undefined, or anything but true; with cases: one has failed.
    Fail,
    /// It could not be evaluated.
    Error(TestError),
    /// Named `todo_test_*`.
    Skip,
}

/// Why a test could not be evaluated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestError {
    /// OPA's code, such as `eval_conflict_error`.
    pub code: &'static str,
    /// OPA's words.
    pub message: String,
    /// Where, if it has a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// What the evaluation ended with, if there was one.
    #[serde(skip)]
    pub cause: Option<EvalError>,
}

/// What a test printed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Where `print` stands.
    pub location: Location,
    /// One line.
    pub text: String,
}

/// A test that has run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// How it ended.
    pub verdict: Verdict,
    /// Its cases by key, if it has any.
    pub cases: Cases,
    /// What it printed.
    pub prints: Vec<Printed>,
}

/// Runs one of [`super::tests`] of the program. What the request says of prints does not count.
pub fn run_test(bound: &Bound, test: &Test, request: &Request<'_>) -> Run {
    run(bound, test, request, None)
}

/// The same, and what is evaluated counts as covered.
pub(super) fn run(bound: &Bound, test: &Test, request: &Request<'_>, coverage: Option<&mut Coverage>) -> Run {
    if test.todo {
        return Run::without_prints(Verdict::Skip);
    }
    if test.shape == Shape::Function {
        return Run::without_prints(Verdict::Error(TestError::function(test)));
    }
    let (hook, prints) = printer();
    let request = Request { print: Some(hook), ..request.clone() };
    let (value, seen) = evaluate(bound, test, &request, coverage);
    let (verdict, cases) = match value {
        Err(error) => (Verdict::Error(TestError::of(error, bound.program().sources())), Cases::new()),
        Ok(value) => judge(test, value.as_ref(), &seen),
    };
    let prints = std::mem::take(&mut *prints.lock());
    let printed = |(span, text)| Printed { location: bound.program().sources().location(span), text };
    Run { verdict, cases, prints: prints.into_iter().map(printed).collect() }
}

type Answer = Result<Option<Value>, EvalError>;

fn evaluate(bound: &Bound, test: &Test, request: &Request<'_>, coverage: Option<&mut Coverage>) -> (Answer, Seen) {
    let observe = Observe { test_cases: test.shape == Shape::Cases, coverage: false };
    match coverage {
        Some(coverage) => coverage.document(bound, &test.path, request, observe),
        None => {
            let arena = Arena::new();
            let options = crate::eval::Options { observe, ..request.options() };
            let mut evaluation = bound.evaluation(&arena, request, options);
            (evaluation.document(&test.path), evaluation.take_seen())
        }
    }
}

fn judge(test: &Test, value: Option<&Value>, seen: &Seen) -> (Verdict, Cases) {
    let (fail, cases) = match (test.shape, value) {
        (_, None) => (true, Cases::new()),
        (Shape::Cases, Some(value)) => cases::of(value, &seen.test_cases),
        (_, Some(value)) => (*value != Value::True, Cases::new()),
    };
    (if fail { Verdict::Fail } else { Verdict::Pass }, cases)
}

type Lines = Arc<Mutex<Vec<(Span, String)>>>;

/// Who hears what is printed, and what was heard.
fn printer() -> (PrintHook, Lines) {
    let lines = Lines::default();
    let heard = lines.clone();
    (Arc::new(Mutex::new(move |span, text| heard.lock().push((span, text)))), lines)
}

impl Verdict {
    /// The error of the evaluation, if it ended in one.
    pub fn cause(&self) -> Option<&EvalError> {
        if let Self::Error(error) = self { error.cause.as_ref() } else { None }
    }

    /// Whether the test has passed; `None` if it could not be evaluated, or was not.
    pub fn passed(&self) -> Option<bool> {
        match self {
            Self::Pass => Some(true),
            Self::Fail => Some(false),
            Self::Error(_) | Self::Skip => None,
        }
    }
}

impl Run {
    fn without_prints(verdict: Verdict) -> Self {
        Self { verdict, cases: Cases::new(), prints: Vec::new() }
    }
}

impl TestError {
    fn of(error: EvalError, sources: &Sources) -> Self {
        let location = error.span.map(|span| sources.location(span));
        Self { code: error.code.as_str(), message: error.message.clone(), location, cause: Some(error) }
    }

    /// OPA asks for the rule's document, and a function has none.
    fn function(test: &Test) -> Self {
        Self {
            code: "rego_type_error",
            message: format!("function {} used as reference, not called", Asked::document(&test.path).text),
            location: Some(Location { file: String::new(), row: 1, col: 1 }),
            cause: None,
        }
    }
}
