//! The bytes of an answer, in v0's and v1's form.

use std::time::Instant;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::answer::{self, Answer};
use super::explain::Explanation;
use super::query::Found;
use crate::rego::Document;
use crate::server::request::Params;
use crate::server::respond::{ApiError, encoded_of, nanoseconds};

/// Bytes of an answer beside what policy said: the envelope, and the record of what is written.
const BESIDE: usize = 512;

/// OPA's envelope.
#[derive(Serialize)]
struct V1<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Shown<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a Explanation>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    rule_labels: &'a [Document],
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<Json>,
}

/// A document to be written: as it is kept as text, or, where spaces are wanted, as a tree.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown<'a> {
    Kept(&'a Answer),
    Tree(Json),
}

impl<'a> Shown<'a> {
    fn of(answer: &'a Answer, pretty: bool) -> Self {
        match answer {
            Answer::Decision(_) if pretty => Self::Tree(answer.to_nearest_json()),
            _ => Self::Kept(answer),
        }
    }
}

/// The bare document; undefined is an error.
pub fn v0(found: &Found, path: &[String], pretty: bool) -> Result<Vec<u8>, ApiError> {
    match &found.document {
        Some(document) => bytes(&Shown::of(document, pretty), pretty, document.size()),
        None => Err(answer::undefined(path, found.defined)),
    }
}

/// `{"result"}` and what was asked for beside it; undefined has no result.
pub fn v1(found: &Found, params: &Params, input_missing: bool, started: Instant) -> Result<Vec<u8>, ApiError> {
    let missing = input_missing.then(|| "'input' key missing from the request".to_owned());
    let explained = found.explained.as_ref();
    let labelled = params.flag("rule_labels");
    let unlabelled = found.labels.warning.as_ref().filter(|_| labelled);
    let warnings = missing.into_iter().chain(explained.and_then(|explained| explained.warning.clone()));
    let warnings: Vec<_> = warnings.chain(unlabelled.cloned()).collect();
    let pretty = params.flag("pretty");
    let body = V1 {
        decision_id: found.decision_id.as_deref(),
        result: found.document.as_ref().map(|document| Shown::of(document, pretty)),
        explanation: explained.map(|explained| &explained.explanation),
        rule_labels: if labelled { &found.labels.all } else { &[] },
        warning: warning(&warnings),
        metrics: (params.flag("metrics") || params.flag("instrument")).then(|| timers(found, started)),
        provenance: params.flag("provenance").then(|| provenance(found)),
    };
    bytes(&body, pretty, found.document.as_ref().map_or(0, Answer::size))
}

/// OPA's one warning, of all there is to warn of.
pub fn warning(warnings: &[String]) -> Option<Json> {
    (!warnings.is_empty()).then(|| json!({ "code": "api_usage_warning", "message": warnings.join("; ") }))
}

/// Writes a body with a document of about so many bytes.
fn bytes(body: &impl Serialize, pretty: bool, document: usize) -> Result<Vec<u8>, ApiError> {
    encoded_of(body, pretty, document.saturating_add(BESIDE))
        .map_err(|error| ApiError::internal(format!("the answer could not be encoded: {error}")))
}

/// OPA's timers.
pub(super) fn timers(found: &Found, started: Instant) -> Json {
    json!({
        "timer_rego_input_parse_ns": nanoseconds(found.parsing),
        "timer_rego_query_eval_ns": nanoseconds(found.evaluation),
        "timer_server_handler_ns": nanoseconds(started.elapsed()),
    })
}

fn provenance(found: &Found) -> Json {
    let mut provenance = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "build_commit": "",
        "build_timestamp": "",
        "build_hostname": "",
        "epoch": &*found.snapshot.epoch,
        "revision": found.snapshot.revision.to_string(),
        "digest": found.snapshot.policies.digest,
        "sources": found.ages,
    });
    let bundles = found.snapshot.policies.bundles();
    let bundles: Map<String, Json> =
        bundles.map(|bundle| (bundle.name.clone(), json!({ "revision": bundle.revision }))).collect();
    if let Some(fields) = provenance.as_object_mut().filter(|_| !bundles.is_empty()) {
        fields.insert("bundles".into(), bundles.into());
    }
    provenance
}
