//! The trace of a test, as `opa test -v` shows it of one that fails (opa `v1/tester/runner.go`, `runTest`; `cmd/test.go`,
//! `filterTrace`).

use super::test::Test;
use crate::eval::EvalError;
use crate::program::{Asked, Bound, Query, QueryRefused, Request};
use crate::trace::{Keep, StackFrame, Trace};

/// Runs one of [`super::tests`] of the program once more, and tells how it went: [`crate::trace::Explain::NotesAndFails`] is what
/// OPA shows unless something else is asked for. Nothing is printed again.
pub fn explain_test(bound: &Bound, test: &Test, request: &Request<'_>, keep: impl Into<Keep>) -> Result<Trace, QueryRefused> {
    let query = Query::compile(bound.program(), &Asked::document(&test.path))?;
    let request = Request { print: None, ..request.clone() };
    Ok(query.explain(bound.data(), &request, keep).0)
}

/// The queries that were evaluated when a test ended in this error, the innermost first, as [`Query::stack`] has them.
pub fn stack_of_test(bound: &Bound, test: &Test, request: &Request<'_>, error: &EvalError) -> Vec<StackFrame> {
    let query = Query::compile(bound.program(), &Asked::document(&test.path));
    query.map(|query| query.stack(bound.data(), request, error)).unwrap_or_default()
}
