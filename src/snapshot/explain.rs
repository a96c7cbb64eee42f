//! How questions are answered, step by step: evaluated once more, with whoever listens.

use super::reads::Reads;
use super::values::Older;
use super::{QueryError, Snapshot, values};
use crate::rego::query::Query;
use crate::rego::trace::{Steps, Trace, reference};
use crate::rego::{Limits, Value};

impl Snapshot {
    /// How a query is evaluated.
    pub fn explain(&self, query: &str, input: Option<&Value>, limits: &Limits, steps: Steps) -> Result<Trace, QueryError> {
        let query = Query::compile(&self.policies.program, query)?;
        // What policies read is there already.
        let value = &self.prepared()?.data();
        let older = Older { reads: &self.policies.reads, tree: &self.state.tree, value };
        let data = values::build(&Reads::new(query.reads()), &self.state.tree, Some(older))?;
        Ok(query.explain(&data, input, limits, steps)?)
    }

    /// How a document is evaluated: as OPA's data API does it, by the query for it.
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
