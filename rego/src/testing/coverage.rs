//! What evaluations cover, by rows and columns (opa `v1/cover/cover.go`).

mod range;
mod report;

use foldhash::HashSet;

pub use range::{Position, Range};
pub use report::{FileReport, Kind, Report};

use super::run::{self, Run};
use super::test::Test;
use crate::eval::{Arena, EvalError, Observe, Options, Seen};
use crate::program::{Bound, Query, Request, Row};
use crate::syntax::span::Span;
use crate::value::Value;

/// What was covered, over any number of evaluations of one program.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    covered: HashSet<Span>,
    /// What is covered if every definition of a rule is tried.
    without_indices: HashSet<Span>,
    /// What is covered if one that holds is not enough.
    without_early_exit: HashSet<Span>,
}

impl Coverage {
    /// Runs a test as [`super::run_test`] does.
    pub fn run_test(&mut self, bound: &Bound, test: &Test, request: &Request<'_>) -> Run {
        run::run(bound, test, request, Some(self))
    }

    /// Asks for the document at a path below `data`, as [`Bound::document`] does.
    pub fn ask(&mut self, bound: &Bound, path: &[Value], request: &Request<'_>) -> Result<Option<Value>, EvalError> {
        self.document(bound, path, request, Observe::default()).0
    }

    /// Asks a query, as [`Query::evaluate`] does.
    pub fn query(&mut self, query: &Query, data: &Value, request: &Request<'_>) -> Result<Vec<Row>, EvalError> {
        self.passes(request.options(), Observe::default(), |options| query.observed(data, request, options)).0
    }

    pub(super) fn document(
        &mut self,
        bound: &Bound,
        path: &[Value],
        request: &Request<'_>,
        observe: Observe,
    ) -> (Result<Option<Value>, EvalError>, Seen) {
        self.passes(request.options(), observe, |options| evaluate(bound, path, request, options))
    }

    /// Evaluates as wanted, and if there is no error again without what OPA leaves out to be fast: that tells why something is not
    /// covered. Of those, neither answers nor prints count (opa `v1/cover/eval_options.go`).
    fn passes<T>(
        &mut self,
        options: Options,
        observe: Observe,
        evaluate: impl Fn(Options) -> (Result<T, EvalError>, Seen),
    ) -> (Result<T, EvalError>, Seen) {
        let options = Options { observe: Observe { coverage: true, ..observe }, in_order: true, ..options };
        let (answer, mut seen) = evaluate(options.clone());
        self.covered.extend(std::mem::take(&mut seen.covered));
        if answer.is_ok() {
            let observe = Observe { coverage: true, test_cases: false };
            let silent = Options { observe, print: None, strict_builtin_errors: false, ..options };
            let unindexed = Options { without_indices: true, ..silent.clone() };
            self.without_indices.extend(evaluate(unindexed).1.covered);
            let exhaustive = Options { without_early_exit: true, ..silent };
            self.without_early_exit.extend(evaluate(exhaustive).1.covered);
        }
        (answer, seen)
    }

    /// Takes in what another one has covered.
    pub fn extend(&mut self, other: Self) {
        self.covered.extend(other.covered);
        self.without_indices.extend(other.without_indices);
        self.without_early_exit.extend(other.without_early_exit);
    }
}

fn evaluate(bound: &Bound, path: &[Value], request: &Request<'_>, options: Options) -> (Result<Option<Value>, EvalError>, Seen) {
    let arena = Arena::new();
    let mut evaluation = bound.evaluation(&arena, request, options);
    (evaluation.document(path), evaluation.take_seen())
}
