//! What an evaluation remembers of its way, for coverage and tests.

use foldhash::HashSet;

use super::{Evaluation, Stop};
use crate::syntax::span::Span;
use crate::value::Value;

/// What is remembered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observe {
    /// What was evaluated.
    pub coverage: bool,
    /// Which cases of tests it came to.
    pub test_cases: bool,
}

/// What was remembered.
#[derive(Debug, Default)]
pub struct Seen {
    /// Expressions that were evaluated, and heads of rules that held (opa `v1/cover/cover.go`, `TraceEvent`).
    pub covered: HashSet<Span>,
    /// The keys of each case, in the order in which they were come to (opa `v1/topdown/test.go`).
    pub test_cases: Vec<Value>,
}

impl Evaluation<'_> {
    /// Something was evaluated. What the compiler made has no place.
    #[inline]
    pub(super) fn cover(&mut self, span: Span) {
        if self.options.observe.coverage && span != Span::default() {
            self.seen.covered.insert(span);
        }
    }

    /// `internal.test_case` was called.
    pub(super) fn test_case(&mut self, keys: &Value) -> Result<(), Stop> {
        if self.options.observe.test_cases {
            self.context.account.charge(size_of::<Value>())?;
            self.seen.test_cases.push(keys.clone());
        }
        Ok(())
    }
}
