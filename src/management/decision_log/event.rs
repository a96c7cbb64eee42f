//! One line of the log, in OPA's shape and order (`EventV1`).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value as Json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// One decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Event {
    /// Of the configuration, and `id` and `version`.
    pub labels: BTreeMap<String, String>,
    /// As answered.
    pub decision_id: String,
    /// Activated bundles.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bundles: BTreeMap<String, BundleInfo>,
    /// The document asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The ad-hoc query.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// As sent, less what is masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// As answered, less what is masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// Paths that were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub erased: Vec<String>,
    /// Paths that were replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<String>,
    /// As answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Json>,
    /// Address and port.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub requested_by: String,
    /// RFC 3339, UTC.
    pub timestamp: String,
    /// OPA's timers.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metrics: Map<String, Json>,
    /// Counts requests.
    #[serde(rename = "req_id")]
    pub request: u64,
    /// What METADATA labels the rules with that were found to hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rule_labels: Vec<Json>,
    /// Headers that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_context: Option<RequestContext>,
    /// What OPA does not know of.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub custom: Map<String, Json>,
}

/// An activated bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BundleInfo {
    /// Of its manifest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub revision: String,
}

/// Of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RequestContext {
    /// Of HTTP.
    pub http: HttpContext,
}

/// Of HTTP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HttpContext {
    /// By name, as configured.
    pub headers: BTreeMap<String, Vec<String>>,
}

/// The time as OPA writes it.
pub(super) fn now() -> String {
    // The format fails for years beyond 9999 alone.
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default()
}
