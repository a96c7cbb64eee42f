//! Queries end where bounds are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plimsoll_rego::compile::{Interrupt, Options};
use plimsoll_rego::limits::Limits;
use plimsoll_rego::program::{Asked, Program, Query, QueryRefused, Request, Text};
use plimsoll_rego::value::Value;

use super::program;

/// The least memory, in bytes, within which a query of so many items is answered.
fn memory(query: &Query, items: usize) -> u64 {
    let input = Value::array((0..items).map(Value::from));
    let is_enough = |memory: u64| {
        let request = Request { input: Some(&input), limits: Limits { memory, ..Limits::default() }, ..Request::default() };
        query.evaluate(&Value::object([]), &request).is_ok()
    };
    let (mut low, mut high) = (0, 1 << 20);
    assert!(is_enough(high));
    while low < high {
        let middle = low.midpoint(high);
        if is_enough(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

#[test]
fn each_row_is_paid_for() {
    for (text, bytes) in [("input[_]", 128), ("some i; input[i]", 192), ("x = input[_]; y = input[0]; x >= y", 256)] {
        let query = Query::compile(&program(&[]), &Asked::new(text)).unwrap();
        assert_eq!((memory(&query, 300) - memory(&query, 100)) / 200, bytes, "{text}");
    }
}

/// Says that it is enough once it was asked so many times.
fn interrupt(allowed: usize) -> Interrupt {
    let left = AtomicUsize::new(allowed);
    let take = move || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    Arc::new(move || take().is_err().then(|| "no time is left".to_owned()))
}

/// Before its stages and twice between them.
#[test]
fn compiling_a_query_ends_when_it_has_to() {
    let set = program(&[]);
    let compile = |allowed| Query::compile_within(&set, &Asked::new("x := [1, 2][_]; x > 1"), Some(&interrupt(allowed)));
    for allowed in 0..4 {
        let Err(QueryRefused::Compile(refused)) = compile(allowed) else { panic!("{allowed}") };
        assert!(refused.errors.to_string().contains("no time is left"), "{allowed}: {}", refused.errors);
    }
    assert!(compile(4).is_ok());
}

/// Before each stage.
#[test]
fn compiling_a_set_ends_when_it_has_to() {
    let text = Text { name: "a.rego".to_owned(), text: "package a\n\np := 1".to_owned(), version: None };
    let compile = |allowed| {
        let options = Options { interrupt: Some(interrupt(allowed)), ..Options::default() };
        Program::compile(std::slice::from_ref(&text), &options).map_err(|refused| refused.errors.to_string())
    };
    let stages = (0..100).find(|allowed| compile(*allowed).is_ok()).unwrap();
    assert!(stages > 20, "{stages}");
    for allowed in 0..stages {
        let error = compile(allowed).err().unwrap();
        assert!(error.contains("no time is left"), "{allowed}: {error}");
    }
}

/// What the options of a set refuse is refused in its queries, wherever it is called.
#[test]
fn queries_do_not_call_what_is_refused() {
    let refusal = |name: &str| ["lower", "plus"].contains(&name).then(|| format!("{name} is refused"));
    let options = Options { refused: Some(Arc::new(refusal)), ..Options::default() };
    let set = Arc::new(Program::compile(&[], &options).map_err(|refused| refused.errors).unwrap());
    let said = |text: &str| -> Vec<String> {
        match Query::compile(&set, &Asked::new(text)) {
            Ok(_) => Vec::new(),
            Err(QueryRefused::Parse(refused) | QueryRefused::Compile(refused)) => {
                refused.errors.iter().map(|error| error.message().to_owned()).collect()
            }
        }
    };
    assert!(said(r#"upper("a") == "A"; x := 2 - 1"#).is_empty());
    for text in [
        r#"lower("A")"#,
        r#"not lower("A")"#,
        r#"[y | y := lower("A")]"#,
        r#"every x in ["A"] { lower(x) == "a" }"#,
        r#"upper(lower("A"))"#,
    ] {
        assert_eq!(said(text), ["lower is refused"], "{text}");
    }
    assert_eq!(said(r#"x := 1 + 2; lower("A")"#), ["plus is refused", "lower is refused"]);
}

/// OPA binds such variables to what they stand in, and overflows its stack when it shows them.
#[test]
fn what_stands_in_its_own_value_is_refused() {
    let program = program(&[]);
    for query in ["x = {x}", "{x} = x", "x = {x: 1}", "x = {1, x}", "[x, y] = [{x}, 1]"] {
        let Err(QueryRefused::Compile(refused)) = Query::compile(&program, &Asked::new(query)) else { panic!("{query}") };
        assert!(refused.errors.to_string().contains("rego_unsafe_var_error: var x is unsafe"), "{query}: {}", refused.errors);
    }
}
