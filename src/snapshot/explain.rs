//! How questions are answered, step by step: evaluated once more, with whoever listens.

use super::reads::Reads;
use super::values::Older;
use super::{QueryError, Snapshot, values};
use crate::rego::query::Query;
use crate::rego::trace::{Steps, Trace, reference};
use crate::rego::{Limits, Value};

impl Snapshot {
    /// Evaluates a query, and returns the steps of its evaluation. Fails where it cannot be compiled or evaluated.
    pub fn explain(&self, query: &str, input: Option<&Value>, limits: &Limits, steps: Steps) -> Result<Trace, QueryError> {
        let query = Query::compile(&self.policies.program, query)?;
        // What policies read is there already.
        let value = &self.prepared()?.data();
        let older = Older { reads: &self.policies.reads, tree: &self.state.tree, value };
        let data = values::build(&Reads::new(query.reads()), &self.state.tree, Some(older))?;
        Ok(query.explain(&data, input, limits, steps)?)
    }

    /// Evaluates a document, and returns the steps: as in OPA's data API they are those of the query for it.
    pub fn explain_document(
        &self,
        path: &[String],
        input: Option<&Value>,
        limits: &Limits,
        steps: Steps,
    ) -> Result<Trace, QueryError> {
        self.explain(&reference(path), input, limits, steps)
    }
}
