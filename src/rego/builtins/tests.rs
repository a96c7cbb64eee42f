//! Calls that OPA 1.22 answered with `--strict-builtin-errors`: `cases/*.yaml`, one file for each topic.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value as Json;

use super::strictly;
use crate::rego::interpreter::Interpreter;

#[derive(Deserialize)]
struct Case {
    call: String,
    /// What OPA said.
    #[serde(default, deserialize_with = "present")]
    want: Option<Json>,
    error: Option<String>,
}

/// Keeps `want: null` apart from no answer.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

#[test]
fn calls_are_answered_as_opa_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rego/builtins/cases");
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let cases: Vec<Case> = yaml_serde::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert!(!cases.is_empty());
        wrong.extend(cases.iter().filter_map(differs));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differs(case: &Case) -> Option<String> {
    let wanted = match (&case.error, &case.want) {
        (Some(error), _) => Err(error.clone()),
        (None, want) => Ok(want.clone()),
    };
    let found = evaluate(&case.call, true);
    let alike = match (&found, &wanted) {
        (Ok(found), Ok(wanted)) => found == wanted,
        (Err(found), Err(wanted)) => found.contains(wanted),
        _ => false,
    };
    let lenient = evaluate(&case.call, false);
    if wanted.is_err() && lenient != Ok(None) {
        return Some(format!("{}: not undefined without strict errors: {lenient:?}", case.call));
    }
    (!alike).then(|| format!("{}\n  OPA: {}\n  we:  {}", case.call, show(&wanted), show(&found)))
}

fn show(answer: &Result<Option<Json>, String>) -> String {
    match answer {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "undefined".into(),
        Err(error) => error.clone(),
    }
}

fn evaluate(call: &str, strict: bool) -> Result<Option<Json>, String> {
    let interpreter = Interpreter::new().with_data(regorus::Value::new_object()).unwrap();
    let found = strictly(strict, || interpreter.evaluate(call.to_owned(), None, Duration::from_secs(5)));
    let found = found.map_err(|error| error.to_string())?;
    Ok(found.map(|value| serde_json::from_str(&value.to_json_str().unwrap()).unwrap()))
}
