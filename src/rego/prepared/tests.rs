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
