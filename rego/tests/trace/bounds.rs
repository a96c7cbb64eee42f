//! Traces of what nests deep, and of what takes too much.

use std::sync::Arc;

use plimsoll_rego::program::{Asked, Program, Request, Text, TracedQuery};
use plimsoll_rego::trace::{self, Explain};
use plimsoll_rego::value::Value;

/// Tests run on threads of 2 MiB.
#[test]
fn what_nests_deep_is_traced_on_a_small_stack() {
    for (explain, depth) in [(Explain::Full, 1_000), (Explain::Debug, 50)] {
        for inner in ["1", "v", "{x | x := v}"] {
            let text = format!("package a\n\nx := {}{inner}{} if v := input", "[[], ".repeat(depth), ", 0]".repeat(depth));
            let text = Text { name: "deep.rego".to_owned(), text, version: None };
            let program = Arc::new(Program::compile(&[text], &Default::default()).unwrap());
            let query = TracedQuery::compile(&program, &Asked::new("x := data.a.x; x = data.a.x; [_, y, _] = x")).unwrap();
            let input = (0..depth).fold(Value::from("here"), |value, _| Value::array([Value::Null, value, Value::Null]));
            let request = Request { input: Some(&input), ..Request::default() };
            let (events, rows) = query.explain(&Value::object([]), &request, explain, true);
            assert_eq!(rows.unwrap().len(), 1);
            assert!(trace::pretty(&events).lines().count() > 10);
            assert!(trace::raw(&events).depth() > u32::try_from(depth).unwrap());
        }
    }
}

/// A trace is paid for: it ends within the limits of its evaluation.
#[test]
fn a_trace_that_takes_too_much_ends() {
    let program = Arc::new(Program::compile(&[], &Default::default()).unwrap());
    let query = TracedQuery::compile(&program, &Asked::new("numbers.range(1, 100)[_] > 0; false")).unwrap();
    let mut request = Request::default();
    request.limits.memory = 20_000;
    let (events, rows) = query.explain(&Value::object([]), &request, Explain::Full, false);
    assert!(rows.unwrap_err().halt.is_some());
    assert!((20..300).contains(&events.len()), "{}", events.len());
}
