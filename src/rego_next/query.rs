//! Queries: Rego bodies that are asked once. (To be written on the crate's queries.)

pub mod expressions;

use std::sync::Arc;

use plimsoll_contract::policy::Diagnostic;

use super::{EvalError, Limits, Module, Program, Value};

/// A query that may be evaluated.
#[derive(Debug)]
pub struct Query(());

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

impl Beside {
    /// Compiles a query beside a program.
    pub fn query(&self, _: &Arc<Program>, _: impl FnOnce() -> Vec<Module>, _: &str) -> Result<Query, Refused> {
        Err(Refused::Compile(Vec::new()))
    }
}

impl Query {
    /// The `data` paths that the query and the program may read.
    pub fn reads(&self) -> &[Vec<String>] {
        &[]
    }

    /// The variables' values for each way in which the query holds, as objects, in the order of evaluation.
    pub fn evaluate(&self, _: Value, _: Option<&Value>, _: &Limits) -> Result<Vec<serde_json::Value>, EvalError> {
        Ok(Vec::new())
    }
}
