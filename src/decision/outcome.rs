//! From what policy returned to the outcome and the form in which the data API shows it.

use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde_json::{Map, Value as Json, json};

use super::output::Output;
use super::validate::{Desired, Invalid, Rules, validate};

/// What policy returned, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// The outcome.
    pub outcome: Outcome,
    /// What is to be on the object, if policy places it.
    pub desired: Option<Desired>,
    /// The rules as they were returned; empty if they could not be read.
    pub output: Output,
}

/// A value that must not be used, and the rule that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The contract's rule.
    pub rule: Option<&'static str>,
    /// The annotation key.
    pub key: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// Judges a document. Errors deny even if annotations are present, and whatever these are.
pub fn rule(document: &Json, rules: Rules<'_>) -> Result<Ruling, Fault> {
    let output = Output::read(document).map_err(|error| Fault { rule: error.rule, key: None, message: error.to_string() })?;
    if !output.errors.is_empty() {
        return Ok(Ruling { outcome: Outcome::Denied { errors: output.errors.clone() }, desired: None, output });
    }
    if output.is_empty() {
        return Ok(Ruling { outcome: Outcome::NoOpinion, desired: None, output });
    }
    let desired = validate(&output, rules).map_err(|invalid| fault(&invalid))?;
    let outcome = if desired.nowhere { Outcome::Nowhere } else { Outcome::Place };
    Ok(Ruling { outcome, desired: Some(desired), output })
}

fn fault(invalid: &Invalid) -> Fault {
    Fault { rule: Some(invalid.rule), key: invalid.key.clone(), message: invalid.to_string() }
}

/// No decision because a value is unusable.
pub fn invalid(message: String) -> Outcome {
    Outcome::Unavailable { reason: Unavailable::Invalid, message }
}

/// The package's document with `annotations` and `errors` in their final form.
pub fn shown(document: Option<&Json>, outcome: &Outcome, annotations: Map<String, Json>) -> Option<Json> {
    let errors = match outcome {
        Outcome::Exempt | Outcome::Unarmed => return Some(json!({})),
        Outcome::Undefined => return None,
        Outcome::NoOpinion | Outcome::Place | Outcome::Nowhere => None,
        Outcome::Denied { errors } => Some(errors.clone()),
        Outcome::Unavailable { reason: Unavailable::Invalid, message } => Some(vec![message.clone()]),
        Outcome::Unavailable { .. } => return None,
    };
    let mut shown = document.and_then(Json::as_object).cloned().unwrap_or_default();
    match errors {
        Some(errors) => {
            shown.remove("annotations");
            shown.insert("errors".into(), json!(errors));
        }
        None if shown.contains_key("annotations") || !annotations.is_empty() => {
            shown.insert("annotations".into(), Json::Object(annotations));
        }
        None => (),
    }
    Some(Json::Object(shown))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn judged(document: &Json) -> Outcome {
        let rules = Rules { allowed: &BTreeSet::new(), target: Some(&TARGET), kind: "X", exists: None };
        rule(document, rules).map_or_else(|fault| invalid(fault.message), |ruling| ruling.outcome)
    }

    const TARGET: plimsoll_contract::kind::Target = plimsoll_contract::kind::Target::ReplicaSetPreferences;

    #[test]
    fn errors_deny_whatever_else_is_returned() {
        let document = json!({"errors": ["no"], "annotations": {"not allowed": 1}, "placement": {"nonsense": 1}});
        assert_eq!(judged(&document), Outcome::Denied { errors: vec!["no".into()] });
    }

    #[test]
    fn t09_empty_and_nowhere_are_different_outcomes() {
        assert_eq!(judged(&json!({"annotations": {}, "placement": {}})), Outcome::NoOpinion);
        assert_eq!(judged(&json!({"placement": {"clusters": {}}})), Outcome::Nowhere);
        assert_eq!(judged(&json!({"placement": {"clusters": ["a"]}})), Outcome::Place);
    }

    #[test]
    fn the_document_is_shown_with_final_annotations_and_errors() {
        let document = json!({"annotations": {"k": {"a": 1}, "gone": null}, "errors": [], "other": 7});
        let annotations: Map<String, Json> = [("k".to_owned(), json!("{\"a\":1}"))].into_iter().collect();
        let show = |outcome: Outcome| shown(Some(&document), &outcome, annotations.clone());
        assert_eq!(show(Outcome::Place), Some(json!({"annotations": {"k": "{\"a\":1}"}, "errors": [], "other": 7})));
        assert_eq!(show(Outcome::Denied { errors: vec!["no".into()] }), Some(json!({"errors": ["no"], "other": 7})));
        assert_eq!(show(invalid("bad".into())), Some(json!({"errors": ["bad"], "other": 7})));
        assert_eq!(show(Outcome::Unarmed), Some(json!({})));
        assert_eq!(show(Outcome::Undefined), None);
        assert_eq!(show(Outcome::Unavailable { reason: Unavailable::Failed, message: "x".into() }), None);
        assert_eq!(shown(Some(&json!({"other": 7})), &Outcome::NoOpinion, Map::new()), Some(json!({"other": 7})));
    }
}
