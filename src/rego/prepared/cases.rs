//! Cases that OPA 1.22 answered: `src/rego/cases/*.yaml` hold policies, data, input, queries, and what OPA said to each.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use super::tests::path;
use crate::rego::{EvalError, Limits, Module, Prepared, Program, RegoVersion, Value};

#[derive(Deserialize)]
struct Case {
    note: String,
    modules: BTreeMap<String, String>,
    data: Json,
    input: Json,
    want: BTreeMap<String, Want>,
}

/// What OPA said: a value, nothing, or an error and where.
#[derive(Deserialize)]
struct Want {
    #[serde(default, deserialize_with = "present")]
    value: Option<Json>,
    error: Option<String>,
}

/// Keeps `value: null` apart from no value.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

#[test]
fn documents_are_what_opa_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rego/cases");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut wrong = Vec::new();
    for file in files {
        let case: Case = yaml_serde::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        wrong.extend(check(&case).into_iter().map(|difference| format!("{name} ({}): {difference}", case.note)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The answers do not depend on the order of the modules: as given, reversed, and each one first.
fn check(case: &Case) -> Vec<String> {
    let module = |(key, text): (&String, &String)| Module { key: key.clone(), text: text.clone() };
    let mut modules: Vec<_> = case.modules.iter().map(module).collect();
    let mut wrong = Vec::new();
    for _ in 0..modules.len() {
        wrong.extend(check_order(case, &modules));
        modules.reverse();
        wrong.extend(check_order(case, &modules));
        modules.reverse();
        modules.rotate_left(1);
    }
    wrong
}

fn check_order(case: &Case, modules: &[Module]) -> Vec<String> {
    let program = match Program::compile(modules, RegoVersion::Auto) {
        Ok(program) => Arc::new(program),
        Err(errors) => return errors.iter().map(ToString::to_string).collect(),
    };
    let prepared = program.prepare(Value::from(case.data.clone())).unwrap();
    case.want.iter().filter_map(|(query, want)| differs(&prepared, case, query, want)).collect()
}

fn differs(prepared: &Prepared, case: &Case, query: &str, want: &Want) -> Option<String> {
    let found = prepared.document(&path(query), Some(&Value::from(case.input.clone())), &Limits::default());
    let alike = match (&found, &want.error) {
        (Ok(value), None) => value.as_ref().map(plain) == want.value.as_ref().map(plain),
        (Err(EvalError::Conflict { location, .. }), Some(code)) => code == "eval_conflict_error" && !location.is_empty(),
        _ => false,
    };
    let wanted = want.error.clone().unwrap_or_else(|| format!("{:?}", want.value.as_ref().map(Json::to_string)));
    let found = || found.map_or_else(|e| e.to_string(), |value| format!("{:?}", value.as_ref().map(Json::to_string)));
    (!alike).then(|| format!("{query}\n  OPA: {wanted}\n  we:  {}", found()))
}

/// `2.0` and `2` are one number in Rego, written either way.
fn plain(json: &Json) -> Json {
    match json {
        Json::Number(n) => match n.as_f64() {
            Some(float) if !n.is_i64() && !n.is_u64() && float.fract() == 0.0 && float.abs() < 1e15 => Json::from(float as i64),
            _ => json.clone(),
        },
        Json::Array(items) => items.iter().map(plain).collect(),
        Json::Object(members) => members.iter().map(|(k, v)| (k.clone(), plain(v))).collect(),
        other => other.clone(),
    }
}
