//! What the engine decided: read from its answer, written on the object.

use std::collections::BTreeMap;

use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::Protocol;
use crate::admission::engine::{Answer, Fault, said};

/// A policy's sentences are shown up to these numbers.
const MOST_SENTENCES: usize = 32;
const MOST_CHARACTERS: usize = 512;

/// Shown when policy leaves no cluster; the engine says the same where it is asked by webhook.
const NOWHERE: &str = "policy allows no cluster: this object will run nowhere";

/// The document, as far as the hook reads it; whatever else a policy's package defines is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Decision {
    /// A string is written as it is, `null` removes, other JSON is written in canonical form.
    annotations: Option<BTreeMap<String, Json>>,
    /// Any denies, whatever else was decided.
    errors: Option<Vec<String>>,
    /// Shown and admitted.
    warnings: Option<Vec<String>>,
}

impl Decision {
    /// Reads an answer; one that is no decision is a fault.
    pub fn read(protocol: Protocol, answer: &Answer) -> Result<Self, Fault> {
        match answer.status {
            StatusCode::NOT_FOUND => return Err(Fault::Undefined),
            status if !status.is_success() => return Err(Fault::Refused { status, message: said(&answer.body) }),
            _ => {}
        }
        let body: Map<String, Json> = serde_json::from_slice(&answer.body).map_err(Fault::Unreadable)?;
        match protocol {
            Protocol::Raw => document(body),
            Protocol::OpaData => result(body),
        }
    }

    /// Whether policy refuses the object.
    pub fn is_denied(&self) -> bool {
        self.errors.as_ref().is_some_and(|errors| !errors.is_empty())
    }

    /// Policy's errors in one line.
    pub fn reasons(&self) -> String {
        sentences(self.errors.as_deref()).collect::<Vec<_>>().join("; ")
    }

    /// For the user, one header each.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let nowhere = self.names_no_cluster().then(|| NOWHERE.to_owned());
        nowhere.into_iter().chain(sentences(self.warnings.as_deref()))
    }

    /// Whether a value is a federation's preferences with an empty set of clusters.
    fn names_no_cluster(&self) -> bool {
        let mut values = self.annotations.iter().flatten().filter_map(|(_, value)| match value {
            Json::String(text) => serde_json::from_str(text).ok(),
            other => Some(other.clone()),
        });
        values.any(|value: Json| value.get("clusters").and_then(Json::as_object).is_some_and(Map::is_empty))
    }

    /// Merges the annotations: the policy's value wins over the user's. Says whether anything changed.
    pub fn apply(&self, object: &mut Json) -> bool {
        let decided = self.annotations.iter().flatten();
        let mut is_changed = false;
        for (key, value) in decided {
            is_changed |= match written(value) {
                Some(text) => set(object, key, text),
                None => remove(object, key),
            };
        }
        is_changed
    }
}

/// An object, checked by whoever calls: an array would pass for a decision without members.
fn document(document: Map<String, Json>) -> Result<Decision, Fault> {
    serde_json::from_value(Json::Object(document)).map_err(Fault::Unreadable)
}

/// OPA's v1 answer; without a result the document is undefined.
fn result(mut body: Map<String, Json>) -> Result<Decision, Fault> {
    match body.remove("result") {
        Some(result) => document(serde_json::from_value(result).map_err(Fault::Unreadable)?),
        None => Err(Fault::Undefined),
    }
}

fn written(value: &Json) -> Option<String> {
    match value {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        other => Some(plimsoll_contract::annotations::canonical(other)),
    }
}

pub(super) fn set(object: &mut Json, key: &str, text: String) -> bool {
    let Some(annotations) = member(object, "metadata").and_then(|metadata| member(metadata, "annotations")) else {
        return false;
    };
    let Some(annotations) = annotations.as_object_mut() else { return false };
    let text = Json::String(text);
    annotations.insert(key.into(), text.clone()) != Some(text)
}

pub(super) fn remove(object: &mut Json, key: &str) -> bool {
    let annotations = object.pointer_mut("/metadata/annotations").and_then(Json::as_object_mut);
    annotations.is_some_and(|annotations| annotations.remove(key).is_some())
}

/// The member of an object, made if there is none; `None` where the value is no object.
fn member<'a>(value: &'a mut Json, name: &str) -> Option<&'a mut Json> {
    if value.is_null() {
        *value = Json::Object(Map::new());
    }
    let member = value.as_object_mut()?.entry(name).or_insert_with(|| Json::Object(Map::new()));
    if member.is_null() {
        *member = Json::Object(Map::new());
    }
    Some(member)
}

fn sentences(texts: Option<&[String]>) -> impl Iterator<Item = String> {
    texts.unwrap_or_default().iter().take(MOST_SENTENCES).map(|text| {
        let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        plain.take(MOST_CHARACTERS).collect()
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status: StatusCode::from_u16(status).unwrap(), body: Bytes::copy_from_slice(body.as_bytes()) }
    }

    fn read(body: Json) -> Decision {
        Decision::read(Protocol::Raw, &answer(200, &body.to_string())).unwrap()
    }

    /// The table of federation v1's `merge_test.go`, with what it could not do.
    #[test]
    fn t17_annotations_are_merged_and_policy_wins() {
        let table = [
            (json!(null), json!({"a": "1"}), json!({"a": "1"}), false),
            (json!({}), json!({"a": "1"}), json!({"a": "1"}), false),
            (json!({"a": "2"}), json!({"a": "1", "b": "1"}), json!({"a": "2", "b": "1"}), true),
            (json!({"a": "1"}), json!({"a": "1"}), json!({"a": "1"}), false),
            (json!({"b": "2"}), json!({"a": "1"}), json!({"a": "1", "b": "2"}), true),
            (json!({"a": null, "c": null}), json!({"a": "1"}), json!({}), true),
            (json!({"a": {"z": 1, "b": [true]}}), json!({}), json!({"a": "{\"b\":[true],\"z\":1}"}), true),
        ];
        for (decided, before, after, is_changed) in table {
            let mut object = json!({"kind": "X", "metadata": {"name": "x", "annotations": before}});
            let decision = read(json!({ "annotations": decided }));
            assert_eq!(decision.apply(&mut object), is_changed, "{decided}");
            assert_eq!(object["metadata"]["annotations"], after, "{decided}");
        }
    }

    #[test]
    fn an_object_without_annotations_gets_some_only_when_there_are_any() {
        for mut object in [json!({}), json!({"metadata": {}}), json!({"metadata": {"annotations": null}})] {
            let before = object.clone();
            assert!(!read(json!({})).apply(&mut object));
            assert_eq!(object, before);
            assert!(read(json!({"annotations": {"a": "1"}})).apply(&mut object));
            assert_eq!(object["metadata"]["annotations"], json!({"a": "1"}));
        }
    }

    #[test]
    fn errors_deny_whatever_else_was_decided() {
        let decision = read(json!({"annotations": {"a": "1"}, "errors": ["no\ncluster", "b"], "eligible": ["c"]}));
        assert!(decision.is_denied());
        assert_eq!(decision.reasons(), "no cluster; b");
        assert!(!read(json!({"errors": []})).is_denied());
    }

    #[test]
    fn an_empty_set_of_clusters_is_said() {
        let table = [
            (json!({"annotations": {"a": r#"{"clusters":{}}"#}}), 1),
            (json!({"annotations": {"a": {"clusters": {}}}, "warnings": ["w"]}), 2),
            (json!({"annotations": {"a": r#"{"clusters":{"eu":{"weight":1}}}"#, "b": "{", "c": null, "d": "[]"}}), 0),
        ];
        for (document, warnings) in table {
            assert_eq!(read(document.clone()).warnings().count(), warnings, "{document}");
        }
    }

    #[test]
    fn t16_what_is_no_decision_is_a_fault() {
        let fault = |protocol, status, body| Decision::read(protocol, &answer(status, body)).unwrap_err().cause().name();
        assert_eq!(fault(Protocol::Raw, 404, "{}"), "undefined");
        assert_eq!(fault(Protocol::OpaData, 200, "{}"), "undefined");
        assert_eq!(fault(Protocol::Raw, 401, ""), "refused");
        for body in ["", "{", "[]", "null", r#"{"errors":"no"}"#, r#"{"errors":[1]}"#, r#"{"annotations":[]}"#] {
            assert_eq!(fault(Protocol::Raw, 200, body), "unreadable", "{body}");
        }
        assert_eq!(fault(Protocol::OpaData, 200, r#"{"result":[]}"#), "unreadable");
        let wrapped = answer(200, r#"{"result":{"annotations":{"a":"1"}},"decision_id":"1"}"#);
        assert!(Decision::read(Protocol::OpaData, &wrapped).unwrap().apply(&mut json!({})));
        assert_eq!(Decision::read(Protocol::OpaData, &answer(200, r#"{"result":{}}"#)).unwrap(), Decision::default());
    }

    #[test]
    fn sentences_are_bounded() {
        let long = read(json!({"warnings": vec!["x".repeat(10_000); 100]}));
        let lengths: Vec<usize> = long.warnings().map(|text| text.len()).collect();
        assert_eq!(lengths, vec![MOST_CHARACTERS; MOST_SENTENCES]);
    }
}
