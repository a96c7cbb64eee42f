//! Functions of several modules: where they are, and which cannot be.

use std::sync::Arc;

use serde_json::json;

use crate::rego::testing::Verdict;
use crate::rego::{EvalError, Limits, Module, Program, RegoVersion};

fn modules(texts: &[&str]) -> Vec<Module> {
    let module = |(i, text): (usize, &&str)| Module { key: format!("m{i}.rego"), text: (*text).to_owned() };
    texts.iter().enumerate().map(module).collect()
}

#[test]
fn places_and_lines_are_those_of_the_modules_as_written() {
    let texts = [
        "package p\n\nf(x) := 1 if {\n\tx == 1\n}\n\n# f\nother := 2\n",
        "package p\n\nimport data.q.d\n\n\tf(x) := y if {\n\tx == 2 # é\n\tz := 2; y := to_number(\"a\")\n} else := 3\n\ntest_f if f(2) == 3\n\ne := f(2)\n",
    ];
    let program = Arc::new(Program::compile(&modules(&texts), RegoVersion::Auto).unwrap());
    let lines = |key: &str| program.lines().0.get(key).into_iter().flatten().copied().collect::<Vec<_>>();
    assert_eq!(lines("m0.rego"), [3, 4, 8]);
    assert_eq!(lines("m1.rego"), [5, 6, 7, 8, 10, 12]);
    let prepared = program.prepare(json!({}).into()).unwrap();
    let strict = Limits { strict_builtin_errors: true, ..Limits::default() };
    let path = ["p", "e"].map(str::to_owned);
    match prepared.document(&path, None, &strict) {
        Err(EvalError::Builtin { location, .. }) => assert_eq!(location, "m1.rego:7:27"),
        other => panic!("{other:?}"),
    }
    let tests = program.tests();
    let run = prepared.cover_test(&tests[0], None, &Limits::default());
    assert!(matches!(run.verdict, Verdict::Pass), "{:?}", run.verdict);
    assert!(run.covered.0.keys().all(|key| ["m0.rego", "m1.rego"].contains(&key.as_str())), "{:?}", run.covered);
    assert!(run.covered.0.get("m0.rego").is_some_and(|rows| rows.contains(&4)), "{:?}", run.covered);
}

#[test]
fn what_cannot_run_together_is_refused_with_its_place() {
    let v1 = "package p\n\nf(x) := x if x == 1\n";
    let cases: [(&[&str], &str); 5] = [
        (
            &[v1, "package p\n\nf(x) = x { x == 2 }\n"],
            "m1.rego:3:1: rego_compile_error: function data.p.f is defined in several modules of different Rego versions",
        ),
        (
            &["package p\n\na.f(x) := 1 if x == 1\n", "package p.a\n\nf(x) := 2 if x == 2\n"],
            "m1.rego:3:1: rego_compile_error: function data.p.a.f is defined in several modules of different packages",
        ),
        (
            &["package p\nimport future.keywords.in\nf(x) = 1 { x in [1] }\n", "package p\nf(x) = 2 { x == 2 }\n"],
            "m1.rego:2:1: rego_compile_error: function data.p.f is defined in several modules of different imports",
        ),
        (
            &["package p\n\ndefault f(_) := [x | x := 1]\n"],
            "m0.rego:3:9: rego_compile_error: a comprehension is not supported as the default value",
        ),
        (&["package p\n\nx := 1 # é plimsoll__\n"], "m0.rego:3:12: rego_compile_error: `plimsoll__` is a name of Plimsoll's own"),
    ];
    for (texts, expected) in cases {
        let errors = Program::compile(&modules(texts), RegoVersion::Auto).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].to_string().contains(expected), "{}", errors[0]);
    }
    // The same in one module, or in modules that are alike.
    let v0 = "package p\nimport future.keywords.in\nf(x) = x { x in [1] }\n";
    assert!(Program::compile(&modules(&[v0, &v0.replace("[1]", "[2]")]), RegoVersion::Auto).is_ok());
}
