//! What is kept from one version of base documents to the next is what would be found again: random policies, documents and changes.
//!
//! `DEPEND_POLICIES=20000` tries more of them.

use std::cell::RefCell;
use std::sync::Arc;

use plimsoll_rego::limits::Limits;
use plimsoll_rego::program::{Bound, Program, Request};
use plimsoll_rego::value::Value;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value as Json;

use super::choice::Choices;
use super::document::{change, change_at_edge, document};
use super::policy::policy;
use super::{json, set};

fn cases() -> u32 {
    std::env::var("DEPEND_POLICIES").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}

/// How often something happened.
#[derive(Debug, Default)]
struct Counts {
    changes: usize,
    /// Documents that were kept, and that were still kept after the next change.
    kept: usize,
    carried: usize,
}

#[test]
fn what_is_carried_over_is_what_would_be_found_again() {
    let mut runner =
        TestRunner::new(Config { cases: cases(), max_shrink_iters: 400, failure_persistence: None, ..Config::default() });
    let counts = RefCell::new(Counts::default());
    let strategy = (vec(any::<u8>(), 60..400), vec(vec(any::<u8>(), 200..400), 3));
    let result = runner.run(&strategy, |(bytes, rounds)| {
        let modules = policy(&mut Choices::new(&bytes));
        check(&modules, &rounds, &mut counts.borrow_mut())
    });
    let counts = counts.into_inner();
    if let Err(error) = result {
        panic!("{error}\n{counts:?}");
    }
    assert!(counts.kept * 20 > counts.changes && counts.carried * 4 > counts.kept, "{counts:?}");
}

/// Documents of all sorts that are made of one part for each member of `data.m`.
const PARTS: [&str; 3] = [
    r#"package q

r0[k] := [w.x, f(w.y), g(w)] if some k, w in data.m

r1 contains [k, w.a] if {
	some k, w in data.m
	w.x
	not w.b.x
}

r2 := {k: w.x | some k, w in data.m}

r3 := [w.b | some w in data.m]

r4 := count({w.a | some w in data.m; w.x != null})

r5[k] contains v if {
	some k, w in data.m
	some v in w
}

r6[w.a] := w.x if some w in data.m

r7 contains json.marshal(w) if some w in data.m

r8[k] := v if {
	some k, w in data.m
	v := h with input as w
}

r9 := r0 if count(r1) > 0

r13[k] := v if some k, v in data.items["0"]

r14 := [v | some v in data.items["+1"]]

r15 := {k: v | some k, v in data.m["1"]}

r16 := [[v, data.s] | some v in data.m]

r10 := [x | some w in data.m; x := [pair(w, w.b), pair(w, input.x), deep(w)]]

r11 := z if z := [x | some w in data.m; x := g(w)] with f as data.t.any

r12 := z if z := [x | some w in data.m; x := [deep(w), pair(w, "text")]] with input as {"x": data.m.x}

pair(o, y) := [o.x, y] if o.x != y

pair(o, y) := [o.a, y] if {
	o.x == y
	deep(o)
}

deep(o) := [g(v) | some v in o; f(v)]

f(o) := [o, 1] if o != null

g(o) := {f(v) | some v in o}

h := [input.x, f(input.a)]
"#,
    r#"package p

answer := [data.q, data.q.r0.x, data.q.r5.a, data.q.f(input.x)]

named contains data.q.r0[input.n]

named contains data.q.r5[1]

named contains data.q.r2["1"]

named contains data.q.r13.x
"#,
    "package t\n\nany(x) := x\n",
];

#[test]
fn documents_that_are_made_of_kept_parts_are_as_found_again() {
    let mut runner = TestRunner::new(Config { cases: (cases() * 2) / 5, failure_persistence: None, ..Config::default() });
    let modules = PARTS.map(str::to_owned);
    assert!(set::compiled(&PARTS).is_ok(), "{:?}", set::compiled(&PARTS).err());
    let result = runner.run(&vec(vec(any::<u8>(), 150..300), 2), |rounds| check(&modules, &rounds, &mut Counts::default()));
    result.unwrap();
}

fn check(modules: &[String; 3], rounds: &[Vec<u8>], counts: &mut Counts) -> Result<(), TestCaseError> {
    let Ok(program) = set::compiled(&modules.each_ref().map(String::as_str)) else { return Ok(()) };
    let edges = set::reads(&program, "data.p.answer").data.paths();
    for bytes in rounds {
        let mut choices = Choices::new(bytes);
        let (input, mut tree) = (json::of(&document(&mut choices)), document(&mut choices));
        let mut bound = program.bind(json::of(&tree)).keeping();
        same(&program, &bound, &input, modules, &tree)?;
        while choices.more() {
            let before = tree.clone();
            if !choices.chance(3) || change_at_edge(&mut tree, &edges, &mut choices).is_none() {
                change(&mut tree, &mut choices);
            }
            counts.changes += 1;
            counts.kept += bound.kept();
            let data = sharing(bound.data(), &before, &tree);
            bound = program.bind(data).succeeding(&bound);
            counts.carried += bound.kept();
            bound.prepare_again(std::time::Duration::MAX, Limits::default);
            same(&program, &bound, &input, modules, &tree)?;
        }
    }
    Ok(())
}

/// Asks for all documents, twice, so that the second time what is kept is answered.
fn same(program: &Arc<Program>, bound: &Bound, input: &Value, modules: &[String; 3], tree: &Json) -> Result<(), TestCaseError> {
    let fresh = program.bind(json::of(tree));
    let all =
        [vec!["q"], vec!["q", "r2"], vec!["q", "r5"], vec!["q", "r9"], vec!["q", "r10"], vec!["q", "r11"], vec!["q", "r12"]];
    for path in all.into_iter().chain([
        vec!["q"],
        vec!["p", "answer"],
        vec!["q", "r0"],
        vec!["q", "r1"],
        vec!["p", "named"],
        vec!["p"],
        vec!["q"],
        vec!["p", "answer"],
    ]) {
        let path: Vec<_> = path.into_iter().map(Value::from).collect();
        let [kept, found] = [bound, &fresh].map(|bound| shown(bound, &path, input));
        bound.prepare_wanted(Limits::default);
        if kept != found {
            let what = format!("{path:?}\n{}\ninput: {input}\ndata: {tree}\nkept: {kept}\nfound: {found}", modules.join("\n"));
            return Err(TestCaseError::fail(what));
        }
    }
    Ok(())
}

fn shown(bound: &Bound, path: &[Value], input: &Value) -> String {
    match bound.document(path, &Request { input: Some(input), ..Request::default() }) {
        Ok(value) => value.map_or_else(|| "undefined".to_owned(), |value| value.to_string()),
        Err(error) => format!("{error:?}"),
    }
}

/// A value of a new tree that shares what has not changed with the value of an old one.
fn sharing(value: &Value, old: &Json, new: &Json) -> Value {
    // As trees, `1` is not `1.0`.
    if old == new {
        return value.clone();
    }
    let (Value::Object(_), Some(old), Some(new)) = (value, old.as_object(), new.as_object()) else { return json::of(new) };
    let member = |(name, new): (&String, &Json)| {
        let key = Value::from(name.as_str());
        let known = value.get(&key).zip(old.get(name));
        (key, known.map_or_else(|| json::of(new), |(value, old)| sharing(value, old, new)))
    };
    Value::object(new.iter().map(member))
}
