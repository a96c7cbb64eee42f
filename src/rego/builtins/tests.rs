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
    /// What the evaluation ends with here, strict or not, where OPA has an answer.
    limit: Option<String>,
}

impl Case {
    fn wanted(&self) -> Result<Option<Json>, String> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let json = self.want_json.clone().or_else(|| self.want.as_ref().map(Json::to_string));
        Ok(json.as_deref().map(exact))
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
    if let Some(limit) = &case.limit {
        let ends = |strict| evaluate(&case.call, strict).is_err_and(|error| error.contains(&format!("limit: {limit}")));
        return (![true, false].into_iter().all(ends)).then(|| format!("{}: does not end with {limit}", case.call));
    }
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

fn show(answer: &Result<Option<Json>, String>) -> String {
    match answer {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "undefined".into(),
        Err(error) => error.clone(),
    }
}

/// The answer of a call.
fn evaluate(call: &str, strict: bool) -> Result<Option<Json>, String> {
    let interpreter = Interpreter::new(std::iter::once(call)).with_data(Value::new_object()).unwrap();
    let found = strictly(strict, || interpreter.evaluate(call.to_owned(), None, Duration::from_secs(5)));
    let found = found.0.map_err(|error| error.to_string())?;
    Ok(found.map(|value| plain(&value)))
}

/// JSON with numbers of many digits as texts, which nothing rounds.
fn exact(json: &str) -> Json {
    let (mut quoted, mut digits, mut inside, mut escaped) = (String::new(), String::new(), false, false);
    for c in json.chars().chain([' ']) {
        if c.is_ascii_digit() && !inside {
            digits.push(c);
            continue;
        }
        let quote = if digits.len() >= 18 { "\"" } else { "" };
        quoted.extend([quote, &std::mem::take(&mut digits), quote]);
        inside ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        quoted.push(c);
    }
    serde_json::from_str(&quoted).unwrap()
}

/// A value as JSON: sets are arrays, numbers of many digits texts.
fn plain(value: &Value) -> Json {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Set(items) => items.iter_sorted().map(plain).collect(),
        Value::Object(members) => {
            members.iter_sorted().map(|(key, value)| (key.as_string().unwrap().to_string(), plain(value))).collect()
        }
        Value::Number(number) if number.format_decimal().len() >= 18 => Json::from(number.format_decimal()),
        other => serde_json::from_str(&other.to_json_str().unwrap()).unwrap(),
    }
}
