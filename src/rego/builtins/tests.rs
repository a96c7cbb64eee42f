//! Calls that OPA 1.22 answered with `--strict-builtin-errors`: `cases/*.yaml`, one file for each topic.

use std::path::Path;
use std::time::Duration;

use regorus::Value;
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
    /// The same, where it has numbers that YAML would round.
    want_json: Option<String>,
    error: Option<String>,
}

impl Case {
    fn wanted(&self) -> Result<Option<Value>, String> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let json = self.want_json.clone().or_else(|| self.want.as_ref().map(Json::to_string));
        Ok(json.map(|json| Value::from_json_str(&json).unwrap()))
    }
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
    let wanted = case.wanted();
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

fn show(answer: &Result<Option<Value>, String>) -> String {
    match answer {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "undefined".into(),
        Err(error) => error.clone(),
    }
}

/// Sets are arrays, as they are in OPA's answers.
fn evaluate(call: &str, strict: bool) -> Result<Option<Value>, String> {
    let interpreter = Interpreter::new().with_data(Value::new_object()).unwrap();
    let found = strictly(strict, || interpreter.evaluate(call.to_owned(), None, Duration::from_secs(5)));
    let found = found.map_err(|error| error.to_string())?;
    Ok(found.map(|value| Value::from_json_str(&value.to_json_str().unwrap()).unwrap()))
}
