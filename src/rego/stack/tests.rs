//! Deep policies: what fits is evaluated on a small stack, what does not on its own, and what cannot is refused.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{ORDINARY, Stack};
use crate::rego::{Limits, Module, Program, RegoVersion, Value, parse};

/// Ways to nest, as the text of level `i` above level `i - 1`; the document is `x`.
const KINDS: &[(&str, &str, &str)] = &[
    ("r0 := 1", "r{i} := r{j}", "x := r{j}"),
    ("r0 := 1", "r{i} := y if { y := r{j} }", "x := r{j}"),
    ("r0 := 1", "r{i} := {\"a\": [y | some z in [1]; y := [r{j}, z]]}", "x := count(r{j})"),
    ("r0 contains 1", "r{i} contains y if some y in r{j}", "x := count(r{j})"),
    ("r0[\"k\"] := 1", "r{i}[k] := v if some k, v in r{j}", "x := count(r{j})"),
    ("f0(x) := x", "f{i}(x) := f{j}(x)", "x := f{j}(1)"),
    ("f0(x) := x", "f{i}(x) := y if { some z in [x]; y := abs(f{j}(z)) }", "x := f{j}(1)"),
    ("f0(x) := x", "f{i}(x) := y if { every z in [x] { f{j}(z) == 1 }; y := 1 }", "x := f{j}(1)"),
    ("r0 := 1", "r{i} := 1 if not r{j} == 2", "x := r{j}"),
    ("r0 := 1", "r{i} := data.p.r{j}", "x := r{j}"),
];

fn module((first, level, last): (&str, &str, &str), levels: usize) -> Module {
    let number = |text: &str, i: usize| text.replace("{i}", &i.to_string()).replace("{j}", &(i - 1).to_string());
    let lines = (1..levels).map(|i| number(level, i)).chain([number(last, levels)]);
    let text = ["package p".to_owned(), first.to_owned()].into_iter().chain(lines).collect::<Vec<_>>().join("\n");
    Module { key: "deep.rego".into(), text }
}

fn x(program: Program) -> Json {
    let prepared = Arc::new(program).prepare(Value::default()).unwrap();
    prepared.document(&["p".into(), "x".into()], None, &Limits::default()).unwrap().unwrap()
}

fn compile(kind: (&str, &str, &str), levels: usize) -> Program {
    Program::compile(&[module(kind, levels)], RegoVersion::V1).unwrap()
}

fn on_a_stack_of<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work).unwrap().join().unwrap())
}

#[test]
fn what_is_taken_for_ordinary_fits() {
    for kind in KINDS {
        let need = |levels| Stack::of(&[parse::parse(&module(*kind, levels), RegoVersion::V1).unwrap()]).unwrap();
        let deepest = (1..200).take_while(|levels| need(*levels) <= Stack(ORDINARY)).last().unwrap();
        assert!(deepest >= 10, "{kind:?}: {deepest}");
        let program = compile(*kind, deepest);
        assert_eq!(on_a_stack_of(ORDINARY, || x(program)), json!(1), "{kind:?}");
    }
}

#[test]
fn what_is_deeper_gets_its_own_stack() {
    for kind in KINDS {
        let program = on_a_stack_of(2 << 20, || compile(*kind, 250));
        assert!(program.stack > Stack(ORDINARY));
        assert_eq!(on_a_stack_of(ORDINARY, || x(program)), json!(1), "{kind:?}");
    }
}

#[test]
fn what_is_too_deep_is_refused_with_its_place() {
    for kind in KINDS.iter().take(2) {
        let errors = Program::compile(&[module(*kind, 6000)], RegoVersion::V1).unwrap_err();
        assert!(errors[0].message.contains("too many levels"), "{kind:?}: {}", errors[0]);
        assert_eq!(errors[0].location.file, "deep.rego");
    }
}

#[test]
fn nested_expressions_fit() {
    let nested = |open: &str, close: &str, levels: usize| format!("x := {}1{}", open.repeat(levels), close.repeat(levels));
    let references = format!("x := 1 if not input{}", ".a".repeat(590));
    let sum = format!("x := count([{}]) - 594", "1, ".repeat(595));
    for text in [nested("abs(", ")", 190), references, sum, format!("x := 1{}", " * 1".repeat(30))] {
        let module = Module { key: "deep.rego".into(), text: format!("package p\n{text}") };
        let found = on_a_stack_of(2 << 20, || x(Program::compile(&[module], RegoVersion::V1).unwrap()));
        assert_eq!(found, json!(1), "{text}");
    }
}
