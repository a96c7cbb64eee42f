//! One policy set, asked of both; and the smallest part of it that is still answered differently.

use std::sync::Arc;

use plimsoll::rego::{EvalError, Limits, Module, Prepared, Program, RegoVersion, Value};
use serde_json::Value as Json;

use super::opa::Opa;

/// What came of a set.
pub(super) enum Outcome {
    /// So many answers were equal.
    Equal(usize),
    /// OPA or we refuse the policy, and why.
    Refused(String),
    /// Two answers to one input.
    Different { input: Json, opa: String, ours: String },
}

/// Asks both.
pub(super) fn set(opa: &Opa, rules: &[String], data: &Json, inputs: &[Json]) -> Outcome {
    let policy = text(rules);
    let module = Module { key: "place.rego".into(), text: policy.clone() };
    let program = Program::compile(&[module], RegoVersion::V1);
    if let Err(error) = opa.load(&policy, data) {
        return Outcome::Refused(format!("OPA: {error}\n{policy}"));
    }
    let prepared = match program {
        Ok(program) => Arc::new(program).prepare(Value::from(data.clone())).unwrap(),
        Err(errors) => return Outcome::Refused(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
    };
    for input in inputs {
        let (theirs, ours) = (opa.ask(input), ask(&prepared, input));
        if theirs != ours {
            return Outcome::Different { input: input.clone(), opa: format!("{theirs:?}"), ours: format!("{ours:?}") };
        }
    }
    Outcome::Equal(inputs.len())
}

fn ask(prepared: &Prepared, input: &Json) -> Result<Option<Json>, String> {
    let answer = prepared.document(&["place".to_owned()], Some(&Value::from(input.clone())), &Limits::default());
    answer.map(|value| value.as_ref().map(plain)).map_err(|error| match error {
        EvalError::Conflict { .. } => "eval_conflict_error".to_owned(),
        other => other.to_string(),
    })
}

/// `2.0` and `2` are one number in Rego, written either way.
fn plain(json: &Json) -> Json {
    match json {
        Json::Number(n) => match n.as_f64() {
            Some(float) if n.is_f64() && float.fract() == 0.0 => serde_json::from_str(&format!("{float:.0}")).unwrap(),
            _ => json.clone(),
        },
        Json::Array(items) => items.iter().map(plain).collect(),
        Json::Object(members) => members.iter().map(|(k, v)| (k.clone(), plain(v))).collect(),
        other => other.clone(),
    }
}

/// The rules that OPA's type checker lets through, each beside the helpers.
pub(super) fn valid(opa: &Opa, rules: Vec<String>) -> Vec<String> {
    let (helpers, rest) = rules.split_at(super::policies::HELPERS);
    let accepted = |rule: &&String| opa.accepts(&text(&[helpers, std::slice::from_ref(*rule)].concat())).is_ok();
    let accepted: Vec<_> = rest.iter().filter(accepted).cloned().collect();
    [helpers, &accepted].concat()
}

fn text(rules: &[String]) -> String {
    format!("package place\n\n{}\n", rules.join("\n\n"))
}

/// Leaves out rules as long as the difference stays; what is left, as text.
pub(super) fn minimal(opa: &Opa, mut rules: Vec<String>, data: &Json, inputs: &[Json]) -> String {
    let mut at = 0;
    while at < rules.len() {
        let mut fewer = rules.clone();
        fewer.remove(at);
        match set(opa, &fewer, data, inputs) {
            Outcome::Different { .. } => rules = fewer,
            _ => at += 1,
        }
    }
    match set(opa, &rules, data, inputs) {
        Outcome::Different { input, opa, ours } => {
            format!("{}data: {data}\ninput: {input}\nOPA:  {opa}\nours: {ours}", text(&rules))
        }
        _ => "the difference went away when asked again".to_owned(),
    }
}
