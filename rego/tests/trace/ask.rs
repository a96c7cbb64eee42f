//! Asks cases, with a trace and without.

use std::sync::Arc;

use plimsoll_rego::compile::Options;
use plimsoll_rego::eval::EvalError;
use plimsoll_rego::program::{Asked, Program, Query, Request, Row, Text};
use plimsoll_rego::syntax::tree::Version;
use plimsoll_rego::trace::{self, Detail, Explain, ExprStats, Keep, ProfileOrder, Profiler, Recorded};

use super::case::Case;

/// All solutions, or the code and the words of an error.
pub(super) type Rows = Result<Vec<Row>, (&'static str, String)>;

fn rows(rows: Result<Vec<Row>, EvalError>) -> Rows {
    rows.map_err(|error| (error.code.as_str(), error.message))
}

fn program(case: &Case) -> (Arc<Program>, Asked) {
    let version = if case.v0 { Version::V0 } else { Version::V1 };
    let text = Text { name: case.file.clone(), text: case.text.clone(), version: Some(version) };
    let options = Options { prints: true, ..Options::default() };
    let program = Program::compile(&[text], &options).unwrap_or_else(|refused| panic!("{}: {}", case.name, refused.errors));
    (Arc::new(program), Asked { version, ..Asked::new(&case.query) })
}

fn request(case: &Case) -> Request<'_> {
    Request { input: case.input.as_ref(), ..Request::default() }
}

fn compiled(case: &Case) -> Query {
    let (program, asked) = program(case);
    Query::compile(&program, &asked).unwrap_or_else(|refused| panic!("{}: {refused}", case.name))
}

/// What is kept of a trace, and the solutions.
pub(super) fn traced(case: &Case, mode: &str) -> (Vec<Arc<Recorded>>, Rows) {
    let keep = Keep::from(Explain::of(mode).unwrap()).with(Detail::Places);
    let (told, found) = compiled(case).explain(&case.data, &request(case), keep);
    (told.events, rows(found))
}

/// A trace as it is printed.
pub(super) fn trace(case: &Case, mode: &str) -> String {
    trace::pretty(&traced(case, mode).0)
}

/// What a profile counts.
pub(super) fn profiled(case: &Case) -> Vec<ExprStats> {
    let query = compiled(case);
    let mut profiler = Profiler::new(query.sources());
    let _ = query.trace(&case.data, &request(case), &mut profiler);
    profiler.report(0, &[ProfileOrder::File, ProfileOrder::Line])
}

/// The solutions of an evaluation without a trace.
pub(super) fn untraced(case: &Case) -> Rows {
    rows(compiled(case).evaluate(&case.data, &request(case)))
}
