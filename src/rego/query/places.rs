//! The way back from a query as it runs to the query as it was typed.

use plimsoll_contract::policy::Location;

use super::ABOVE;
use crate::rego::plain::Spliced;
use crate::rego::sources::Source;

/// What the interpreter calls the file of what it is asked.
pub(super) const ASKED: &str = "<query.rego>";
/// Lines of the query's module that are not asked.
const NOT_ASKED: u32 = ABOVE - 1;

/// Where the parts of a query come from.
#[derive(Debug)]
pub(super) struct Places {
    /// The query's own module; nothing for a query that is a module of its program, whose places are those of the module as
    /// given already.
    own: Option<Source>,
    /// What captures values, put into the query.
    captured: Spliced,
    /// Lines of the module before the query's first.
    above: u32,
    /// Lines of the module before those that are asked.
    not_asked: u32,
}

impl Places {
    /// Of a query beside a program: asked as a comprehension, or as a rule of its module.
    pub(super) fn beside(own: Source, captured: Spliced, as_rule: bool) -> Self {
        Self { own: Some(own), captured, above: ABOVE, not_asked: if as_rule { 0 } else { NOT_ASKED } }
    }

    /// Of a query that is a module, with so many lines more before it.
    pub(super) fn within(captured: Spliced, more: u32) -> Self {
        Self { own: None, captured, above: ABOVE.saturating_add(more), not_asked: NOT_ASKED }
    }

    /// A place in the query, columns in characters; what is written around it is at its beginning. Other places stay.
    pub(super) fn typed(&self, place: Location) -> Location {
        let (row, col) = match &self.own {
            Some(own) if place.file == ASKED => own.original(place.row.saturating_add(self.not_asked), place.col),
            None if place.file.is_empty() => (place.row, place.col),
            _ => return place,
        };
        let (row, col) = match row.checked_sub(self.above) {
            None | Some(0) => (1, 1),
            Some(row) => self.captured.shown(row, col),
        };
        Location { file: String::new(), row, col }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Query;
    use super::super::expressions::Expressions;
    use crate::rego::{EvalError, Limits, Module, Program, RegoVersion, Value};

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
        let plain = Query::compile(&program, &modules, query).unwrap().evaluate(Value::default(), None, &limits);
        let shown = |imports: &[String]| {
            let bound = Expressions::compile(&program, &modules, query, imports).unwrap().bind(Value::default()).unwrap();
            place(bound.evaluate(None, &limits).unwrap_err())
        };
        [place(plain.unwrap_err()), shown(&[]), shown(&["import data.nothing".to_owned(), "import data.app as a".to_owned()])]
    }

    #[test]
    fn an_error_is_where_it_was_typed() {
        // A caret marks the place; the interpreter's places of calls are their brackets.
        let queries = [
            "to_number^(\"a\")",
            "x := 1; y := to_number^(\"a\")",
            "[1, 2] == [to_number^(\"a\")]",
            "x := [1]\ny := x[_]; not y == 3; z := json.unmarshal^(\"{\")",
            "x := 1; p := {\"k\": to_number^(\"x\")}",
            "some x in [1, 2]; \"é\" != \"ü\"; 1 + to_number^(\"é\"); x",
            "\t\tto_number^(\"a\") == 2 # why",
            // What is written out before a statement, or instead of a template, is at its beginning.
            "x := 1; ^input.foo == 1 with input as {\"foo\": to_number(\"a\")}",
            "not to_number^(\"a\")\n",
            "every x in [\"a\"] {\n  to_number^(x)\n}",
            "x := 1; ^$\"{1} {to_number(\"a\")}\"",
            "x := {v | v := to_number^([\"a\"][_])}; y := {1, 2}",
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
        assert_eq!(places("x := 1; data.app.f(\"a\")"), ["app.rego:3:18"; 3]);
    }
}
