//! A program with its data: documents as OPA shows them, base and virtual merged.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use plimsoll_rego::program::{self, Bound, Definition, Request};
use plimsoll_rego::value;

use super::document::NoAnswer;
use super::{Document, EvalError, Limits, Program, Value};

/// What depends on data alone is computed before somebody asks for it if it took no longer than this before.
const AGAIN: Duration = Duration::from_millis(10);

/// What comes of one evaluation.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// `None` when it is undefined.
    pub document: Option<Document>,
    /// What METADATA labels the rules with that were found to hold, if that is wanted, in OPA's order.
    pub labels: Vec<Document>,
    /// Whether it may depend on what was evaluated before, because numbers are written in an unusual way (`1.0`): see
    /// [`plimsoll_rego::program::Evaluated`].
    pub met_unusual: bool,
}

/// A program with its data, ready to evaluate from many threads.
#[derive(Debug)]
pub struct Prepared {
    program: Arc<Program>,
    pub(super) bound: Bound,
}

impl Prepared {
    pub(super) fn new(program: Arc<Program>, data: value::Value) -> Self {
        let bound = program.program.bind(data).keeping();
        Self { program, bound }
    }

    /// Returns the same program with newer data. Answers that are kept stay, as far as nothing has changed that they were made of.
    pub(super) fn succeeding(&self, data: value::Value) -> Self {
        let bound = self.program.program.bind(data).succeeding(&self.bound);
        Self { program: self.program.clone(), bound }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The program and the data as the evaluator has them.
    pub fn parts(&self) -> (&Arc<plimsoll_rego::program::Program>, &value::Value) {
        (&self.program.program, self.bound.data())
    }

    /// The data.
    pub fn data(&self) -> Value {
        Value(self.bound.data().clone())
    }

    /// The document at `data.<path>`; `None` when undefined. Panics inside are caught.
    pub fn document(&self, path: &[String], input: Option<&Value>, limits: &Limits) -> Result<Option<Document>, EvalError> {
        self.evaluate(path, input, limits, false).map(|found| found.document)
    }

    /// Returns the same document with labels, if they are wanted, and whether it met unusual numbers. Fails where the evaluation does.
    pub fn evaluate(
        &self,
        path: &[String],
        input: Option<&Value>,
        limits: &Limits,
        labels: bool,
    ) -> Result<Evaluated, EvalError> {
        let (name, begun) = (display(path), Instant::now());
        self.prepare_again(limits);
        let found = guarded(&name, || {
            if self.program.defines(path) == Definition::Nothing && !self.program.has_package_below(path) {
                let found = walk(self.bound.data(), path).map(|value| answer(value.clone(), &name, limits));
                return Ok(Evaluated { document: found.transpose()?, ..Evaluated::default() });
            }
            let path: Vec<_> = path.iter().map(|segment| step(segment)).collect();
            let found = self.bound.evaluate(&path, &Request { labels, ..request(input, limits) });
            let program::Evaluated { document, labels, met_unusual, .. } =
                found.map_err(|error| EvalError::of(&name, error, self.program.program.sources()))?;
            let labels = labels.into_iter().map(|labels| answer(labels, &name, limits)).collect::<Result<_, _>>()?;
            let document = document.map(|value| answer(value, &name, limits)).transpose()?;
            Ok(Evaluated { document, labels, met_unusual })
        });
        self.prepare(limits.time.saturating_sub(begun.elapsed()), limits);
        found
    }

    /// Computes what is no longer known since data has changed, if that takes little time.
    fn prepare_again(&self, limits: &Limits) {
        let limits = || plimsoll_rego::limits::Limits { time: limits.time.min(AGAIN), ..limits.of_evaluation() };
        told(guarded("what depends on data alone", || {
            self.bound.prepare_again(AGAIN, limits);
            Ok(())
        }));
    }

    /// Computes what was asked for and can be kept, in the time that the request has left.
    fn prepare(&self, time: Duration, limits: &Limits) {
        let limits = || plimsoll_rego::limits::Limits { time, ..limits.of_evaluation() };
        told(guarded("what depends on data alone", || {
            self.bound.prepare_wanted(limits);
            Ok(())
        }));
    }
}

fn told(prepared: Result<(), EvalError>) {
    if let Err(error) = prepared {
        tracing::error!(%error, "what depends on data alone is not kept");
    }
}

/// Runs an evaluation so that a panic inside ends only this one.
pub(super) fn guarded<T>(document: &str, evaluation: impl FnOnce() -> Result<T, EvalError>) -> Result<T, EvalError> {
    // What the closure touches is dropped with the panic, or immutable.
    catch_unwind(AssertUnwindSafe(evaluation)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        let message = format!("the evaluator panicked: {}", said.unwrap_or("no message"));
        Err(EvalError::Failed { document: document.to_owned(), message })
    })
}

/// Returns the time that policies see, in nanoseconds since 1970.
pub fn now_ns() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns a request with this input and these limits.
pub(super) fn request<'a>(input: Option<&'a Value>, limits: &Limits) -> Request<'a> {
    Request {
        input: input.map(|input| &input.0),
        limits: limits.of_evaluation(),
        strict_builtin_errors: limits.strict_builtin_errors,
        now_ns: now_ns(),
        ..Request::default()
    }
}

/// A value for an answer.
pub(super) fn answer(value: value::Value, document: &str, limits: &Limits) -> Result<Document, EvalError> {
    let document = || document.to_owned();
    Document::new(value, limits.output).map_err(|error| match error {
        NoAnswer::Number(_) => EvalError::Failed { document: document(), message: error.to_string() },
        NoAnswer::Size(_) | NoAnswer::Depth => EvalError::Limit { document: document(), limit: error.to_string() },
    })
}

/// The name for messages.
pub(super) fn display(path: &[String]) -> String {
    std::iter::once("data").chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(".")
}

/// Returns the key that OPA takes a segment of a path for: a number if it is one, else a text.
pub(super) fn step(segment: &str) -> value::Value {
    integer(segment).map_or_else(|| segment.into(), value::Value::from)
}

/// The number that a segment of a path is for OPA: `7`, `+7`, `07` and `7.0` are one (`v1/util/performance.go`, `Atoi64`).
pub fn integer(segment: &str) -> Option<i64> {
    let digits = segment.strip_prefix(['-', '+']).unwrap_or(segment);
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !whole.bytes().all(|byte| byte.is_ascii_digit()) || !fraction.bytes().all(|byte| byte == b'0') {
        return None;
    }
    let number = if whole.is_empty() { 0 } else { whole.parse::<i64>().ok()? };
    Some(if segment.starts_with('-') { number.checked_neg()? } else { number })
}

/// Follows names through objects, and indexes through arrays.
fn walk<'a>(value: &'a value::Value, path: &[String]) -> Option<&'a value::Value> {
    path.iter().try_fold(value, |value, name| match value {
        value::Value::Object(members) => members.member(name),
        value::Value::Array(items) => items.get(name.parse().ok()?),
        _ => None,
    })
}
