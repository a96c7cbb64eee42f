//! Writes a neutral placement the way an object's target reads it. "No cluster" is spelled differently everywhere, so
//! each target spells it or refuses.

use plimsoll_contract::annotations::{CLUSTER_SELECTOR, DEPLOYMENT_PREFERENCES, REPLICA_SET_PREFERENCES};
use plimsoll_contract::kind::Target;

use super::preferences::{ANY, Preferences};

/// Read by federation v1's job controller; like the other preferences.
const JOB_PREFERENCES: &str = "federation.kubernetes.io/job-preferences";

/// No cluster can both have and lack a label. An empty selector would mean every cluster.
const SELECTS_NOTHING: &str =
    r#"[{"key":"plimsoll.io/nowhere","operator":"exists"},{"key":"plimsoll.io/nowhere","operator":"!"}]"#;

/// A placement that the target cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// A selector knows labels, not names.
    #[error("`{CLUSTER_SELECTOR}` selects clusters by label and cannot name {0}: return a selector in `annotations` instead")]
    Unspeakable(String),
}

/// The format in which the reader of an annotation takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// As preferences.
    Preferences,
    /// As a cluster selector.
    Selector,
    /// By nobody we know.
    Unknown,
}

/// Returns the format of the annotation `key` on an object with this target.
pub fn reader(key: &str, target: Option<&Target>) -> Reader {
    match key {
        CLUSTER_SELECTOR => Reader::Selector,
        REPLICA_SET_PREFERENCES | DEPLOYMENT_PREFERENCES | JOB_PREFERENCES => Reader::Preferences,
        _ if target.is_some_and(|target| target.annotation() == key) => Reader::Preferences,
        _ => Reader::Unknown,
    }
}

/// The annotation's value that says `placement`.
pub fn encode(placement: &Preferences, target: &Target) -> Result<String, TargetError> {
    match reader(target.annotation(), Some(target)) {
        Reader::Preferences | Reader::Unknown => Ok(placement.encode()),
        Reader::Selector => selector(placement),
    }
}

fn selector(placement: &Preferences) -> Result<String, TargetError> {
    if placement.nowhere() {
        return Ok(SELECTS_NOTHING.into());
    }
    let named: Vec<&str> = placement.clusters.keys().map(String::as_str).filter(|name| *name != ANY).collect();
    if !named.is_empty() {
        return Err(TargetError::Unspeakable(format!("cluster `{}`", named.join("`, `"))));
    }
    let bounded = placement.clusters.values().any(|share| share.min.is_some() || share.max.is_some());
    if bounded || placement.rebalance == Some(true) {
        return Err(TargetError::Unspeakable("minima, maxima or `rebalance`".into()));
    }
    Ok("[]".into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::decision::selector;

    fn write(placement: serde_json::Value, target: &str) -> Result<String, String> {
        let placement = Preferences::neutral(&placement).unwrap();
        encode(&placement, &Target::from(target.to_owned())).map_err(|error| error.to_string())
    }

    #[test]
    fn preferences_targets_write_one_canonical_value() {
        for target in ["replica-set-preferences", "deployment-preferences", "example.com/spread"] {
            let value = write(json!({"clusters": ["b", "a"], "rebalance": true}), target).unwrap();
            assert_eq!(value, r#"{"clusters":{"a":{"weight":1},"b":{"weight":1}},"rebalance":true}"#);
            assert_eq!(Preferences::parse(&value).unwrap().places().count(), 2);
        }
    }

    #[test]
    fn t09_each_target_spells_nowhere_its_own_way() {
        assert_eq!(write(json!({"clusters": {}}), "replica-set-preferences").unwrap(), r#"{"clusters":{}}"#);
        let selects = write(json!({"clusters": {}}), CLUSTER_SELECTOR).unwrap();
        assert_eq!(selector::check(&selects), Ok(()));
        assert_ne!(selects, "[]", "an empty selector means every cluster");
    }

    #[test]
    fn a_selector_refuses_what_it_cannot_say() {
        assert_eq!(write(json!({"clusters": ["*"]}), CLUSTER_SELECTOR).unwrap(), "[]");
        for (placement, expected) in [
            (json!({"clusters": ["a", "b"]}), "cannot name cluster `a`, `b`"),
            (json!({"clusters": {"*": {"min": 1}}}), "cannot name minima"),
            (json!({"clusters": ["*"], "rebalance": true}), "`rebalance`"),
        ] {
            let error = write(placement, CLUSTER_SELECTOR).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
