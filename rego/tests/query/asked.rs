//! Queries that ask functions for given answers, where nobody hears what is printed: as `serve` asks.

use std::sync::Arc;

use plimsoll_rego::compile::Options;
use plimsoll_rego::program::{Asked, Program, Query, Request, Text};
use plimsoll_rego::value::Value;

/// An answer that was asked for is the function's answer from then on, and an answer that was found before is; OPA's answers.
#[test]
fn answers_that_are_asked_for_are_remembered() {
    let text = "package a\n\nf(x) := 1 if x\n\nelse := 2\n".to_owned();
    let text = Text { name: "a.rego".to_owned(), text, version: None };
    let program = Arc::new(Program::compile(&[text], &Options::default()).unwrap());
    for (query, wanted) in [
        ("data.a.f(1, 2); y = data.a.f(1)", "y: 2"),
        ("y = [1 | data.a.f(1, 2)]; z = data.a.f(1)", "y: [1], z: 2"),
        ("z = data.a.f(1); y = [1 | data.a.f(1, 2)]", "y: [], z: 1"),
        ("y = data.a.f(1); z = data.a.f(1)", "y: 1, z: 1"),
    ] {
        let rows =
            Query::compile(&program, &Asked::new(query)).unwrap().evaluate(&Value::object([]), &Request::default()).unwrap();
        let found = rows.iter().flat_map(|row| &row.bindings).map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>();
        assert_eq!(found.join(", "), wanted, "{query}");
    }
}

/// Of two errors the one that comes first in OPA's order is said: what follows a call is evaluated with its first answer.
#[test]
fn the_error_is_the_first_in_order() {
    let text = "package s\n\nf(x) := 1 if x != 1\n\nf(\"b\") := 2\n".to_owned();
    let text = Text { name: "s.rego".to_owned(), text, version: None };
    let program = Arc::new(Program::compile(&[text], &Options::default()).unwrap());
    let query = "y := data.s.f(\"b\"); x := {k: v | some k in [\"b\"]; some v in [1, 2]}";
    let error =
        Query::compile(&program, &Asked::new(query)).unwrap().evaluate(&Value::object([]), &Request::default()).unwrap_err();
    assert_eq!(error.to_string(), "eval_conflict_error: object keys must be unique");
}
