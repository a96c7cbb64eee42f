//! Nothing leaves the engine that its reader could not read: not a value, not a key, not a cluster that does not exist.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::annotations::{APPLIED, HOLD, canonical};
use plimsoll_contract::kind::Target;
use serde_json::{Number, Value as Json};

use super::output::{Output, brief};
use super::preferences::{ANY, Preferences, PreferencesError};
use super::selector::{self, SelectorError};
use super::syntax::annotation_key;
use super::target::{self, Reader, TargetError};

/// The rules that an object's annotations are validated by.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The keys that policy may write.
    pub allowed: &'a BTreeSet<String>,
    /// How the object's kind carries a placement.
    pub target: Option<&'a Target>,
    /// The object's kind, for messages.
    pub kind: &'a str,
    /// Tells whether a cluster exists; unknown without a fleet kind.
    pub exists: Option<&'a dyn Fn(&str) -> bool>,
}

/// The annotations that are to be on the object, after validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Desired {
    /// Annotation keys to their value, or to nothing if they are to be absent.
    pub keys: BTreeMap<String, Option<String>>,
    /// Some value says that no cluster may be used.
    pub nowhere: bool,
    /// The clusters that may be used, as far as they are named.
    pub clusters: BTreeSet<String>,
}

/// A value that must not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {why}")]
pub struct Invalid {
    /// The contract's rule that gave the value.
    pub rule: &'static str,
    /// The annotation key, if the rule gave one.
    pub key: Option<String>,
    what: String,
    #[source]
    why: Box<Why>,
}

/// Why a value is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// Not an annotation key at all.
    #[error("not a valid annotation key")]
    KeySyntax,
    /// Written by Plimsoll or by people only.
    #[error("policy may not write this key")]
    Reserved,
    /// Outside the configured keys.
    #[error("policy may not write this key; allow it with --annotation-keys (allowed now: {0})")]
    NotAllowed(String),
    /// Two rules for one key.
    #[error("both `annotations` and `placement` set it; return one of them")]
    Twice,
    /// The kind has no annotation that carries a placement.
    #[error("kind `{0}` has no target; give it one with `target:` in the table of kinds, or return `annotations`")]
    NoTarget(String),
    /// A name without a cluster.
    #[error("cluster `{0}` does not exist in the fleet")]
    NoSuchCluster(String),
    /// Unreadable preferences.
    #[error(transparent)]
    Preferences(#[from] PreferencesError),
    /// Unreadable selector.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// Unspeakable placement.
    #[error(transparent)]
    Target(#[from] TargetError),
}

/// Checks everything that policy wants on an object and gives it its final form.
pub fn validate(output: &Output, rules: Rules<'_>) -> Result<Desired, Invalid> {
    let mut desired = Desired::default();
    for (key, value) in &output.annotations {
        let invalid = |why| Invalid {
            rule: "annotations",
            key: Some(key.clone()),
            what: format!("annotation `{key}` with value {}", brief(value)),
            why: Box::new(why),
        };
        desired.annotation(key, value, rules).map_err(invalid)?;
    }
    if let Some(placement) = &output.placement {
        let what = || format!("placement {}", brief(placement));
        desired.placement(placement, rules).map_err(|why| Invalid {
            rule: "placement",
            key: None,
            what: what(),
            why: Box::new(why),
        })?;
    }
    Ok(desired)
}

impl Desired {
    fn annotation(&mut self, key: &str, value: &Json, rules: Rules<'_>) -> Result<(), Why> {
        check_key(key, rules)?;
        let value = match value {
            Json::Null => None,
            Json::String(text) => Some(text.clone()),
            other => Some(canonical(&whole_numbers(other))),
        };
        if let Some(text) = &value {
            match target::reader(key, rules.target) {
                Reader::Preferences => self.spread(&Preferences::parse(text)?, rules)?,
                Reader::Selector => selector::check(text)?,
                Reader::Unknown => (),
            }
        }
        self.keys.insert(key.to_owned(), value);
        Ok(())
    }

    fn placement(&mut self, value: &Json, rules: Rules<'_>) -> Result<(), Why> {
        let target = rules.target.ok_or_else(|| Why::NoTarget(rules.kind.to_owned()))?;
        let placement = Preferences::neutral(value)?;
        self.spread(&placement, rules)?;
        let text = target::encode(&placement, target)?;
        match self.keys.insert(target.annotation().to_owned(), Some(text)) {
            None => Ok(()),
            Some(_) => Err(Why::Twice),
        }
    }

    fn spread(&mut self, placement: &Preferences, rules: Rules<'_>) -> Result<(), Why> {
        let missing = |name: &&String| name.as_str() != ANY && rules.exists.is_some_and(|exists| !exists(name));
        if let Some(name) = placement.clusters.keys().find(missing) {
            return Err(Why::NoSuchCluster(name.clone()));
        }
        self.nowhere |= placement.nowhere();
        self.clusters.extend(placement.places().map(str::to_owned));
        Ok(())
    }
}

fn check_key(key: &str, rules: Rules<'_>) -> Result<(), Why> {
    if [APPLIED, HOLD].contains(&key) {
        return Err(Why::Reserved);
    }
    if !annotation_key(key) {
        return Err(Why::KeySyntax);
    }
    if !rules.allowed.contains(key) {
        let allowed: Vec<&str> = rules.allowed.iter().map(String::as_str).collect();
        return Err(Why::NotAllowed(allowed.join(", ")));
    }
    Ok(())
}

/// Arithmetic may leave 5 as 5.0; OPA writes 5, and readers of integers accept nothing else.
fn whole_numbers(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(whole_numbers).collect(),
        Json::Object(members) => Json::Object(members.iter().map(|(key, value)| (key.clone(), whole_numbers(value))).collect()),
        Json::Number(number) => {
            let whole = number.as_f64().filter(|float| !number.is_i64() && float.fract() == 0.0 && float.abs() < 1e15);
            // Below 1e15 every whole f64 is an i64.
            Json::Number(whole.map_or_else(|| number.clone(), |float| Number::from(float as i64)))
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::{CLUSTER_SELECTOR, REPLICA_SET_PREFERENCES as RS};
    use serde_json::json;

    use super::*;
    use crate::decision::testing::allowed;

    fn check(document: Json) -> Result<Desired, Invalid> {
        let exists = |name: &str| name.starts_with("eu-");
        let output = Output::read(&document).unwrap();
        let target = Target::ReplicaSetPreferences;
        let allowed = allowed(&["example.com/note"]);
        validate(&output, Rules { allowed: &allowed, target: Some(&target), kind: "ReplicaSet", exists: Some(&exists) })
    }

    #[test]
    fn t16_strings_objects_and_placements_get_one_form() {
        let text = r#"{"clusters":{"eu-1":{"weight":1}},"rebalance":true}"#;
        for document in [
            json!({"annotations": {RS: text}}),
            json!({"annotations": {RS: {"rebalance": true, "clusters": {"eu-1": {"weight": 1.0}}}}}),
            json!({"placement": {"rebalance": true, "clusters": ["eu-1"]}}),
        ] {
            let desired = check(document).unwrap();
            assert_eq!(desired.keys[RS].as_deref(), Some(text));
            assert_eq!((desired.nowhere, desired.clusters), (false, ["eu-1".to_owned()].into()));
        }
    }

    #[test]
    fn a_string_is_written_as_it_is() {
        let text = "{\"clusters\": {\"*\": {\"weight\": 1}} }";
        assert_eq!(check(json!({"annotations": {RS: text}})).unwrap().keys[RS].as_deref(), Some(text));
        let desired = check(json!({"annotations": {"example.com/note": [1, {"b": 2.5, "a": 1}]}})).unwrap();
        assert_eq!(desired.keys["example.com/note"].as_deref(), Some(r#"[1,{"a":1,"b":2.5}]"#));
    }

    #[test]
    fn t17_null_means_remove() {
        assert_eq!(check(json!({"annotations": {RS: null}})).unwrap().keys, [(RS.to_owned(), None)].into());
    }

    #[test]
    fn t09_nowhere_is_an_outcome_of_its_own() {
        for document in [json!({"placement": {"clusters": {}}}), json!({"annotations": {RS: "{\"clusters\":{}}"}})] {
            assert!(check(document).unwrap().nowhere);
        }
    }

    #[test]
    fn what_must_not_be_written_names_key_value_and_reason() {
        let cases = [
            (
                json!({"annotations": {RS: "{\"clusters\":{\"eu-1\":{\"weight\":0.5}}}"}}),
                "annotations",
                &[RS, "0.5", "whole number"][..],
            ),
            (
                json!({"annotations": {RS: {"clusters": {"us-1": {"weight": 1}}}}}),
                "annotations",
                &["cluster `us-1` does not exist"][..],
            ),
            (json!({"annotations": {CLUSTER_SELECTOR: {"a": 1}}}), "annotations", &[CLUSTER_SELECTOR, "not an array"][..]),
            (
                json!({"annotations": {"other.io/x": "y"}}),
                "annotations",
                &["other.io/x", "--annotation-keys", "example.com/note"][..],
            ),
            (json!({"annotations": {"a b": "y"}}), "annotations", &["not a valid annotation key"][..]),
            (json!({"annotations": {HOLD: "true"}}), "annotations", &[HOLD, "may not write"][..]),
            (json!({"annotations": {APPLIED: "{}"}}), "annotations", &[APPLIED, "may not write"][..]),
            (json!({"annotations": {RS: null}, "placement": {"clusters": ["eu-1"]}}), "placement", &["both"][..]),
            (json!({"placement": {"clusters": ["us-1"]}}), "placement", &["cluster `us-1` does not exist"][..]),
            (json!({"placement": {"cluster": ["eu-1"]}}), "placement", &["unknown key `cluster`"][..]),
        ];
        for (document, rule, expected) in cases {
            let error = check(document).unwrap_err();
            assert_eq!(error.rule, rule);
            expected.iter().for_each(|part| assert!(error.to_string().contains(part), "{error}"));
        }
    }

    #[test]
    fn without_a_fleet_kind_names_are_not_checked_and_without_a_target_nothing_is_placed() {
        let output = Output::read(&json!({"placement": {"clusters": ["anything"]}})).unwrap();
        let rules =
            Rules { allowed: &BTreeSet::new(), target: Some(&Target::DeploymentPreferences), kind: "Gadget", exists: None };
        assert!(validate(&output, rules).is_ok());
        let error = validate(&output, Rules { target: None, ..rules }).unwrap_err().to_string();
        assert!(error.contains("kind `Gadget` has no target") && error.contains("`target:`"), "{error}");
    }
}
