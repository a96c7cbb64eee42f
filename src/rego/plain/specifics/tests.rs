use std::sync::Arc;

use crate::rego::{Limits, Module, Program, RegoVersion, Value};

fn compile(texts: &[&str]) -> Result<Program, String> {
    let module = |(i, text): (usize, &&str)| Module { key: format!("m{i}"), text: (*text).to_owned() };
    let modules: Vec<_> = texts.iter().enumerate().map(module).collect();
    let place = |error: &plimsoll_contract::policy::Diagnostic| {
        format!("{}:{}:{} {}", error.location.file, error.location.row, error.location.col, error.message)
    };
    Program::compile(&modules, RegoVersion::Auto).map_err(|errors| errors.iter().map(place).collect::<Vec<_>>().join("\n"))
}

#[test]
fn what_cannot_be_named_is_refused() {
    let cases: &[(&[&str], &str)] = &[
        (
            &["package a\np[x] := 1 if some x in input.l", "package a.p\nq := 1", "package b\nr := data.a.p.q"],
            "m1:1:9 a package inside an object",
        ),
        (
            &["package a\np[x].w := 1 if some x in input.l\ny := p.k", "package a.p.k\nz := 1"],
            "m1:1:9 a package inside an object",
        ),
        (
            &["package a\np[x].w := 1 if some x in input.l\ny := p[_]", "package a.p.k.l\nz := 1"],
            "m1:1:9 a package inside an object",
        ),
        (&["package a\np[x] := 1 if some x in input.l\np.b := 2 if input.z else := 3"], "m0:3:1 `else` in a rule for one member"),
        (
            &["package a\np[x] := 1 if some x in input.l\np.b.c := 2", "package b\nr := data[input.x].p.b"],
            "m1:2:6 names behind a package",
        ),
        (&["package a\n__target__ := \"x\""], "m0:2:1 `__target__`"),
    ];
    for (texts, expected) in cases {
        let refusal = compile(texts).unwrap_err();
        assert!(refusal.starts_with(expected), "{refusal}");
    }
}

#[test]
fn heads_with_variables_do_not_come_to_constants_that_are_read_inside() {
    let text = "package a\np.b := 1 if input.z\np.c := p.b\np[x] := 2 if some x in input.l\ny := p.b";
    let program = Arc::new(compile(&[text]).unwrap());
    let prepared = program.prepare(Value::from_json(b"{}").unwrap()).unwrap();
    for document in ["p", "y"] {
        let input = Value::from_json(br#"{"l": ["b"]}"#).unwrap();
        let path = ["a".to_owned(), document.to_owned()];
        let error = prepared.document(&path, Some(&input), &Limits::default()).unwrap_err().to_string();
        assert!(error.contains("a head with variables comes to \"b\""), "{error}");
    }
}
