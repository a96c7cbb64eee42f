//! What evaluations cost, and that bounds stop what they are there to stop and nothing else.

use std::sync::Arc;

use super::Arena;
use crate::limits::Limits;
use crate::program::{Program, Request, Text};
use crate::value::{Value, json};

/// The cost, or the error, of `data.t.p` with so many of everything in `input` and in `data.base`.
fn cost(rules: &str, count: usize, limits: Limits) -> Result<(u64, u64), String> {
    let text = Text { name: "t.rego".to_owned(), text: format!("package t\n\n{rules}\n"), version: None };
    let beside = Text { name: "b.rego".to_owned(), text: "package base\n\nrule := 1\n".to_owned(), version: None };
    let program = Arc::new(Program::compile(&[text, beside], &Default::default()).map_err(|refused| refused.errors.to_string())?);
    let listed = |item: fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",");
    let numbers = listed(|at| at.to_string());
    let rows = listed(|at| format!(r#"{{"name": "n{at}", "kind": "row", "cells": [1]}}"#));
    let members = listed(|at| format!(r#""k{at}": {at}"#));
    let input = format!(r#"{{"xs": [{numbers}], "rows": [{rows}], "m": {{{members}}}}}"#);
    let read = |text: &str| json::read(text.as_bytes(), 16).map_err(|error| error.to_string());
    let (input, bound) = (read(&input)?, program.bind(read(&format!(r#"{{"base": {{{members}}}}}"#))?));
    let (arena, request) = (Arena::new(), Request { input: Some(&input), limits, ..Request::default() });
    let mut evaluation = bound.evaluation(&arena, &request, request.options());
    evaluation.document(&["t".into(), "p".into()]).map_err(|error| error.to_string())?;
    let account = &evaluation.context().account;
    Ok((account.steps(), account.bytes()))
}

/// Steps and bytes that two hundred more of everything cost.
#[test]
fn each_thing_that_is_gone_through_is_paid_for() {
    let mut wrong = Vec::new();
    let places = format!("p if input.xs = [{}x]\n\np if input.xs = [1, 2]", "_, ".repeat(150));
    for (rules, steps, bytes) in [
        (places.as_str(), 52, 0),
        ("p if input.xs = [0, 5, x]\n\np if input.xs = [0, 7]", 0, 0),
        ("p if -1 in input.xs\n\np if -2 in input.xs", 200, 0),
        ("p if every x in input.xs { x >= 0 }", 400, 0),
        ("p if { some x in input.xs; x == -1 }", 600, 0),
        ("p if input.rows[_].cells[_] == -1", 600, 0),
        ("p := [x | some x in input.xs]", 200, 3200),
        ("p := {x | some x in input.xs}", 400, 3200),
        ("p := {k: x | some k, x in input.xs}", 400, 6400),
        ("p contains k if some k, _ in input.m", 400, 3200),
        ("p[k] := v if some k, v in input.m", 400, 6400),
        ("p := [x | some x in input.xs; y := [x, x, x]; y != 1]", 800, 12800),
        ("p := [y | some x in input.xs; y := {\"a\": x, \"b\": 2}]", 600, 16000),
        ("p := [y | some x in input.xs; y := {x, 2}]", 600, 9600),
        ("p := [v | walk(input.xs, [_, v])]", 200, 3200),
        ("p := [k | walk(input.xs, [k, _])]", 200, 6400),
        ("p := [v | walk(input, [[\"m\", \"k1\"], v])]", 0, 0),
        ("p := [v | walk(input, [[\"m\", _], v])]", 200, 3200),
        ("f(x) := x + 1\n\np := [f(x) | some x in input.xs]", 800, 3200),
        ("p := [y | some x in input.xs; y := [z | some z in input.xs; z == x]]", 800, 12800),
        ("p := [y | some x in [\"n1\", \"n2\"]; some y in input.rows; y.name == x]", 1100, 6400),
        ("q := input.a\n\np := [q | some x in input.xs; y := q with input.a as x; y != -1]", 3000, 25600),
        ("p := [y | some x in input.xs; y := [z | input.xs[z] = x]]", 600, 12800),
        ("p if data.base[_] == -1", 400, 0),
        ("p := [k | data[\"base\"][k]]", 200, 3200),
        ("p := z if z := count(data.base) with data.base.k1 as 5", 600, 12800),
        ("p if data.base[_] == -1 with data.base.k1 as 5", 400, 0),
        ("p if input.m.k1 == 5 with input.m.k1 as 5", 300, 6400),
        ("p := v if { k := [x | some x in input.xs]; o := {input.xs: 1}; v := o[k] }", 400, 3200),
        ("p := v if { k := [x | some x in input.xs]; o := {1: {input.xs: 1}}; v := o[1][k] }", 400, 3200),
        ("p := v if { k := [x | some x in input.xs]; s := {input.xs}; v := s[k] }", 400, 3200),
    ] {
        let [small, large] = [100, 300].map(|count| cost(rules, count, Limits::default()).unwrap());
        let found = (large.0 - small.0, large.1 - small.1);
        if found != (steps, bytes) {
            wrong.push(format!("{rules}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Looking members up in an index costs the steps that going through them does. The index is used from the second time on.
#[test]
fn what_an_index_finds_is_paid_for() {
    let steps = |kinds: &str| {
        let rules = format!("p := [y | some x in {kinds}; some y in input.rows; y.kind == x]");
        let [small, large] = [100, 300].map(|count| cost(&rules, count, Limits::default()).unwrap().0);
        large - small
    };
    let gone_through = steps(r#"["row"]"#);
    let found = steps(r#"["row", "row"]"#) - steps(r#"["row", "none"]"#);
    assert_eq!(found, gone_through);
}

/// What an index is asked for may stand in `input`: members are gone through twice at most, not once for each that asks.
#[test]
fn an_index_is_asked_for_what_is_in_input() {
    for wanted in ["\"none\"", "input.kind", "input.deep.kind"] {
        let found = format!("[y | some x in input.xs; x >= 0; some y in input.rows; y.kind == {wanted}]");
        let rules = format!("p := z if z := {found} with input.kind as \"none\" with input.deep.kind as \"none\"");
        let (steps, _) = cost(&rules, 100, Limits::default()).unwrap();
        assert!(steps < 5_000, "{wanted}: {steps}");
    }
}

/// Between what is gone through and the comparison that its index is for may stand names of anything that is evaluated without effect.
#[test]
fn an_index_is_asked_for_behind_names() {
    for compared in [
        "k := y.kind; k == \"none\"",
        "k := y.kind; n := y.name; k == \"none\"",
        "k := y.kind; k == input.kind",
        "k := input.deep.kind; y.kind == k",
        "n := y; y.kind == \"none\"",
        "n := x; y.kind == \"none\"",
        "n := 1; y.kind == \"none\"",
        "n := input; y.kind == \"none\"",
        "n := input.deep; y.kind == \"none\"",
        "n := data.base.k1; y.kind == \"none\"",
    ] {
        let found = format!("[y | some x in input.xs; x >= 0; some y in input.rows; {compared}]");
        let rules = format!("p := z if z := {found} with input.kind as \"none\" with input.deep.kind as \"none\"");
        let (steps, _) = cost(&rules, 100, Limits::default()).unwrap();
        assert!(steps < 5_000, "{compared}: {steps}");
    }
}

/// Where a function stands in the place of a member, the others are copied once more.
#[test]
fn what_is_beside_a_function_is_paid_for() {
    let growth = |put: &str| {
        let rules = format!("g(x) := x\n\np := z if z := count(data.base) with data.base.k1 as {put}");
        let [small, large] = [100, 300].map(|count| cost(&rules, count, Limits::default()).unwrap());
        (large.0 - small.0, large.1 - small.1)
    };
    let (value, function) = (growth("5"), growth("g"));
    assert_eq!(function, (value.0 + 300, value.1 + 6400));
}

/// How deep things are inside of each other counts, not how many there were.
#[test]
fn depth_is_what_is_open() {
    let chain: String = (0..100).map(|at| format!("f{at}(x) := f{}(x)\n\n", at + 1)).collect();
    let nested = format!("{chain}f100(x) := x\n\np := f0(input.xs)");
    let limits = |depth| Limits { depth, ..Limits::default() };
    assert_eq!(cost(&nested, 1, limits(90)).unwrap_err(), "eval_cancel_error: nested deeper than 90 levels");
    cost(&nested, 1, limits(1_000)).unwrap();
    for many in [
        "f(x) := x + 1\n\np := [f(x) | some x in input.xs]",
        "p := [y | some x in input.xs; y := [x | x > -1]]",
        "p if every x in input.xs { not x == -1 }",
        "q := input.a\n\np := [y | some x in input.xs; y := q with input.a as x]",
    ] {
        cost(many, 1_000, limits(90)).unwrap();
    }
}

/// Where nobody hears in which order things happen, a rule is finished before what follows it: it is not open then any more.
#[test]
fn what_is_gone_through_is_finished() {
    let rules: String = (0..60).map(|at| format!("q{at} := input.xs\n\n")).collect();
    let through: String = (0..60).map(|at| format!("\tsome x{at} in q{at}\n")).collect();
    let limits = Limits { depth: 90, ..Limits::default() };
    cost(&format!("{rules}p if {{\n{through}}}"), 1, limits).unwrap();
}

/// As many levels as are allowed may be open.
#[test]
fn what_calls_nothing_is_one_level() {
    let limits = |depth| Limits { depth, ..Limits::default() };
    assert_eq!(cost("p := 1", 1, limits(0)).unwrap_err(), "eval_cancel_error: nested deeper than 0 levels");
    cost("p := 1", 1, limits(1)).unwrap();
}

/// What is below `data.system` is there for those that ask for it.
#[test]
fn all_of_data_is_without_system() {
    let text = |name: &str, text: &str| Text { name: name.to_owned(), text: text.to_owned(), version: None };
    let texts = [text("s.rego", "package system.x\n\ny := 1"), text("a.rego", "package a.system\n\nz := data.system.x.y")];
    let bound = Arc::new(Program::compile(&texts, &Default::default()).unwrap()).bind(Value::object([]));
    let document = |path: &[&str]| {
        let path: Vec<Value> = path.iter().map(|name| Value::from(*name)).collect();
        bound.document(&path, &Request::default()).unwrap().unwrap().to_string()
    };
    assert_eq!(document(&[]), r#"{"a": {"system": {"z": 1}}}"#);
    assert_eq!(document(&["system"]), r#"{"x": {"y": 1}}"#);
}

/// A document above a deep one that was put, and rules below it, are seen merged on a small stack.
#[test]
fn deep_documents_are_merged_on_any_stack() {
    let rules = "p := y if {\n\tv := data.q with data.q.deep as json.unmarshal(input.text)\n\ty := count(v)\n}";
    let depth = 9_000;
    let text = format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    let texts = [("t.rego", format!("package t\n\n{rules}\n")), ("q.rego", "package q.deep\n\na := 1\n".to_owned())];
    let texts = texts.map(|(name, text)| Text { name: name.to_owned(), text, version: None });
    let bound = Arc::new(Program::compile(&texts, &Default::default()).unwrap()).bind(Value::object([]));
    let input = Value::object([("text".into(), Value::from(text))]);
    let path = [Value::from("t"), Value::from("p")];
    let ask = move || bound.document(&path, &Request { input: Some(&input), ..Request::default() }).unwrap();
    let answer = std::thread::Builder::new().stack_size(2 << 20).spawn(ask).unwrap().join().unwrap();
    assert_eq!(answer, Some(Value::from(1_i64)));
}

/// The slots of a function's variables are free again after each of 5,000 calls.
#[test]
fn frames_do_not_pile_up() {
    let policy = "package t\n\nf(x) := y if {\n\ty := x + 1\n\ty > 0\n}\n\np := count([y | some x in numbers.range(1, 5000); y := f(x)])\n";
    let text = Text { name: "t.rego".to_owned(), text: policy.to_owned(), version: None };
    let bound = Arc::new(Program::compile(&[text], &Default::default()).unwrap()).bind(Value::object([]));
    let (arena, request) = (Arena::new(), Request::default());
    let mut evaluation = bound.evaluation(&arena, &request, request.options());
    assert_eq!(evaluation.document(&["t".into(), "p".into()]).unwrap(), Some(Value::from(5_000_i64)));
    assert!(evaluation.slots.capacity() < 1_000, "{}", evaluation.slots.capacity());
}
