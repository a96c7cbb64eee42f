//! Queries of OPA's query API: compiled for this snapshot, beside its policies, and forgotten.

use plimsoll_contract::policy::Diagnostic;

use super::reads::Reads;
use super::{Snapshot, values};
use crate::rego::query::{Query, Refused};
use crate::rego::{Document, EvalError, Limits, Value};

/// A query without answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// Not Rego.
    #[error("the query cannot be parsed")]
    Parse(Vec<Diagnostic>),
    /// Rego that means nothing here.
    #[error("the query does not compile")]
    Compile(Vec<Diagnostic>),
    /// It was evaluated, and failed.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

impl From<Refused> for QueryError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Parse(errors) => Self::Parse(errors),
            Refused::Compile(errors) => Self::Compile(errors),
        }
    }
}

impl Snapshot {
    /// The bindings of each way in which the query holds, in OPA's order.
    pub fn query(&self, text: &str, input: Option<&Value>, limits: &Limits) -> Result<Vec<Document>, QueryError> {
        self.labelled_query(text, input, limits, false).map(|(rows, _)| rows)
    }

    /// The same; and, if they are wanted, what METADATA labels the rules with that were found to hold, in OPA's order.
    pub fn labelled_query(
        &self,
        text: &str,
        input: Option<&Value>,
        limits: &Limits,
        labels: bool,
    ) -> Result<(Vec<Document>, Vec<Document>), QueryError> {
        let query = Query::compile(&self.policies.program, text)?;
        let data = values::build(&Reads::new(query.reads()), &self.state.tree, None)?;
        Ok(query.labelled(data, input, limits, labels)?)
    }
}
