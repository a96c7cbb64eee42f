//! What decides whether an evaluation ends with an error is read.

use plimsoll_rego::program::Request;
use serde_json::Value as Json;

use super::json;
use super::set::{compiled, reads};

/// Checks that `data.p.r` has an answer, or is undefined, for the first document as input and data, that it ends with an error for the
/// second one, and that what is read tells the documents apart.
fn fails_after(rules: &str, documents: [&Json; 2], strict_builtin_errors: bool) {
    let beside = "import future.keywords.or\n\ntwo := 1 if input.a\n\ntwo := 2 if input.a";
    let program = compiled(&[&format!("package p\n\n{beside}\n\n{rules}")]).unwrap();
    let reads = reads(&program, "data.p.r");
    let [before, after] = documents.map(|document| {
        let document = json::of(document);
        let request = Request { input: Some(&document), strict_builtin_errors, ..Request::default() };
        let answer = program.bind(document.clone()).document(&["p".into(), "r".into()], &request);
        (answer.is_ok(), reads.project(&document).to_string(), reads.project_data(&document).to_string())
    });
    assert!(before.0 && !after.0 && (before.1 != after.1 || before.2 != after.2), "{rules}: {before:?} {after:?}");
}

/// Two values meet in the second definition, which is left where the first one holds, unless the third one might: nothing else tells these
/// documents apart.
#[test]
fn what_decides_whether_others_are_left_is_read() {
    for rules in [
        "r := 1 if input.a == 1\n\nr := 1 if two\n\nr := input.a if { false; input.b == 5 }",
        "r := input.a if { false; input.b == 5 }\n\nr := 1 if input.a == 1\n\nr := 1 if two",
        "r := 1 if input.a == 1\n\nr := 1 if two\n\nr := 2 if { false; input.b == 5 }",
        "r if input.a == 1\n\nr if two\n\nr := input.a if { false; input.b == 5 }",
        "r := 1 if data.a == 1\n\nr := 1 if two\n\nr := input.a if { false; data.b == 5 }",
        "r := 1 if data.a == 1\n\nr := 1 if two\n\nr := data.a if { false; data.b == 5 }",
        "f(_, _) := 1 if input.a == 1\n\nf(_, _) := 1 if two\n\nf(x, y) := y if { false; x == 5 }\n\nr := f(input.b, input.a)",
        "r := 1 if input.a == 1\n\nr := 1 if two\n\nr := 1 if input.a == 7\n\nelse := input.a if { false; input.b == 5 }",
        "r := 1 if input.a == 1\n\nr := 1 if two\n\nr := input.a if { false; input.b == 5 }\n\nelse := 1 if input.a == 7",
        "r := 1 if { two; false; input.b == 5 }",
        "r := 1 if { two; false; data.b == 5 }",
        "r := 1 if { two; false; input.b == 5 }\n\nelse := 2 if input.a == 2",
        "r := 1 if input.a == 2\n\nelse := 2 if { two; false; input.b == 5 }",
        "r := 1 if { two; not input.a; input.b == 5 }",
        "r := input.a if { two; false; input.b == 5 }",
        "r := input.a if { two; u; input.b == 5 }\n\nu := 1 if false",
        "r contains 1 if { two; false; input.b == 5 }",
        "r contains 1 if input.a == 2\n\nr contains 2 if { two; false; input.b == 5 }",
        "r[k].c contains 1 if { k := \"a\"; two; false; input.b == 5 }",
        "r[k] := 1 if { k := \"a\"; two; false; input.b == 5 }",
        "f(x, _) := 1 if { two; false; x == 5 }\n\nr := [f(input.b, 1)]",
        "f(5, _) := 1 if { two; false }\n\nr := [f(input.b, 1)]",
        "r := 1 if { two; ({ false; input.b == 5 } or input.c == 7) }",
        "r := input.a if { input.a with input[0] as 1; false; input.b == 5 }",
        "d := 5 if { two; false; input.b == 5 }\n\ndefault r := 1\n\nr := d",
    ] {
        let [before, after] = [4, 5].map(|b| serde_json::json!({"a": 1, "b": b}));
        fails_after(rules, [&before, &after], false);
    }
}

/// Two documents, and rules that answer the one and fail for the other, some of them where builtins are strict.
#[test]
fn what_decides_whether_an_error_is_met_is_read() {
    for (rules, before, after, strict_builtin_errors) in [
        ("r := input.a if { two; data.m[input.s] }", r#"{"a": 1, "s": "x"}"#, r#"{"a": 1, "s": "x", "m": 1}"#, false),
        (
            "r := 1 if input.a == 1\n\nr := 1 if two\n\nr := 2 if data.m[input.s]",
            r#"{"a": 1, "s": "x"}"#,
            r#"{"a": 1, "s": "x", "m": 1}"#,
            false,
        ),
        (
            "xs := [{\"t\": \"b\", \"n\": input.n}]\n\ng(o) := 1 if o\n\ng(o) := 2 if o == \"x\"\n\n\
             r := z if { some k in [\"a\"]; z := [v | v := xs[_]; v.t == k; g(v.n)] }",
            r#"{"n": "y"}"#,
            r#"{"n": "x"}"#,
            false,
        ),
        (
            "xs := [{\"t\": \"b\", \"n\": input.n}]\n\nr := z if { some k in [\"a\"]; z := [v | v := xs[_]; v.t == k; to_number(v.n)] }",
            r#"{"n": "1"}"#,
            r#"{"n": "x"}"#,
            true,
        ),
    ] {
        let [before, after] = [before, after].map(|document| serde_json::from_str(document).unwrap());
        fails_after(rules, [&before, &after], strict_builtin_errors);
    }
}
