//! What a query answers, and what else is wanted of its evaluation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use plimsoll_rego::eval::{EvalError as Failed, PrintHook};
use plimsoll_rego::program::{self, Request};
use plimsoll_rego::syntax::span::Span;
use plimsoll_rego::testing::coverage::Coverage;
use plimsoll_rego::trace::{Both, NoTracer, Profiler, Recorder, Tracer};

use super::{ProfileOrder, Steps, Trace};
use crate::rego::coverage::Lines;
use crate::rego::prepared::{guarded, request};
use crate::rego::query::expressions::{Bound, Row};
use crate::rego::query::{NAME, Query};
use crate::rego::{EvalError, Limits, Value};

/// What is to be recorded beside the answer.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The steps.
    pub steps: Option<Steps>,
    /// Where the time went.
    pub profile: Option<Profile>,
    /// What was evaluated.
    pub coverage: bool,
}

/// Order and length of a profile.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The first one counts most.
    pub order: Vec<ProfileOrder>,
    /// How many rows; 0 for all.
    pub most: usize,
}

/// The cost of the expressions on one row of a file.
pub type Stats = plimsoll_rego::trace::ExprStats;

/// One of the queries that were evaluated when an error occurred.
pub type StackFrame = plimsoll_rego::trace::StackFrame;

/// What was recorded of an evaluation beside its answer.
#[derive(Clone, Debug, Default)]
pub struct QueryReport {
    /// Each behind its place.
    pub prints: Vec<String>,
    /// The steps.
    pub trace: Option<Trace>,
    /// Where the time went.
    pub profile: Vec<Stats>,
    /// What was evaluated.
    pub lines: Option<Lines>,
    /// The queries that were evaluated when it failed, the innermost first.
    pub stack: Vec<StackFrame>,
    /// How long the evaluation took, without what finds those.
    pub took: Duration,
}

impl Wanted {
    fn is_traced(&self) -> bool {
        self.steps.is_some() || self.profile.is_some()
    }
}

impl Query {
    /// Returns the steps of the evaluation, as far as the limits let it. Nothing is printed.
    pub fn explain(&self, data: &Value, input: Option<&Value>, limits: &Limits, steps: Steps) -> Result<Trace, EvalError> {
        guarded(NAME, || {
            let mut recorder = self.query.recorder(steps);
            let done = self.query.trace(&data.0, &request(input, limits), &mut recorder);
            // Other errors are the concern of who asks for the answer.
            let limit = done.err().filter(|error| error.halt.is_some());
            let ended = limit.map(|error| EvalError::of(NAME, error, self.query.sources()).to_string());
            Ok(Trace { ended, ..recorder.into_trace().into() })
        })
    }
}

impl Bound {
    /// Returns each way in which the query holds, in the order of evaluation, and what was to be recorded. Fails where the evaluation does.
    pub fn run(&self, input: Option<&Value>, limits: &Limits, wanted: &Wanted) -> (QueryReport, Result<Vec<Row>, EvalError>) {
        let mut recorded = QueryReport::default();
        let printed = Arc::new(Mutex::new(Vec::new()));
        let request = Request { print: Some(self.printer(&printed)), ..request(input, limits) };
        let began = Instant::now();
        let rows = guarded(NAME, || {
            let rows = match wanted.is_traced() {
                true => self.traced(&request, wanted, &mut recorded),
                false if wanted.coverage => self.covered(&request, &mut recorded),
                false => self.query.query.evaluate(&self.data, &request),
            };
            recorded.took = began.elapsed();
            let failed = |error| {
                recorded.stack = self.query.query.stack(&self.data, &request, &error);
                self.query.failed(error)
            };
            Self::shown(&rows.map_err(failed)?, limits)
        });
        if wanted.coverage && recorded.lines.is_none() {
            let silent = Request { print: None, ..request };
            // As above; it ends the same way.
            let _ = guarded(NAME, || Ok(self.covered(&silent, &mut recorded)));
        }
        recorded.prints = std::mem::take(&mut *printed.lock());
        (recorded, rows)
    }

    fn printer(&self, printed: &Arc<Mutex<Vec<String>>>) -> PrintHook {
        let (printed, sources) = (Arc::clone(printed), Arc::clone(self.query.query.sources()));
        Arc::new(Mutex::new(move |span: Span, text: String| {
            let place = sources.location(span);
            printed.lock().push(format!("{}:{}: {text}", place.file, place.row));
        }))
    }

    fn traced(&self, request: &Request<'_>, wanted: &Wanted, recorded: &mut QueryReport) -> Result<Vec<program::Row>, Failed> {
        let query = &self.query.query;
        let mut recorder = wanted.steps.map(|steps| query.recorder(steps));
        let mut profiler = wanted.profile.as_ref().map(|_| Profiler::new(query.sources()));
        let rows = traced_by(recorder.as_mut(), profiler.as_mut(), |tracer| query.trace(&self.data, request, tracer));
        recorded.trace = recorder.map(|recorder| recorder.into_trace().into());
        if let (Some(profiler), Some(Profile { order, most })) = (profiler, &wanted.profile) {
            recorded.profile = profiler.report(*most, order);
        }
        rows
    }

    fn covered(&self, request: &Request<'_>, recorded: &mut QueryReport) -> Result<Vec<program::Row>, Failed> {
        let query = &self.query.query;
        let mut coverage = Coverage::default();
        let rows = coverage.query(query, &self.data, request);
        recorded.lines = Some(Lines::covered_in(coverage, query.program()));
        rows
    }
}

/// Runs with the tracers that are there.
fn traced_by<T>(
    recorder: Option<&mut Recorder<'_>>,
    profiler: Option<&mut Profiler<'_>>,
    run: impl FnOnce(&mut dyn Tracer) -> T,
) -> T {
    match (recorder, profiler) {
        (Some(recorder), Some(profiler)) => run(&mut Both(recorder, profiler)),
        (Some(recorder), None) => run(recorder),
        (None, Some(profiler)) => run(profiler),
        (None, None) => run(&mut NoTracer),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::rego::query::expressions::{Asked, Expressions};
    use crate::rego::trace::{Explain, Form};
    use crate::rego::{Module, Program, RegoVersion};

    fn program() -> Arc<Program> {
        let text = "package a\n\nx if {\n\tprint(\"said\")\n\ttrace(\"noted\")\n}\n\ny := 1 / input.none\n";
        let module = Module { key: "a.rego".into(), text: text.into() };
        Arc::new(Program::compile(&[module], RegoVersion::Auto).unwrap())
    }

    fn steps(explain: Explain) -> Steps {
        Steps { explain, form: Form::CommandLine, most: 100, bytes: 1 << 20 }
    }

    fn ask(query: &str, wanted: &Wanted) -> (QueryReport, usize) {
        let bound = Expressions::compile(&program(), &Asked::new(query)).unwrap().bind(Value::default());
        let (recorded, rows) = bound.run(None, &Limits::default(), wanted);
        (recorded, rows.unwrap().len())
    }

    #[test]
    fn what_is_wanted_is_told_and_nothing_else() {
        let (recorded, rows) = ask("data.a.x", &Wanted::default());
        assert_eq!((rows, recorded.prints.len(), recorded.profile.len()), (1, 1, 0));
        assert!(recorded.trace.is_none() && recorded.lines.is_none());
        let profile = Some(Profile { order: vec![ProfileOrder::Line], most: 2 });
        let wanted = Wanted { steps: Some(steps(Explain::Notes)), profile, coverage: true };
        let (recorded, rows) = ask("data.a.x", &wanted);
        assert_eq!((rows, recorded.prints, recorded.profile.len()), (1, vec!["a.rego:4: said".to_owned()], 2));
        assert!(recorded.trace.unwrap().lines().ends_with("| | Note \"noted\"\n"));
        assert_eq!(recorded.lines.unwrap().report().covered_lines, 3);
    }

    #[test]
    fn an_explanation_ends_with_its_limits_and_says_so() {
        let query = Query::compile(&program(), "count([1 | some i in numbers.range(1, 5000); i > 0]) > 0").unwrap();
        let explain = |limits: &Limits| query.explain(&Value::default(), None, limits, steps(Explain::Full)).unwrap();
        assert_eq!(explain(&Limits::default()).ended, None);
        let ended = explain(&Limits { time: Duration::ZERO, ..Limits::default() }).ended.unwrap();
        assert!(ended.contains("time limit"), "{ended}");
    }

    #[test]
    fn json_for_the_command_line_is_laid_out_below_its_prefix() {
        let query = Query::compile(&program(), "data.a.y").unwrap();
        let trace = query.explain(&Value::default(), None, &Limits::default(), steps(Explain::Fails)).unwrap();
        let json = trace.for_command_line("  ");
        let lines: Vec<_> = json.get().lines().take(4).collect();
        assert_eq!(lines, ["[", "    {", "      \"Op\": \"Enter\",", "      \"Node\": ["]);
        assert!(json.get().ends_with("\n    }\n  ]"));
        assert!(serde_json::from_str::<serde_json::Value>(json.get()).is_ok());
    }
}
