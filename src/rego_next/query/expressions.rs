//! Queries whose expressions have values, as `opa eval` shows them. (To be written on the crate's queries.)

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::Refused;
use crate::rego::{EvalError, Limits, Module, Program, Value};

/// A query that answers with the values of its expressions.
#[derive(Debug)]
pub struct Expressions(());

/// A query with its data.
#[derive(Debug)]
pub struct Bound(());

/// One way in which the query holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// In the order of the query.
    pub expressions: Vec<Expression>,
    /// The variables.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub bindings: Map<String, Json>,
}

/// An expression of the query and its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expression {
    /// `true` for what has no value of its own.
    pub value: Json,
    /// As written.
    pub text: String,
    /// Where it begins.
    pub location: Place,
}

/// A place in the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Line, from 1.
    pub row: u32,
    /// Column in characters, from 1.
    pub col: u32,
}

impl Expressions {
    /// Compiles a query beside a program, whose modules these are. `imports` are import statements that it is read with.
    pub fn compile(_: &Arc<Program>, _: &[Module], _: &str, _: &[String]) -> Result<Self, Refused> {
        Err(Refused::Compile(Vec::new()))
    }

    /// The `data` paths that the query and the program may read.
    pub fn reads(&self) -> &[Vec<String>] {
        &[]
    }

    /// Binds data, so that each evaluation costs no more than itself.
    pub fn bind(self, _: Value) -> Result<Bound, EvalError> {
        Ok(Bound(()))
    }
}

impl Bound {
    /// Each way in which the query holds, in the order of evaluation.
    pub fn evaluate(&self, _: Option<&Value>, _: &Limits) -> Result<Vec<Row>, EvalError> {
        Ok(Vec::new())
    }

    /// The same, with what `print` said on the way.
    pub fn printing(&self, _: Option<&Value>, _: &Limits, _: &mut Vec<String>) -> Result<Vec<Row>, EvalError> {
        Ok(Vec::new())
    }
}
