//! What the engine decided, and what becomes of the object: its annotations, or its refusal.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::canonical;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use thiserror::Error;

use super::Turn;

/// A policy's sentences are shown up to these numbers.
const MOST_SENTENCES: usize = 32;
const MOST_CHARACTERS: usize = 512;

/// The engine's answer at the placement path, in OPA's v0 form: the document itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Annotations as they are to be written; `null` removes one.
    Place(BTreeMap<String, Json>),
    /// Refused, with a sentence for whoever creates the object.
    Refuse(String),
}

/// An answer that is no decision.
#[derive(Debug, Error)]
#[error("the engine's document is no decision")]
pub struct Unread(#[from] serde_json::Error);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    annotations: Option<BTreeMap<String, Json>>,
    errors: Option<Vec<String>>,
}

impl Decision {
    /// Of a document; `None` where the document is undefined, which is no decision that anybody meant.
    pub fn read(document: Option<&[u8]>) -> Result<Self, Unread> {
        let Some(text) = document else { return Ok(Self::Refuse("policy decision is undefined".to_owned())) };
        // An array would pass for a document without members.
        let members: Map<String, Json> = serde_json::from_slice(text)?;
        let Document { annotations, errors } = serde_json::from_value(Json::Object(members))?;
        match errors.unwrap_or_default().as_slice() {
            [] => Ok(Self::Place(annotations.unwrap_or_default())),
            errors => Ok(Self::Refuse(format!("reason(s): {}", sentences(errors)))),
        }
    }

    /// The merge-patch that says it, and that our turn is over.
    pub fn patch(&self, turn: &Turn) -> Json {
        let mut metadata = turn.preconditions();
        match self {
            Self::Place(annotations) => {
                let written = annotations.iter().map(|(key, value)| (key.clone(), written(value)));
                metadata.insert("annotations".into(), written.collect::<BTreeMap<_, _>>().into_iter().collect());
                let rest = if turn.rest.is_empty() { Json::Null } else { json!({ "pending": turn.rest }) };
                metadata.insert("initializers".into(), rest);
            }
            Self::Refuse(message) => {
                let result = json!({"status": "Failure", "reason": "Forbidden", "code": 403, "message": message});
                metadata.insert("initializers".into(), json!({ "result": result }));
            }
        }
        json!({ "metadata": metadata })
    }
}

fn written(value: &Json) -> Json {
    match value {
        Json::Null | Json::String(_) => value.clone(),
        other => canonical(other).into(),
    }
}

fn sentences(texts: &[String]) -> String {
    let plain = |text: &String| -> String {
        let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        plain.take(MOST_CHARACTERS).collect()
    };
    texts.iter().take(MOST_SENTENCES).map(plain).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::initialize::turn::tests::object;

    fn patched(document: Option<Json>, pending: &[&str]) -> Json {
        let pending: Vec<Json> = pending.iter().map(|name| json!({"name": name})).collect();
        let turn = Turn::of(&object(json!({ "pending": pending })), "we.x.y").unwrap();
        let text = document.map(|document| document.to_string());
        Decision::read(text.as_ref().map(String::as_bytes)).unwrap().patch(&turn)["metadata"].take()
    }

    #[test]
    fn a_placement_is_written_and_the_turn_is_over() {
        let document = json!({"annotations": {"a": "1", "b": null, "c": {"z": 1, "b": [true]}}, "eligible": ["x"]});
        let annotations = json!({"a": "1", "b": null, "c": "{\"b\":[true],\"z\":1}"});
        let expected = json!({"uid": "u1", "resourceVersion": "7", "annotations": annotations, "initializers": null});
        assert_eq!(patched(Some(document), &["we.x.y"]), expected);
        let rest = json!({"pending": [{"name": "b.x.y"}]});
        let expected = json!({"uid": "u1", "resourceVersion": "7", "annotations": {}, "initializers": rest});
        assert_eq!(patched(Some(json!({})), &["we.x.y", "b.x.y"]), expected, "no opinion");
    }

    #[test]
    fn a_refusal_is_the_creator_s_answer() {
        let table = [
            (Some(json!({"annotations": {"a": "1"}, "errors": ["no\ncluster", "b"]})), "reason(s): no cluster; b"),
            (None, "policy decision is undefined"),
        ];
        for (document, message) in table {
            let result = json!({"status": "Failure", "reason": "Forbidden", "code": 403, "message": message});
            let expected = json!({"uid": "u1", "resourceVersion": "7", "initializers": {"result": result}});
            assert_eq!(patched(document, &["we.x.y"]), expected);
        }
        let long = patched(Some(json!({"errors": vec!["x".repeat(10_000); 100]})), &["we.x.y"]);
        assert!(long.to_string().len() < MOST_SENTENCES * (MOST_CHARACTERS + 2) + 300);
    }

    #[test]
    fn what_is_no_decision_is_none() {
        for text in ["", "{", "[]", "null", r#"{"errors":"no"}"#, r#"{"annotations":[]}"#] {
            assert!(Decision::read(Some(text.as_bytes())).is_err(), "{text}");
        }
    }
}
