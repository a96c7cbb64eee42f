//! Documents that are answered otherwise are told apart by what is read: each case was once answered alike.

use plimsoll_rego::program::Request;
use plimsoll_rego::value::{Value, json};

use super::set::{compiled, reads};

/// Rules, and what stands in `input` and `data` before and after.
type Case = (&'static str, [(&'static str, &'static str); 2]);

const CASES: &[Case] = &[
    // What `with` replaces is seen merged with what is stored, from above.
    (
        "f(y) := input.z if y.a == {\"k\": 1, \"j\": 2}\n\nr := v if { v := f(data.x) with data.x.a as {\"k\": 1} }",
        [(r#"{"z": 1}"#, r#"{"x": {"a": {"j": 2}}}"#), (r#"{"z": 2}"#, r#"{"x": {"a": {"j": 2}}}"#)],
    ),
    (
        "f(y) := data.z if y.a.j == 2\n\nr := v if { v := f(data.x) with data.x.a as {\"k\": 1} }",
        [("{}", r#"{"x": {"a": {"j": 2}}, "z": 1}"#), ("{}", r#"{"x": {"a": {"j": 2}}, "z": 2}"#)],
    ),
    (
        "f(o) := input.z if o.a.j == 2\n\nr := v if { v := f(data.x) with data.x.a as {\"k\": 1} }",
        [(r#"{"z": 1}"#, r#"{"x": {"a": {"j": 2}}}"#), (r#"{"z": 2}"#, r#"{"x": {"a": {"j": 2}}}"#)],
    ),
    (
        "t := input.z if { y := data.x; y.a == {\"k\": 1, \"j\": 2} }\n\nr := v if { v := t with data.x.a as {\"k\": 1} }",
        [(r#"{"z": 1}"#, r#"{"x": {"a": {"j": 2}}}"#), (r#"{"z": 2}"#, r#"{"x": {"a": {"j": 2}}}"#)],
    ),
    (
        "f(y) := y.a.c.j\n\nr := v if { v := f(data.x) with data.x.a as input.v }",
        [(r#"{"v": {"c": {}}}"#, r#"{"x": {"a": {"c": {"j": 2}}}}"#), (r#"{"v": {"c": 5}}"#, r#"{"x": {"a": {"c": {"j": 2}}}}"#)],
    ),
    // Which of two objects a member of their union comes from is decided at each level.
    ("r := object.union({\"c\": {\"j\": 2}}, input.v).c.j", [(r#"{"v": {"c": {}}}"#, "{}"), (r#"{"v": {"c": 5}}"#, "{}")]),
    (
        "u := object.union(object.remove({\"a\": {\"x\": 1}, \"z\": 0}, [\"z\"]), object.remove({\"a\": {\"y\": 2}, \"z\": 0}, [\"z\"]))\n\nr := input.z if u.a == {\"x\": 1, \"y\": 2}",
        [(r#"{"z": 1}"#, "{}"), (r#"{"z": 2}"#, "{}")],
    ),
    (
        "u := object.union(input, data.d)\n\nr := v if { v := u.z with input.a as {\"x\": 1} with data.d.a as {\"y\": 2} }",
        [(r#"{"z": 1}"#, "{}"), (r#"{"z": 2}"#, "{}")],
    ),
    (
        "u := object.remove(object.union(input.v, input.w), [\"x\"])\n\nr := u.c.j",
        [(r#"{"v": {"c": {"j": 1}}, "w": {"c": {}}}"#, "{}"), (r#"{"v": {"c": {"j": 1}}, "w": {"c": 7}}"#, "{}")],
    ),
    // Two values of one shape are merged, too: choices of constants, and members of which any may be meant.
    (
        "t := {\"p\": {\"k\": {\"x\": 1}}, \"q\": {\"k\": {\"y\": 2}}}\n\nr := input.z if object.union(t[input.a].k, t[input.b].k) == {\"x\": 1, \"y\": 2}",
        [(r#"{"a": "p", "b": "q", "z": 1}"#, "{}"), (r#"{"a": "p", "b": "q", "z": 2}"#, "{}")],
    ),
    (
        "f(\"a\") := {\"x\": 1}\n\nf(\"b\") := {\"y\": 2}\n\nr := input.z if object.union(f(input.a), f(input.b)) == {\"x\": 1, \"y\": 2}",
        [(r#"{"a": "a", "b": "b", "z": 1}"#, "{}"), (r#"{"a": "a", "b": "b", "z": 2}"#, "{}")],
    ),
    (
        "r := object.union(input.xs[input.i], input.xs[input.j]).a.b",
        [
            (r#"{"xs": [{"a": {"b": 1}}, {"a": {"c": 2}}], "i": 0, "j": 1}"#, "{}"),
            (r#"{"xs": [{"a": {"b": 1}}, {"a": 5}], "i": 0, "j": 1}"#, "{}"),
        ],
    ),
    (
        "m[k] := v if some k, v in input.m\n\nr := object.union_n([m[input.i], {}, m[input.j]]).a.b",
        [
            (r#"{"m": {"x": {"a": {"b": 1}}, "y": {"a": {"c": 2}}}, "i": "x", "j": "y"}"#, "{}"),
            (r#"{"m": {"x": {"a": {"b": 1}}, "y": {"a": 5}}, "i": "x", "j": "y"}"#, "{}"),
        ],
    ),
    (
        "none := {} if false\n\nr := input.z if object.union_n([o | o := none]) == {}",
        [(r#"{"z": 1}"#, "{}"), (r#"{"z": 2}"#, "{}")],
    ),
    // One number may be written in two ways, which find other members.
    (
        "r := x if { input.n == 1; x := data.m[1.0] }",
        [(r#"{"n": 1}"#, r#"{"m": {"1.0": 5}}"#), (r#"{"n": 1}"#, r#"{"m": {"1.0": 6}}"#)],
    ),
    (
        "k := 1 if data.a\n\nk := 1.0 if not data.a\n\nr := data.m[k]",
        [("{}", r#"{"m": {"1.0": 5}}"#), ("{}", r#"{"m": {"1.0": 6}}"#)],
    ),
    (
        "t := [\"p\", \"q\"]\n\nr := input.z if { k := 1e0; not t[k]; t[1] == \"q\" }",
        [(r#"{"z": 1}"#, "{}"), (r#"{"z": 2}"#, "{}")],
    ),
    (
        "o := input.a if data.k[1]\n\no := input.b if not data.k[1.0]\n\nr := o.kind",
        [
            (r#"{"a": {"kind": 1, "z": 1}, "b": {"kind": 1, "z": 1}}"#, r#"{"k": {"1": true}}"#),
            (r#"{"a": {"kind": 1, "z": 1}, "b": {"kind": 1, "z": 2}}"#, r#"{"k": {"1": true}}"#),
        ],
    ),
    (
        "r := input.a if { z := 0.10000000000000000010 == 0.10000000000000000000; z }",
        [(r#"{"a": 1}"#, "{}"), (r#"{"a": 2}"#, "{}")],
    ),
    ("r := object.filter(object.union({1: \"a\"}, input.o), [1.0, 2.0])", [(r#"{"o": {}}"#, "{}"), (r#"{"o": {"x": 1}}"#, "{}")]),
    // What a function is called with is compared with what it was called with before, in parts that are read nowhere, too.
    (
        "f(x) := x\n\nr := data.m[a] if { b := f(input.a); is_number(b); a := f(1) }",
        [(r#"{"a": 2}"#, r#"{"m": {"1": "x"}}"#), (r#"{"a": 1.0}"#, r#"{"m": {"1": "x"}}"#)],
    ),
    (
        "f(x) := x if true\n\nr := data.m[a.k] if { b := f(input.a); is_object(b); a := f({\"k\": 1}) }",
        [(r#"{"a": {"k": 2}}"#, r#"{"m": {"1": "x"}}"#), (r#"{"a": {"k": 1.0}}"#, r#"{"m": {"1": "x"}}"#)],
    ),
    // What was computed for a function that is called instead of another one is known outside of it, and the other way round.
    (
        "g(x) := x.a\n\nk(_) := 1\n\nf(_) := 1\n\nh(_) := 2 if t\n\nt := g(input)\n\nu := [a, b] if { a := f(1); b := t }\n\nr := v if { v := u with data.p.f as h with data.p.g as k }",
        [(r#"{"a": 5}"#, "{}"), (r#"{"a": 6}"#, "{}")],
    ),
    (
        "g(x) := x.a\n\nk(_) := input.z\n\nf(_) := 1\n\nh(_) := t\n\nt := g(input)\n\nu := [b, a] if { b := t; a := f(1) }\n\nr := v[1] if { v := u with data.p.f as h with data.p.g as k }",
        [(r#"{"a": 5, "z": 1}"#, "{}"), (r#"{"a": 5, "z": 2}"#, "{}")],
    ),
    // A rule is found by its index, whatever takes the place of the builtin that it was made from.
    (
        "q if startswith(input.x, \"a\")\n\nr if { q with startswith as true }",
        [(r#"{"x": "abc"}"#, "{}"), (r#"{"x": "xyz"}"#, "{}")],
    ),
    (
        "q contains 1 if endswith(input.x, \"a\")\n\nr := v if { v := q with endswith as true }",
        [(r#"{"x": "cba"}"#, "{}"), (r#"{"x": "xyz"}"#, "{}")],
    ),
];

#[test]
fn what_is_answered_otherwise_is_told_apart() {
    let read = |text: &str| json::read(text.as_bytes(), 16).unwrap();
    let mut wrong = Vec::new();
    for (rules, documents) in CASES {
        let program = compiled(&[&format!("package p\n\n{rules}")]).unwrap();
        let found = reads(&program, "data.p.r");
        let [before, after] = documents.map(|(input, data)| {
            let (input, data) = (read(input), read(data));
            let request = Request { input: Some(&input), ..Request::default() };
            let answer = program.bind(data.clone()).document(&["p".into(), "r".into()], &request);
            let answer = answer.map(|answer| answer.as_ref().map(Value::to_string)).map_err(|error| error.to_string());
            (answer, found.project(&input).to_string(), found.project_data(&data).to_string())
        });
        if before.0 == after.0 {
            wrong.push(format!("answered alike: {rules}: {:?}", after.0));
        } else if before.1 == after.1 && before.2 == after.2 {
            wrong.push(format!("not told apart: {rules}: {:?} {:?}", before.0, after.0));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
