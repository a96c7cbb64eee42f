//! The cases of a test: the value of `test_x[note] if …` has a member for each that came to an end, and the evaluation has come to
//! others that did not (opa `v1/tester/runner.go`, `subResults`).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::value::{Value, json};

/// Cases by their keys.
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
        let keys: Vec<String> = keys.as_array().unwrap_or_default().iter().map(name).collect();
        fail |= reach(&mut cases, &keys);
    }
    (fail, cases)
}

/// Returns the cases that the document of a test has.
pub fn cases_of(value: &Value) -> Cases {
    members(value).1
}

fn members(value: &Value) -> (bool, Cases) {
    match value {
        Value::Null => (true, Cases::new()),
        Value::Object(members) => {
            let cases: Cases = members.iter().map(|(key, value)| (name(key), case(name(key), value))).collect();
            (cases.values().any(|case| case.fail), cases)
        }
        _ => (false, Cases::new()),
    }
}

fn case(name: String, value: &Value) -> Case {
    match value {
        Value::Null => Case::default(),
        Value::False | Value::True => Case { name, fail: *value == Value::False, cases: Cases::new() },
        Value::Object(_) => {
            let (fail, cases) = members(value);
            Case { name, fail, cases }
        }
        _ => Case { name, fail: true, cases: Cases::new() },
    }
}

/// Takes in a case that was come to: it has failed if the value has nothing for it.
fn reach(mut cases: &mut Cases, keys: &[String]) -> bool {
    let Some((last, above)) = keys.split_last() else { return true };
    let fails =
        |cases: &Cases| above.iter().try_fold(cases, |cases, key| Some(&cases.get(key)?.cases))?.get(last).map(|case| case.fail);
    let fail = fails(cases).unwrap_or(true);
    for key in above {
        let case = missing(cases, key);
        case.fail |= fail;
        cases = &mut case.cases;
    }
    missing(cases, last);
    fail
}

/// The case of a key; what is not there has failed.
fn missing<'c>(cases: &'c mut Cases, key: &str) -> &'c mut Case {
    cases.entry(key.to_owned()).or_insert_with(|| Case { name: key.to_owned(), fail: true, cases: Cases::new() })
}

/// How a key is called (`termToString`).
fn name(key: &Value) -> String {
    match key {
        Value::String(text) => text.to_string(),
        other => json::write(other, usize::MAX).unwrap_or_else(|_| "INVALID".to_owned()),
    }
}
