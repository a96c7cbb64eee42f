//! The trace of a test, as `opa test -v` shows it of one that fails (opa `v1/tester/runner.go`, `runTest`; `cmd/test.go`,
//! `filterTrace`).

use std::sync::Arc;

use super::test::Test;
use crate::compile::lower::written;
use crate::program::{Asked, Bound, QueryRefused, Request, TracedQuery};
use crate::trace::{Explain, Recorded};
use crate::value::Value;

/// Runs one of [`super::tests`] of the program once more, and tells how it went: [`Explain::NotesAndFails`] is what OPA shows
/// unless something else is asked for. Nothing is printed again.
pub fn explain_test(
    bound: &Bound,
    test: &Test,
    request: &Request<'_>,
    explain: Explain,
) -> Result<Vec<Arc<Recorded>>, QueryRefused> {
    let path: Vec<_> = std::iter::once(Value::from("data")).chain(test.path.iter().cloned()).collect();
    let query = TracedQuery::compile(bound.program(), &Asked::new(written(&path)))?;
    let request = Request { print: None, ..request.clone() };
    Ok(query.explain(bound.data(), &request, explain, false).0)
}
