//! Queries whose expressions have values, as `opa eval` shows them: `data.a.b; x > 1` answers both, beside the variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_rego::program;
pub use plimsoll_rego::program::Asked;
use plimsoll_rego::value;
use serde::Serialize;

use super::{NAME, Query, Refused, answer, bindings, guarded, request};
use crate::rego::{Document, EvalError, Limits, Program, Times, Value};

/// A query that answers with the values of its expressions.
#[derive(Debug)]
pub struct Expressions {
    query: Query,
}

/// A query with its data.
#[derive(Debug)]
pub struct Bound {
    pub(in crate::rego) query: Query,
    pub(in crate::rego) data: value::Value,
}

/// One way in which the query holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// In the order of the query.
    pub expressions: Vec<Expression>,
    /// The variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bindings: BTreeMap<String, Document>,
}

/// An expression of the query and its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expression {
    /// `true` for what has no value of its own.
    pub value: Document,
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
    /// Compiles a query beside a program.
    pub fn compile(program: &Arc<Program>, asked: &Asked) -> Result<Self, Refused> {
        Ok(Self { query: Query::of(program, asked)? })
    }

    /// The `data` paths that the query may read, and the rules that it depends on.
    pub fn reads(&self) -> &[Vec<String>] {
        self.query.reads()
    }

    /// Returns the times of parsing and compiling.
    pub fn times(&self) -> Times {
        self.query.query.times()
    }

    /// Binds data, to be asked again and again.
    pub fn bind(self, data: Value) -> Bound {
        Bound { query: self.query, data: data.0 }
    }
}

impl Bound {
    /// Each way in which the query holds, in the order of evaluation.
    pub fn evaluate(&self, input: Option<&Value>, limits: &Limits) -> Result<Vec<Row>, EvalError> {
        guarded(NAME, || {
            let rows = self.query.query.evaluate(&self.data, &request(input, limits));
            Self::shown(&rows.map_err(|error| self.query.failed(error))?, limits)
        })
    }

    /// Rows as they are answered.
    pub(in crate::rego) fn shown(rows: &[program::Row], limits: &Limits) -> Result<Vec<Row>, EvalError> {
        let values = |row: &program::Row| value::Value::array(row.expressions.iter().map(|shown| shown.value.clone()));
        let all = rows.iter().map(|row| value::Value::array([values(row), bindings(row)]));
        let answered = answer(value::Value::array(all), NAME, limits)?;
        Ok(rows.iter().zip(answered.items()).map(|(row, answered)| Row::of(row, &answered)).collect())
    }
}

impl Row {
    /// A row, whose values and variables are `[[…], {…}]`.
    fn of(row: &program::Row, answered: &Document) -> Self {
        let mut parts = answered.items();
        let (values, variables) = (parts.next(), parts.next());
        let expression = |(shown, value): (&program::Expression, Document)| Expression {
            value,
            text: shown.text.to_string(),
            location: Place { row: shown.location.row, col: shown.location.col },
        };
        let values = values.iter().flat_map(Document::items);
        Self {
            expressions: row.expressions.iter().zip(values).map(expression).collect(),
            bindings: variables.iter().flat_map(Document::members).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::rego::trace::Wanted;
    use crate::rego::{Module, RegoVersion};

    fn asked(text: &str, imports: &[&str]) -> Asked {
        Asked { imports: imports.iter().map(|import| (*import).to_owned()).collect(), ..Asked::new(text) }
    }

    fn ask(text: &str, imports: &[&str]) -> Result<Json, String> {
        let module = "package app\n\nf(x) := x + 1\n\nlist := [3, 1]\n\nu if input.nothing\n";
        let modules = vec![Module { key: "app.rego".into(), text: module.into() }];
        let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
        let query = Expressions::compile(&program, &asked(text, imports)).map_err(|refused| format!("{refused:?}"))?;
        let bound = query.bind(Value::default());
        let rows = bound.evaluate(None, &Limits::default()).map_err(|error| error.to_string())?;
        let values = rows
            .into_iter()
            .map(|row| row.expressions.into_iter().map(|e| json!([e.text, e.value.to_json().unwrap()])).collect::<Json>());
        Ok(values.collect())
    }

    #[test]
    fn each_expression_has_the_value_that_opa_gives_it() {
        let table = [
            ("1 > 2", json!([[["1 > 2", false]]])),
            ("1 > 2; true", json!([])),
            ("data.app.list", json!([[["data.app.list", [3, 1]]]])),
            ("data.app", json!([[["data.app", {"list": [3, 1]}]]])),
            ("data.app.u", json!([])),
            ("x := 1; y = x + 1", json!([[["x := 1", true], ["y = x + 1", true]]])),
            ("not false # why\n\"a\"", json!([[["not false", true], ["\"a\"", "a"]]])),
            ("data.app.list[_]", json!([[["data.app.list[_]", 3]], [["data.app.list[_]", 1]]])),
            ("data.app.f(1)", json!([[["data.app.f(1)", 2]]])),
            ("data.app.f(1, 2)", json!([[["data.app.f(1, 2)", true]]])),
            ("1 in {1}", json!([[["1 in {1}", true]]])),
            ("some x in [7]; x", json!([[["some x in [7]", true], ["x", 7]]])),
            ("input.x with input as {\"x\": 1}", json!([[["input.x with input as {\"x\": 1}", 1]]])),
            ("every x in [1] { x > 0 }", json!([[["every x in [1] { x > 0 }", true]]])),
            ("$\"a {1}\"; $\"{2}\"", json!([[["$\"a {1}\"", "a 1"], ["$\"{2}\"", "2"]]])),
            ("{1, 2} | {3}", json!([[["{1, 2} | {3}", [1, 2, 3]]]])),
        ];
        for (query, expected) in table {
            assert_eq!(ask(query, &[]), Ok(expected), "{query}");
        }
    }

    #[test]
    fn imports_give_short_names() {
        assert_eq!(ask("list[0]", &["data.app.list"]), Ok(json!([[["list[0]", 3]]])));
        let refused = ask("list[0]\nx", &["data.app.list"]).unwrap_err();
        assert!(refused.contains("row: 2"), "{refused}");
    }

    #[test]
    fn all_of_data_is_read_with_imports_too() {
        for query in ["data.app", "data[k].list = [3, 1]", "some k, v in data", "[v | v := data[_]]"] {
            assert_eq!(ask(query, &["data.app.list"]).unwrap().as_array().map(Vec::len), Some(1), "{query}");
        }
    }

    #[test]
    fn an_import_is_no_variable_and_moves_no_place() {
        let modules = vec![Module { key: "app.rego".into(), text: "package app\n\nlist := [3, 1]\n".into() }];
        let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
        let query =
            Expressions::compile(&program, &asked("x := list[1]; a.list[0]", &["data.app.list", "data.app as a"])).unwrap();
        let bound = query.bind(Value::default());
        let (recorded, rows) = bound.run(None, &Limits::default(), &Wanted::default());
        let rows = rows.unwrap();
        assert_eq!(serde_json::to_value(&rows[0].bindings).unwrap(), json!({"x": 1}));
        let places: Vec<_> =
            rows[0].expressions.iter().map(|e| (e.location.row, e.location.col, e.value.to_json().unwrap())).collect();
        assert_eq!(places, [(1, 1, json!(true)), (1, 15, json!(3))]);
        assert!(recorded.prints.is_empty());
    }

    #[test]
    fn what_is_printed_is_kept_apart() {
        let modules = vec![Module { key: "a.rego".into(), text: "package a\n\nx if print(\"in\", 1)\n".into() }];
        let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
        let query = Expressions::compile(&program, &Asked::new("data.a.x; print(\"own\")")).unwrap();
        let bound = query.bind(Value::default());
        let prints = bound.run(None, &Limits::default(), &Wanted::default()).0.prints;
        let said = prints.concat();
        assert!(said.contains("in 1") && said.contains("own") && prints.len() == 2, "{prints:?}");
    }

    /// Where the error is that a query ends with: asked as it is, with the values of its expressions, and with an import.
    fn places(query: &str) -> [String; 3] {
        let text = "package app\n\nf(x) := to_number(x)\n";
        let modules = vec![Module { key: "app.rego".into(), text: text.into() }];
        let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
        let limits = Limits { strict_builtin_errors: true, ..Limits::default() };
        let place = |error| match error {
            EvalError::Builtin { location, .. } => location,
            other => panic!("{query}: {other}"),
        };
        let plain = super::super::Query::compile(&program, query).unwrap().evaluate(Value::default(), None, &limits);
        let shown = |imports: &[&str]| {
            let bound = Expressions::compile(&program, &asked(query, imports)).unwrap().bind(Value::default());
            place(bound.evaluate(None, &limits).unwrap_err())
        };
        [place(plain.unwrap_err()), shown(&[]), shown(&["data.nothing", "data.app as a"])]
    }

    #[test]
    fn an_error_is_where_it_was_typed() {
        // A caret marks the place: where a call begins, or the `not` in front of it.
        let queries = [
            "^to_number(\"a\")",
            "x := 1; y := ^to_number(\"a\")",
            "[1, 2] == [^to_number(\"a\")]",
            "x := [1]\ny := x[_]; not y == 3; z := ^json.unmarshal(\"{\")",
            "x := 1; p := {\"k\": ^to_number(\"x\")}",
            "some x in [1, 2]; \"é\" != \"ü\"; 1 + ^to_number(\"é\"); x",
            "\t\t^to_number(\"a\") == 2 # why",
            "x := 1; input.foo == 1 with input as {\"foo\": ^to_number(\"a\")}",
            "^not to_number(\"a\")\n",
            "every x in [\"a\"] {\n  ^to_number(x)\n}",
            "x := {v | v := ^to_number([\"a\"][_])}; y := {1, 2}",
        ];
        for query in queries {
            let before = query.split('^').next().unwrap();
            let (row, line) = before.split('\n').enumerate().last().unwrap();
            let place = format!(":{}:{}", row + 1, line.chars().count() + 1);
            assert_eq!(places(&query.replace('^', "")), [place.as_str(); 3], "{query}");
        }
    }

    #[test]
    fn an_error_in_a_module_stays_there() {
        assert_eq!(places("x := 1; data.app.f(\"a\")"), ["app.rego:3:9"; 3]);
    }
}
