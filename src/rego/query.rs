//! Queries: Rego bodies that are asked once.

pub mod expressions;

use std::sync::Arc;

use plimsoll_contract::policy::Diagnostic;
use plimsoll_rego::program::{self, Asked, QueryRefused, Request, Row};
use plimsoll_rego::value;

use super::limits::compiling::interrupt;
use super::prepared::{answer, guarded, request};
use super::{Document, EvalError, Limits, Program, Value};

/// What messages call it.
pub(super) const NAME: &str = "query";

/// A query that may be evaluated.
#[derive(Debug)]
pub struct Query {
    pub(super) query: program::Query,
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

impl From<QueryRefused> for Refused {
    fn from(refused: QueryRefused) -> Self {
        match refused {
            QueryRefused::Parse(refused) => Self::Parse(refused.diagnostics()),
            QueryRefused::Compile(refused) => Self::Compile(refused.diagnostics()),
        }
    }
}

impl Query {
    /// Compiles a query beside a program.
    pub fn compile(program: &Arc<Program>, text: &str) -> Result<Self, Refused> {
        Self::of(program, &Asked::new(text))
    }

    fn of(program: &Arc<Program>, asked: &Asked) -> Result<Self, Refused> {
        let query = program::Query::compile_within(&program.program, asked, Some(&interrupt(asked.text.len())))?;
        Ok(Self { reads: query.data_paths(), query })
    }

    /// The `data` paths that the query may read, and the rules that it depends on.
    pub fn reads(&self) -> &[Vec<String>] {
        &self.reads
    }

    /// The variables' values for each way in which the query holds, as objects, in the order of evaluation.
    pub fn evaluate(&self, data: Value, input: Option<&Value>, limits: &Limits) -> Result<Vec<Document>, EvalError> {
        self.labelled(data, input, limits, false).map(|(rows, _)| rows)
    }

    /// The same; and, if they are wanted, what METADATA labels the rules with that were found to hold, in OPA's order.
    pub fn labelled(
        &self,
        data: Value,
        input: Option<&Value>,
        limits: &Limits,
        labels: bool,
    ) -> Result<(Vec<Document>, Vec<Document>), EvalError> {
        guarded(NAME, || {
            let found = self.query.labelled(&data.0, &Request { labels, ..request(input, limits) });
            let (rows, labels) = found.map_err(|error| self.failed(error))?;
            let rows = answer(value::Value::array(rows.iter().map(bindings)), NAME, limits)?;
            let labels = answer(value::Value::array(labels), NAME, limits)?;
            Ok((rows.items().collect(), labels.items().collect()))
        })
    }

    pub(super) fn failed(&self, error: plimsoll_rego::eval::EvalError) -> EvalError {
        EvalError::of(NAME, error, self.query.sources())
    }
}

/// The variables of a row as an object.
fn bindings(row: &Row) -> value::Value {
    value::Value::object(row.bindings.iter().map(|(name, value)| (name.as_str().into(), value.clone())))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::{Module, RegoVersion};
    use super::*;

    fn program() -> Arc<Program> {
        let text = "package app\n\nf(x) := x + 1\n\nlist := [3, 1]\n\nown[name] := data.base[name]\n\nall := data.base\n";
        let module = Module { key: "app.rego".into(), text: text.into() };
        Arc::new(Program::compile(&[module], RegoVersion::Auto).unwrap())
    }

    fn ask(text: &str, input: Json) -> Result<Vec<Json>, String> {
        let program = program();
        let query = Query::compile(&program, text).map_err(|refused| format!("{refused:?}"))?;
        let data = Value::from(json!({"base": {"a": 1, "b": [2, 2]}}));
        let rows = query.evaluate(data, Some(&Value::from(input)), &Limits::default()).map_err(|error| error.to_string())?;
        Ok(rows.iter().map(|row| row.to_json().unwrap()).collect())
    }

    #[test]
    fn each_way_in_which_it_holds_is_a_row() {
        let table = [
            ("true", json!([{}])),
            ("false", json!([{}])),
            ("1 > 2", json!([{}])),
            ("x = 1; x > 2", json!([])),
            ("data.app.list[_] > 5", json!([])),
            ("not true", json!([])),
            ("startswith(\"a\", \"b\")", json!([{}])),
            ("data.app.nothing", json!([])),
            ("2 in data.app.list", json!([{}])),
            ("x = 1", json!([{"x": 1}])),
            ("x := 1; y = x + 1", json!([{"x": 1, "y": 2}])),
            ("data.app.list[_] = x", json!([{"x": 3}, {"x": 1}])),
            ("data.app.list[i]", json!([{"i": 0}, {"i": 1}])),
            ("some i\ndata.base.b[i] = 2", json!([{"i": 0}, {"i": 1}])),
            ("some k, v in data.base", json!([{"k": "a", "v": 1}, {"k": "b", "v": [2, 2]}])),
            ("data.base.b[_] = x", json!([{"x": 2}, {"x": 2}])),
            ("y = [z | z = data.base.b[_]]", json!([{"y": [2, 2]}])),
            ("every v in data.app.list { v > 0 }", json!([{}])),
            ("data.app.f(1, x)", json!([{"x": 2}])),
            ("x = input.user # comment", json!([{"x": "ann"}])),
            ("not data.app.nothing", json!([{}])),
            ("a = 1; b = 2; a = b", json!([])),
            ("x = data.app.own.a", json!([{"x": 1}])),
            ("data[x].list", json!([{"x": "app"}])),
            ("x = data.base with data.base as 7", json!([{"x": 7}])),
        ];
        for (query, expected) in table {
            assert_eq!(ask(query, json!({"user": "ann"})).map(Json::from), Ok(expected), "{query}");
        }
    }

    #[test]
    fn what_is_no_query_is_refused_with_its_place() {
        let table = [
            ("", "empty query cannot be compiled"),
            ("x :=", "Parse"),
            ("true }\n\nother if { true", "Parse"),
            ("x] ; y := [1", "Parse"),
            ("x", "var x is unsafe"),
            ("nosuch(1)", "Compile"),
            ("http.send({}, x)", "Compile"),
        ];
        for (query, expected) in table {
            let refused = ask(query, Json::Null).unwrap_err();
            assert!(refused.contains(expected), "{query}: {refused}");
        }
        let places = [
            ("y = 1\nx", "row: 2, col: 1"),
            ("x :=", "row: 1, col: 4"),
            ("x = 1\ny :=", "row: 2, col: 4"),
            ("x = 1; y = ^", "row: 1, col: 12"),
            ("true)", "row: 1, col: 5"),
            ("1+", "row: 1, col: 2"),
            ("x := 1\ny := {", "row: 2, col: 6"),
            ("1 + ) + 2", "row: 1, col: 5"),
        ];
        for (query, place) in places {
            let refused = ask(query, Json::Null).unwrap_err();
            assert!(refused.contains(place), "{query}: {refused}");
        }
    }

    #[test]
    fn process_killers_are_cut_off() {
        let deep = ask(&format!("x = {}1{}", "[".repeat(9_000), "]".repeat(9_000)), Json::Null).unwrap_err();
        assert!(deep.contains("nested 128 levels deep"), "{deep}");
        assert!(ask(&format!("x = {}1", "[".repeat(11_000)), Json::Null).unwrap_err().contains("Parse"));
        let began = std::time::Instant::now();
        let limits = Limits { time: std::time::Duration::from_millis(100), ..Limits::default() };
        let program = program();
        let query = Query::compile(&program, "x = numbers.range(1, 1000000000000)").unwrap();
        let cut = query.evaluate(Value::default(), None, &limits).unwrap_err();
        assert!(matches!(cut, EvalError::Limit { .. }), "{cut}");
        assert!(began.elapsed() < std::time::Duration::from_secs(60));
    }

    #[test]
    fn it_reads_what_it_depends_on() {
        let program = program();
        let reads = |text: &str| Query::compile(&program, text).unwrap().reads().to_vec();
        let table = [
            ("data.base.a; data.app.list", vec![vec!["base", "a"]]),
            ("data.app.own.a", vec![vec!["base", "a"]]),
            ("data.app.all", vec![vec!["base"]]),
            ("data.other[x].y", vec![vec!["other"]]),
            ("data", vec![vec![]]),
            ("input", vec![]),
        ];
        for (query, expected) in table {
            assert_eq!(reads(query), expected, "{query}");
        }
    }
}
