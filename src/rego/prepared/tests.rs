//! Documents: what is defined, what is not, what goes wrong.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::rego::{EvalError, Limits, Module, Prepared, Program, RegoVersion, Value};

fn modules(texts: &[&str]) -> Vec<Module> {
    let module = |(i, text): (usize, &&str)| Module { key: format!("m{i}.rego"), text: (*text).to_owned() };
    texts.iter().enumerate().map(module).collect()
}

fn prepared(texts: &[&str], data: Json) -> Prepared {
    let program = Program::compile(&modules(texts), RegoVersion::Auto).unwrap();
    Arc::new(program).prepare(data.into()).unwrap()
}

pub(super) fn path(text: &str) -> Vec<String> {
    text.split('/').filter(|s| !s.is_empty()).map(str::to_owned).collect()
}

fn document(prepared: &Prepared, at: &str, input: Json) -> Result<Option<Json>, EvalError> {
    prepared.document(&path(at), Some(&Value::from(input)), &Limits::default())
}

#[test]
fn base_and_virtual_documents_are_merged() {
    let package = "package kubernetes.placement\nannotations[k] := v if some k, v in input.a\nerrors contains m if m := input.m\nx := 1 if input.no";
    let p = prepared(&[package, "package empty"], json!({"kubernetes": {"clusters": {"a": {"n": 1}}}, "list": [1, {"x": 2}]}));
    let cases = [
        ("kubernetes/placement", Some(json!({"annotations": {"k": "v"}, "errors": ["m"]}))),
        ("kubernetes/placement/annotations/k", Some(json!("v"))),
        ("kubernetes/placement/annotations/none", None),
        ("kubernetes/placement/x", None),
        ("kubernetes", Some(json!({"clusters": {"a": {"n": 1}}, "placement": {"annotations": {"k": "v"}, "errors": ["m"]}}))),
        ("kubernetes/clusters/a/n", Some(json!(1))),
        ("kubernetes/clusters/b", None),
        ("list/1/x", Some(json!(2))),
        ("list/2", None),
        ("empty", Some(json!({}))),
        ("nothing", None),
        (
            "",
            Some(json!({
                "kubernetes": {"clusters": {"a": {"n": 1}}, "placement": {"annotations": {"k": "v"}, "errors": ["m"]}},
                "list": [1, {"x": 2}],
                "empty": {},
            })),
        ),
    ];
    for (at, expected) in cases {
        let found = document(&p, at, json!({"a": {"k": "v"}, "m": "m"})).unwrap();
        assert_eq!(found, expected, "data/{at}");
    }
}

#[test]
fn names_are_never_syntax() {
    let p = prepared(&["package a\nx := {\"in\": 1}\nsecret := \"s\""], json!({"a": {"b": 1}, "": {"": 2}}));
    let odd =
        ["x\"]; true #", "x][\"secret", "a.secret", "\\", "\u{0}", "\n", "\"", "`", "💥", "_", "some", "0", "-1", "1e3", "input"];
    for name in odd {
        for path in [vec![name], vec!["a", name], vec!["a", "x", name], vec!["a", "b", name]] {
            let path: Vec<String> = path.into_iter().map(str::to_owned).collect();
            assert_eq!(p.document(&path, None, &Limits::default()).unwrap(), None, "{path:?}");
        }
    }
    let empty = [String::new(), String::new()];
    assert_eq!(p.document(&empty, None, &Limits::default()).unwrap(), Some(json!(2)));
}

#[test]
fn numeric_segments_are_numbers_inside_rules_and_names_of_base_data() {
    let rules = "package a\nlist := [{\"v\": 7}]\nobj := {\"0\": 8, 5: 9}\nport[80] := 1\nname[\"80\"] := 2\nnums contains x if some x in [1]\n\
                 copy := data.obj\nneg[-1] := 3\nnest.x[3].y := 4";
    let p = prepared(&[rules], json!({"list": [5], "obj": {"0": 6}}));
    let found = [("a/list/0/v", 7), ("a/obj/5", 9), ("list/0", 5), ("obj/0", 6), ("a/port/80", 1), ("a/port/+080.0", 1)];
    for (at, expected) in found.into_iter().chain([("a/nums/1", 1), ("a/neg/-1", 3), ("a/nest/x/3/y", 4)]) {
        assert_eq!(document(&p, at, json!({})).unwrap(), Some(json!(expected)), "{at}");
    }
    for at in ["a/list/1", "a/list/x", "a/list/-1", "a/obj/0", "a/name/80", "a/copy/0", "a/port/80.5", "a/nums/2", "7"] {
        assert_eq!(document(&p, at, json!({})).unwrap(), None, "{at}");
    }
}

#[test]
fn without_input_it_is_undefined() {
    let p = prepared(&["package a\nx := input\ny if not input"], json!({}));
    assert_eq!(p.document(&path("a"), None, &Limits::default()).unwrap(), Some(json!({"y": true})));
    assert_eq!(document(&p, "a", json!(null)).unwrap(), Some(json!({"x": null})));
}

#[test]
fn numbers_of_64_bits_stay_exact() {
    let numbers = "[9007199254740993,-9223372036854775808,18446744073709551615,0.1]";
    let p = prepared(&["package a\nx := input\ny := data.n"], serde_json::from_str(&format!("{{\"n\":{numbers}}}")).unwrap());
    let found = document(&p, "a", serde_json::from_str(numbers).unwrap()).unwrap().unwrap();
    assert_eq!(found.to_string(), format!("{{\"x\":{numbers},\"y\":{numbers}}}"));
}

#[test]
fn one_program_evaluates_on_many_threads() {
    let p = prepared(&["package a\nx := {n | some n in input.list}\ny := data.z"], json!({"z": 1}));
    std::thread::scope(|scope| {
        for i in 0..8 {
            let p = &p;
            scope.spawn(move || {
                for j in 0..20 {
                    let found = document(p, "a", json!({"list": [i, j]})).unwrap().unwrap();
                    let set: std::collections::BTreeSet<i32> = [i, j].into();
                    assert_eq!(found, json!({"x": set, "y": 1}));
                }
            });
        }
    });
}

#[test]
fn limits_are_kept() {
    let slow = "slow := count([1 | some i in numbers.range(1, 3000); some j in numbers.range(1, 3000); i + j > 0])";
    let texts = [&format!(
        "package a\n{slow}\nlong := concat(\"\", [\"x\" | some _ in numbers.range(1, 5000)])\n\
        in_function := f(3000)\nf(n) := count([1 | some i in numbers.range(1, n); some j in numbers.range(1, n); i + j > 0])\nfine := 1"
    )];
    let p = prepared(&[texts[0]], json!({}));
    // A busy machine may need more than 30 ms for the others.
    let short = Limits { time: std::time::Duration::from_millis(30), ..Limits::default() };
    let small = Limits { output: 1000, ..Limits::default() };
    let cases = [
        ("a/slow", &short, "the time limit of 30ms"),
        ("a/in_function", &short, "the time limit of 30ms"),
        ("a/long", &small, "an answer of 1000 bytes"),
    ];
    for (at, limits, limit) in cases {
        let error = p.document(&path(at), None, limits).unwrap_err();
        assert!(matches!(&error, EvalError::Limit { limit: found, .. } if found == limit), "{error}");
        assert_eq!(error.to_string(), format!("evaluation of `data.{}` stopped: {limit} exceeded", at.replace('/', ".")));
    }
    assert_eq!(p.document(&path("a/fine"), None, &small).unwrap(), Some(json!(1)));
}

#[test]
fn deep_input_is_read_and_deeper_answers_are_refused() {
    let nested = |depth: usize| -> Json { (0..depth).fold(json!(1), |inner, _| json!([inner])) };
    let p = prepared(
        &["package a\nx := input\ny := [input]\nz := json.marshal(input)\nw := [v | walk(input, [_, v]); v == 1]"],
        json!({}),
    );
    let input = nested(127);
    for at in ["a/x", "a/y", "a/z", "a/w"] {
        assert!(document(&p, at, input.clone()).is_ok(), "{at}");
    }
    let input = nested(128);
    assert!(document(&p, "a/x", input.clone()).is_ok());
    let error = document(&p, "a/y", input).unwrap_err();
    assert!(error.to_string().contains("nested 128 levels"), "{error}");
}

#[test]
fn data_is_an_object() {
    let program = Arc::new(Program::compile(&[], RegoVersion::Auto).unwrap());
    assert!(program.prepare(json!([]).into()).is_err());
    let p = program.prepare(json!({"a": 1}).into()).unwrap();
    assert_eq!(document(&p, "", json!({})).unwrap(), Some(json!({"a": 1})));
}

#[test]
fn panics_end_one_evaluation() {
    let error = crate::rego::interpreter::guard::<()>("data.a", Default::default(), || panic!("inside")).unwrap_err();
    assert_eq!(error.to_string(), "evaluation of `data.a` failed: the interpreter panicked: inside");
}

#[test]
fn conflicts_say_where() {
    let policy = "package a\n\n# é\tx\nx := 1 if input.a\n\n\tx := 2 if input.b";
    let p = prepared(&[policy], json!({}));
    let error = document(&p, "a", json!({"a": 1, "b": 1})).unwrap_err();
    let EvalError::Conflict { location, message } = &error else { panic!("{error}") };
    assert_eq!(message, "complete rules must not produce multiple outputs");
    assert_eq!(location.rsplit_once(':').map(|(place, _)| place), Some("m0.rego:6"));
}
