//! The cases of a test: the value of `test_x[note] if …` has a member for each that came to an end, and the evaluation has come to
//! others that did not (opa `v1/tester/runner.go`, `subResults`).

use std::collections::BTreeMap;

use regorus::Value;
use serde::Serialize;

/// Cases by key.
pub type Cases = BTreeMap<String, Case>;

/// What came of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Its key; empty for one without a verdict.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// It is not true, or a case of its own is not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fail: bool,
    /// The cases below it.
    #[serde(rename = "sub_results", skip_serializing_if = "Cases::is_empty")]
    pub cases: Cases,
}

/// Whether a test has failed whose value is this, and its cases; `reached` are the keys of all that it has come to.
pub(super) fn of(value: &Value, reached: &[Value]) -> (bool, Cases) {
    let (mut fail, mut cases) = members(value);
    for keys in reached {
        let keys: Vec<String> = keys.as_array().map(|keys| keys.iter().map(name).collect()).unwrap_or_default();
        fail |= reach(&mut cases, &keys);
    }
    (fail, cases)
}

fn members(value: &Value) -> (bool, Cases) {
    let Value::Object(members) = value else { return (false, Cases::new()) };
    let cases: Cases = members.iter_sorted().map(|(key, value)| (name(key), case(name(key), value))).collect();
    (cases.values().any(|case| case.fail), cases)
}

fn case(name: String, value: &Value) -> Case {
    match value {
        Value::Null => Case::default(),
        Value::Bool(truth) => Case { name, fail: !truth, cases: Cases::new() },
        Value::Object(_) => {
            let (fail, cases) = members(value);
            Case { name, fail, cases }
        }
        _ => Case { name, fail: true, cases: Cases::new() },
    }
}

/// Takes in a case that was come to: it has failed if the value has nothing for it.
fn reach(cases: &mut Cases, keys: &[String]) -> bool {
    let Some((key, below)) = keys.split_first() else { return true };
    let missing = || Case { name: key.clone(), fail: true, cases: Cases::new() };
    let case = cases.entry(key.clone()).or_insert_with(missing);
    if !below.is_empty() {
        let fail = reach(&mut case.cases, below);
        case.fail |= fail;
        return fail;
    }
    case.fail
}

/// How a key is called.
fn name(key: &Value) -> String {
    match key {
        Value::String(text) => text.to_string(),
        other => other.to_string(),
    }
}
