//! From what policy returned to the outcome and the form in which the data API shows it.

use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde_json::Value as Json;

use super::class::raw::{ALLOCATION, Raw};
use super::output::Output;
use super::validate::{Desired, Invalid, Rules, validate};
use super::wanted::Wanted;

/// Policy's document after validation: all that is used of it afterwards, beside the document itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// The outcome.
    pub outcome: Outcome,
    /// What is to be on the object, if policy places it.
    pub placed: Option<Placed>,
    /// What policy warns of.
    pub warnings: Box<[String]>,
    /// Policy says that this cannot wait.
    pub urgent: bool,
}

/// A placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// What is to be on the object.
    pub wanted: Wanted,
    /// The clusters that are named, sorted, as an array of JSON: a text each takes three times as much.
    clusters: Raw,
}

/// A value that must not be used, and the rule that gave it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
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
    let (warnings, urgent) = (output.warnings.clone().into(), output.urgent);
    if !output.errors.is_empty() {
        return Ok(Ruling { outcome: Outcome::Denied { errors: output.errors }, placed: None, warnings, urgent });
    }
    if output.is_empty() {
        return Ok(Ruling { outcome: Outcome::NoOpinion, placed: None, warnings, urgent });
    }
    let desired = validate(&output, rules).map_err(|invalid| fault(&invalid))?;
    let outcome = if desired.nowhere { Outcome::Nowhere } else { Outcome::Place };
    let placed = Placed::of(desired).map_err(|error| Fault { rule: None, key: None, message: error.to_string() })?;
    Ok(Ruling { outcome, placed: Some(placed), warnings, urgent })
}

impl Ruling {
    /// About how many bytes it takes beside itself.
    pub(super) fn size(&self) -> usize {
        let texts = |texts: &[String]| texts.iter().map(|text| text.len() + size_of::<String>() + ALLOCATION).sum::<usize>();
        let errors = if let Outcome::Denied { errors } = &self.outcome { texts(errors) } else { 0 };
        let placed = self.placed.as_ref().map_or(0, |placed| placed.wanted.size() + placed.clusters.size());
        texts(&self.warnings) + errors + placed
    }
}

impl Placed {
    /// Fails where it is none of JSON.
    pub(crate) fn of(desired: Desired) -> serde_json::Result<Self> {
        Ok(Self { wanted: Wanted::of(desired.keys)?, clusters: Raw::of(&desired.clusters)? })
    }

    /// The clusters that are named, sorted.
    pub fn clusters(&self) -> Vec<String> {
        // It was written from texts.
        serde_json::from_str(self.clusters.text()).unwrap_or_default()
    }
}

impl Fault {
    /// About how many bytes it takes beside itself.
    pub(super) fn size(&self) -> usize {
        self.message.len() + self.key.as_ref().map_or(0, String::len)
    }
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
