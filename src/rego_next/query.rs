//! Queries: Rego bodies that are asked once.

pub mod expressions;

use std::sync::Arc;

use plimsoll_contract::policy::Diagnostic;
use plimsoll_rego::program::{self, Asked, QueryRefused, Request, Row};
use plimsoll_rego::value;

use super::prepared::{answer, guarded, request};
use super::{EvalError, Limits, Module, Program, Value};

/// What messages call it.
const NAME: &str = "query";

/// A query that may be evaluated.
#[derive(Debug)]
pub struct Query {
    query: program::Query,
    reads: Vec<Vec<String>>,
}

/// A query that may not.
#[derive(Debug)]
pub enum Refused {
    /// It is not Rego.
    Parse(Vec<Diagnostic>),
    /// It is Rego that means nothing beside the modules.
    Compile(Vec<Diagnostic>),
}

/// Nothing is kept between queries.
#[derive(Debug, Default)]
pub struct Beside;

impl From<QueryRefused> for Refused {
    fn from(refused: QueryRefused) -> Self {
        match refused {
            QueryRefused::Parse(refused) => Self::Parse(refused.diagnostics()),
            QueryRefused::Compile(refused) => Self::Compile(refused.diagnostics()),
        }
    }
}

impl Beside {
    /// Compiles a query beside a program.
    pub fn query(&self, program: &Arc<Program>, _: impl FnOnce() -> Vec<Module>, text: &str) -> Result<Query, Refused> {
        Query::of(program, &Asked::new(text))
    }
}

impl Query {
    /// Compiles a query beside a program.
    pub fn compile(program: &Arc<Program>, _: &[Module], text: &str) -> Result<Self, Refused> {
        Self::of(program, &Asked::new(text))
    }

    fn of(program: &Arc<Program>, asked: &Asked) -> Result<Self, Refused> {
        let query = program::Query::compile(&program.program, asked)?;
        Ok(Self { reads: query.data_paths(), query })
    }

    /// The `data` paths that the query may read, and the rules that it depends on.
    pub fn reads(&self) -> &[Vec<String>] {
        &self.reads
    }

    /// The variables' values for each way in which the query holds, as objects, in the order of evaluation.
    pub fn evaluate(&self, data: Value, input: Option<&Value>, limits: &Limits) -> Result<Vec<serde_json::Value>, EvalError> {
        guarded(NAME, || {
            let rows = self.rows(&data.0, &request(input, limits))?;
            array(answer(&value::Value::array(rows.iter().map(bindings)), NAME, limits)?)
        })
    }

    fn rows(&self, data: &value::Value, request: &Request<'_>) -> Result<Vec<Row>, EvalError> {
        self.query.evaluate(data, request).map_err(|error| EvalError::of(NAME, error, self.query.sources()))
    }
}

/// The variables of a row as an object.
fn bindings(row: &Row) -> value::Value {
    value::Value::object(row.bindings.iter().map(|(name, value)| (name.as_str().into(), value.clone())))
}

/// The items of what is written as an array.
fn array(json: serde_json::Value) -> Result<Vec<serde_json::Value>, EvalError> {
    match json {
        serde_json::Value::Array(items) => Ok(items),
        _ => Err(EvalError::Failed { document: NAME.to_owned(), message: "the answer is no array".to_owned() }),
    }
}
