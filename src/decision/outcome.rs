//! From what policy returned to the outcome and the form in which the data API shows it.

use std::sync::Arc;

use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde_json::Value as Json;

use super::output::Output;
use super::validate::{Desired, Invalid, Rules, validate};

/// What policy returned, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// The outcome.
    pub outcome: Outcome,
    /// What is to be on the object, if policy places it.
    pub desired: Option<Desired>,
    /// The clusters that are named then, sorted.
    pub clusters: Arc<[String]>,
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
        return Ok(Ruling {
            outcome: Outcome::Denied { errors: output.errors.clone() },
            desired: None,
            clusters: Arc::default(),
            output,
        });
    }
    if output.is_empty() {
        return Ok(Ruling { outcome: Outcome::NoOpinion, desired: None, clusters: Arc::default(), output });
    }
    let desired = validate(&output, rules).map_err(|invalid| fault(&invalid))?;
    let outcome = if desired.nowhere { Outcome::Nowhere } else { Outcome::Place };
    let clusters = desired.clusters.iter().cloned().collect();
    Ok(Ruling { outcome, desired: Some(desired), clusters, output })
}

fn fault(invalid: &Invalid) -> Fault {
    Fault { rule: Some(invalid.rule), key: invalid.key.clone(), message: invalid.to_string() }
}

/// No decision because a value is unusable.
pub fn invalid(message: String) -> Outcome {
    Outcome::Unavailable { reason: Unavailable::Invalid, message }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

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
}
