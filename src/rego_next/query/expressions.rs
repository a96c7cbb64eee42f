//! Queries whose expressions have values, as `opa eval` shows them: `data.a.b; x > 1` answers both, beside the variables.

use std::sync::Arc;

use parking_lot::Mutex;
use plimsoll_rego::program::{self, Asked};
use plimsoll_rego::syntax::span::Span;
use plimsoll_rego::value;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::{NAME, Query, Refused, answer, array, bindings, guarded, request};
use crate::rego::{EvalError, Limits, Module, Program, Value};

/// A query that answers with the values of its expressions.
#[derive(Debug)]
pub struct Expressions {
    query: Query,
}

/// A query with its data.
#[derive(Debug)]
pub struct Bound {
    query: Query,
    data: value::Value,
}

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
    /// Compiles a query beside a program. `imports` are import statements that it is read with.
    pub fn compile(program: &Arc<Program>, _: &[Module], text: &str, imports: &[String]) -> Result<Self, Refused> {
        let path = |import: &String| import.strip_prefix("import ").unwrap_or(import).to_owned();
        let asked = Asked { imports: imports.iter().map(path).collect(), ..Asked::new(text) };
        Ok(Self { query: Query::of(program, &asked)? })
    }

    /// The `data` paths that the query may read, and the rules that it depends on.
    pub fn reads(&self) -> &[Vec<String>] {
        self.query.reads()
    }

    /// Binds data, so that each evaluation costs no more than itself.
    pub fn bind(self, data: Value) -> Result<Bound, EvalError> {
        Ok(Bound { query: self.query, data: data.0 })
    }
}

impl Bound {
    /// Each way in which the query holds, in the order of evaluation.
    pub fn evaluate(&self, input: Option<&Value>, limits: &Limits) -> Result<Vec<Row>, EvalError> {
        self.answer(&request(input, limits), limits)
    }

    /// The same, with what `print` said on the way, each behind its place.
    pub fn printing(&self, input: Option<&Value>, limits: &Limits, prints: &mut Vec<String>) -> Result<Vec<Row>, EvalError> {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (printed, sources) = (Arc::clone(&heard), Arc::clone(self.query.query.sources()));
        let hear = move |span: Span, text: String| {
            let place = sources.location(span);
            printed.lock().push(format!("{}:{}: {text}", place.file, place.row));
        };
        let request = program::Request { print: Some(Arc::new(Mutex::new(hear))), ..request(input, limits) };
        let rows = self.answer(&request, limits);
        prints.append(&mut heard.lock());
        rows
    }

    fn answer(&self, request: &program::Request<'_>, limits: &Limits) -> Result<Vec<Row>, EvalError> {
        guarded(NAME, || {
            let rows = self.query.rows(&self.data, request)?;
            let values = |row: &program::Row| value::Value::array(row.expressions.iter().map(|shown| shown.value.clone()));
            let all = rows.iter().map(|row| value::Value::array([values(row), bindings(row)]));
            let written = array(answer(&value::Value::array(all), NAME, limits)?)?;
            Ok(rows.iter().zip(written).map(|(row, json)| Row::of(row, json)).collect())
        })
    }
}

impl Row {
    /// A row, whose values and variables are `[[…], {…}]`.
    fn of(row: &program::Row, mut json: Json) -> Self {
        let bindings = match json.get_mut(1).map(Json::take) {
            Some(Json::Object(bindings)) => bindings,
            _ => Map::new(),
        };
        let values = match json.get_mut(0).map(Json::take) {
            Some(Json::Array(values)) => values,
            _ => Vec::new(),
        };
        let expression = |(shown, value): (&program::Expression, Json)| Expression {
            value,
            text: shown.text.to_string(),
            location: Place { row: shown.location.row, col: shown.location.col },
        };
        Self { expressions: row.expressions.iter().zip(values).map(expression).collect(), bindings }
    }
}
