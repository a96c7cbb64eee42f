//! A few modules, parsed and printed again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

use plimsoll_rego::syntax::parse::{Options, parse_body, parse_module};
use plimsoll_rego::syntax::print;
use plimsoll_rego::syntax::source::Source;
use plimsoll_rego::syntax::span::SourceId;
use plimsoll_rego::syntax::tree::Version;

fn printed(version: Version, text: &str) -> String {
    match parse_module(&Source::new("a.rego", text), SourceId(0), &Options::of(version)) {
        Ok(module) => print::module(&module),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn modules_print_as_opa_prints_them() {
    let text = "package a.b\nimport data.x as y\n\ndefault p := {1, \"a\", [2]}\np contains x if { some x in [1, 2]; x > 1 + 2 * 3 }\n\
                f(x, _) := y if { y := [z | z := x[_].b; not z] } else := 3\nq[x] := y if { every k, v in input { k == v }; x = 1 }\nr.a.b if 1\n";
    let want = "package a.b\n\nimport data.x as y\n\ndefault p := {1, \"a\", [2]}\n\
                p contains x if { some x in [1, 2]; gt(x, plus(1, mul(2, 3))) }\n\
                f(x, _) := y if { assign(y, [z | assign(z, x[_].b); not z]) } else = 3 if { true }\n\
                q[x] := y if { every k, v in input { equal(k, v) }; x = 1 }\nr.a.b = true if { 1 }";
    assert_eq!(printed(Version::V1, text), want);
}

#[test]
fn queries() {
    let body = parse_body(&Source::new("", "x := {a | b, c}; y = {1: 2 | true}"), SourceId(0), &Options::default()).unwrap();
    assert_eq!(print::body(&body), "assign(x, {c, or(a, b)}); y = {1: 2 | true}");
}

#[test]
fn errors_of_all_statements() {
    let errors = printed(Version::V1, "package a\n\np := }\n\nq := 1\n\nr if { x := }\n");
    assert_eq!(
        errors,
        "rego_parse_error: unexpected } token\nrego_parse_error: unexpected } token: expected rule value term (e.g., p := <VALUE> { ... })\nrego_parse_error: unexpected } token"
    );
}

fn depth(text: &str) -> Result<u32, String> {
    let source = Source::new("a.rego", text);
    match parse_module(&source, SourceId(0), &Options::default()) {
        Ok(module) => {
            let depth = module.depth;
            plimsoll_rego::syntax::stack::with_depth(depth, || drop(module));
            Ok(depth)
        }
        Err(errors) => Err(errors.to_string()),
    }
}

/// Brackets of all kinds, chains of operators, references and calls, up to the deepest tree; on the stack of a test.
#[test]
fn deep_texts() {
    let repeated = |open: &str, middle: &str, close: &str, times: usize| {
        format!("package a\np := {}{middle}{}\n", open.repeat(times), close.repeat(times))
    };
    for (open, middle, close) in [
        ("[", "1", "]"),
        ("{", "1", "}"),
        ("{1: ", "1", "}"),
        ("(", "1", ")"),
        ("f(", "1", ")"),
        ("x[", "1", "]"),
        ("[x | x := ", "1", "]"),
        ("{x | x in ", "1", "}"),
        ("[a | x in ", "1", ", 1]"),
        ("[a | x, ", "1", ", 1]"),
        ("[1 + ", "1", "]"),
        ("$\"{", "1", "}\""),
        ("1 + ", "1", ""),
        ("", "1", " in [1]"),
        ("f(1).", "x", ""),
    ] {
        let shallow = depth(&repeated(open, middle, close, 2_000));
        assert!(shallow.is_ok(), "{open}: {shallow:?}");
        let deep = depth(&repeated(open, middle, close, 40_000));
        match (open, &deep) {
            ("(" | "f(1).", _) | (_, Err(_)) => {}
            (_, Ok(_)) => panic!("{open}: {deep:?}"),
        }
        if let Err(message) = &deep {
            assert!(message.contains("max nesting depth exceeded"), "{open}: {message}");
        }
    }
}

#[test]
fn long_texts() {
    let string = format!("package a\np := \"{}\"\nq := 1\n", "x".repeat(66_000));
    assert!(depth(&string).is_ok());
    let dots = format!("package a\np := x{}\n", ".a".repeat(66_000));
    assert!(depth(&dots).is_ok());
    let sum = format!("package a\np := 1{}\n", " + 1".repeat(9_000));
    assert_eq!(depth(&sum).map(|depth| depth > 9_000), Ok(true));
    let list = format!("package a\np := [{}]\n", "{\"a\": x.y[_], \"b\": 1}, ".repeat(20_000));
    assert!(depth(&list).is_ok());
}
