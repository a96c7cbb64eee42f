//! A decision as an answer of OPA's data API: the outcome table, columns v0 and v1.

use actix_web::http::StatusCode;
use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde_json::{Value as Json, json};

use crate::decision::Decision;
use crate::server::respond::{ApiError, ErrorDetail};

/// Which of OPA's data APIs was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// The body is the input, the answer is the document.
    V0,
    /// `{"input"}` and `{"result"}`.
    V1,
}

/// The document to answer; `None` is undefined.
pub fn document(decision: &Decision) -> Result<Option<Json>, ApiError> {
    match &decision.outcome {
        Outcome::Exempt | Outcome::Unarmed => Ok(Some(json!({}))),
        Outcome::Undefined => Ok(None),
        Outcome::NoOpinion | Outcome::Place | Outcome::Nowhere => Ok(Some(placed(decision))),
        Outcome::Denied { errors } => Ok(Some(refused(decision, errors))),
        Outcome::Unavailable { reason: Unavailable::Invalid, message } => {
            Ok(Some(refused(decision, std::slice::from_ref(message))))
        }
        Outcome::Unavailable { reason, message } => Err(unavailable(*reason, message)),
    }
}

fn placed(decision: &Decision) -> Json {
    decision.document.clone().unwrap_or_else(|| json!({ "annotations": decision.annotations }))
}

/// Errors and no annotations: the ancestor's client denies on the first and would merge the second.
fn refused(decision: &Decision, errors: &[String]) -> Json {
    let mut document = match &decision.document {
        Some(Json::Object(members)) => members.clone(),
        _ => serde_json::Map::new(),
    };
    document.remove("annotations");
    document.insert("errors".into(), json!(errors));
    Json::Object(document)
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

/// A part of a reference as OPA writes it.
fn step(part: &str) -> String {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if part.parse::<i64>().is_ok_and(|number| number.to_string() == part) {
        format!("[{part}]")
    } else if part.chars().all(name) && part.starts_with(|c: char| !c.is_ascii_digit()) {
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
    use std::collections::BTreeMap;

    use super::*;
    use crate::decision::Last;

    fn decision(outcome: Outcome) -> Decision {
        Decision {
            outcome,
            document: Some(json!({"annotations": {"k": "v"}, "errors": [], "helper": 1})),
            annotations: BTreeMap::from([("k".into(), "v".into())]),
            patch: BTreeMap::new(),
            kept: false,
            unproven: false,
            clusters: Vec::new(),
            warnings: Vec::new(),
            rejected: BTreeMap::new(),
            last: Last::default(),
            revision: 1,
        }
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
            (Outcome::NoOpinion, whole.clone()),
            (Outcome::Place, whole.clone()),
            (Outcome::Nowhere, whole),
            (Outcome::Denied { errors: vec!["no".into()] }, json!({"errors": ["no"], "helper": 1})),
            (unavailable(Unavailable::Invalid), json!({"errors": ["why"], "helper": 1})),
        ];
        for (outcome, expected) in table {
            assert_eq!(document(&decision(outcome.clone())).unwrap(), Some(expected), "{outcome:?}");
        }
        assert_eq!(document(&decision(Outcome::Undefined)).unwrap(), None);
    }

    #[test]
    fn what_is_unavailable_is_an_http_error() {
        let table = [
            (Unavailable::NotReady, 503, "not_ready"),
            (Unavailable::Stale, 503, "stale"),
            (Unavailable::Failed, 500, "internal_error"),
        ];
        for (reason, status, code) in table {
            let error = document(&decision(unavailable(reason))).unwrap_err();
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
