//! A decision as an answer of OPA's data API: the outcome table, columns v0 and v1.

use actix_web::http::StatusCode;
use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::decision::Decision;
use crate::rego::Document;
use crate::rego::parse::is_keyword;
use crate::server::respond::{ApiError, ErrorDetail};

/// The version of OPA's data API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// The body is the input, the answer is the document.
    V0,
    /// `{"input"}` and `{"result"}`.
    V1,
}

/// The document that the data API answers with.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// A document, as plain OPA has it.
    Document(Document),
    /// A decision, which has something to show.
    Decision(#[serde(serialize_with = "shown")] Box<Decision>),
}

impl Answer {
    /// About how many bytes it is written in, where that is known; else 0.
    pub fn size(&self) -> usize {
        match self {
            Self::Document(_) => 0,
            Self::Decision(decision) => decision.class.as_ref().map_or(0, |class| class.written),
        }
    }

    /// As the decision log has it.
    pub fn to_nearest_json(&self) -> Json {
        match self {
            Self::Document(document) => document.to_nearest_json(),
            Self::Decision(decision) => decision.document().unwrap_or_default(),
        }
    }
}

fn shown<S: Serializer>(decision: &Decision, serializer: S) -> Result<S::Ok, S::Error> {
    decision.shown().serialize(serializer)
}

/// Returns the answer of a decision; `None` is undefined. Fails where there is no decision.
pub fn answer(decision: Decision) -> Result<Option<Answer>, ApiError> {
    match &decision.outcome {
        Outcome::Undefined => Ok(None),
        Outcome::Unavailable { reason, message } if *reason != Unavailable::Invalid => Err(unavailable(*reason, message)),
        _ => Ok(Some(Answer::Decision(Box::new(decision)))),
    }
}

fn unavailable(reason: Unavailable, message: &str) -> ApiError {
    match reason {
        Unavailable::NotReady => ApiError::unavailable("not_ready", message),
        Unavailable::Stale => ApiError::unavailable("stale", message),
        Unavailable::Failed | Unavailable::Invalid => ApiError {
            errors: vec![ErrorDetail {
                code: "eval_internal_error".into(),
                message: message.to_owned(),
                location: None,
                details: None,
            }],
            ..ApiError::internal("error(s) occurred while evaluating query")
        },
    }
}

/// A part of a reference as OPA writes it: keywords in brackets, as they are no names.
fn step(part: &str) -> String {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = || part.chars().all(name) && part.starts_with(|c: char| !c.is_ascii_digit());
    if part.parse::<i64>().is_ok_and(|number| number.to_string() == part) {
        format!("[{part}]")
    } else if is_name() && !is_keyword(part) {
        format!(".{part}")
    } else {
        format!("[{}]", Json::String(part.to_owned()))
    }
}

/// v0's answer to an undefined document.
pub fn undefined(path: &[String], defined: bool) -> ApiError {
    let what = if defined { "undefined" } else { "missing" };
    let reference = path.iter().fold("data".to_owned(), |all, part| all + &step(part));
    ApiError::new(StatusCode::NOT_FOUND, "undefined_document", format!("document {what}: {reference}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::decision::testing::{answered, decided};

    fn decision(outcome: Outcome) -> Decision {
        let document = json!({"annotations": {"k": {}}, "errors": [], "helper": 1});
        Decision { class: Some(answered(&document, &[("k", "v")])), ..decided(outcome) }
    }

    fn unavailable(reason: Unavailable) -> Outcome {
        Outcome::Unavailable { reason, message: "why".into() }
    }

    #[test]
    fn every_outcome_has_the_answer_of_the_table() {
        let whole = json!({"annotations": {"k": "v"}, "errors": [], "helper": 1});
        let table = [
            (Outcome::Exempt, json!({})),
            (Outcome::Unarmed, json!({})),
            (Outcome::NoOpinion, json!({"annotations": {}, "errors": [], "helper": 1})),
            (Outcome::Place, whole.clone()),
            (Outcome::Nowhere, whole),
            (Outcome::Denied { errors: vec!["no".into()] }, json!({"errors": ["no"], "helper": 1})),
            (unavailable(Unavailable::Invalid), json!({"errors": ["why"], "helper": 1})),
        ];
        for (outcome, expected) in table {
            let answer = answer(decision(outcome.clone())).unwrap().unwrap();
            assert_eq!(serde_json::to_value(&answer).unwrap(), expected, "{outcome:?}");
            assert_eq!(answer.to_nearest_json(), expected, "{outcome:?}");
        }
        assert!(answer(decision(Outcome::Undefined)).unwrap().is_none());
    }

    #[test]
    fn what_is_unavailable_is_an_http_error() {
        let table = [
            (Unavailable::NotReady, 503, "not_ready"),
            (Unavailable::Stale, 503, "stale"),
            (Unavailable::Failed, 500, "internal_error"),
        ];
        for (reason, status, code) in table {
            let error = answer(decision(unavailable(reason))).unwrap_err();
            assert_eq!((error.status.as_u16(), error.code), (status, code));
        }
    }

    #[test]
    fn t16_undefined_and_missing_are_told_apart_as_opa_does() {
        let path = ["a".to_owned(), "b".to_owned()];
        assert_eq!(undefined(&path, true).message, "document undefined: data.a.b");
        assert_eq!(undefined(&path, false).message, "document missing: data.a.b");
        assert_eq!(undefined(&path, false).status.as_u16(), 404);
        let odd = ["with-dash", "7", "a b", "_x1", ""].map(str::to_owned);
        assert_eq!(undefined(&odd, false).message, "document missing: data[\"with-dash\"][7][\"a b\"]._x1[\"\"]");
    }
}
