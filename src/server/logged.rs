//! What the decision log has of a request and its answer.

use std::collections::BTreeMap;
use std::time::Instant;

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use crate::management::decision_log::{Entry, NotLogged};
use crate::server::Engine;
use crate::server::respond::{self, ApiError};

/// The caller of a request, and the id of its decision; empty while nothing is logged.
#[derive(Clone, Debug, Default)]
pub struct RequestInfo {
    /// The decision's id.
    pub id: Option<String>,
    /// Of the data API: below `/v1/data/`, escaped as it was sent.
    path: Option<String>,
    requested_by: String,
    headers: BTreeMap<String, Vec<String>>,
}

/// A request and its answer, as they are logged.
#[derive(Debug, Default)]
pub struct DecisionInfo {
    /// Below `data`.
    pub path: Vec<String>,
    /// An ad-hoc query.
    pub query: String,
    /// JSON text.
    pub input: Option<Bytes>,
    /// As answered.
    pub result: Option<Json>,
    /// As answered.
    pub error: Option<Json>,
    /// OPA's timers.
    pub metrics: Map<String, Json>,
    /// What METADATA labels the rules with that were found to hold.
    pub rule_labels: Vec<Json>,
    /// What OPA does not know of.
    pub custom: Map<String, Json>,
}

impl RequestInfo {
    /// Of a request.
    pub fn of(request: &HttpRequest) -> Self {
        let Some(engine) = request.app_data::<Data<Engine>>() else { return Self::default() };
        let log = &engine.settings.decision_log;
        let Some(id) = log.decision_id() else { return Self::default() };
        let values = |name: &String| {
            let values: Vec<_> =
                request.headers().get_all(name.as_str()).map(|v| String::from_utf8_lossy(v.as_bytes()).into()).collect();
            (!values.is_empty()).then(|| (name.clone(), values))
        };
        let requested_by = request.peer_addr().map(|addr| addr.to_string()).unwrap_or_default();
        let path = sent(request.uri().path()).map(str::to_owned);
        Self { id: Some(id), path, requested_by, headers: log.headers().iter().filter_map(values).collect() }
    }

    /// Logs it. Only a log that was told to may fail the request.
    pub fn log(
        &self,
        engine: &Engine,
        decision: DecisionInfo,
        snapshot: &std::sync::Arc<crate::snapshot::Snapshot>,
    ) -> Result<(), ApiError> {
        let Some(id) = &self.id else { return Ok(()) };
        let DecisionInfo { path, query, input, result, error, metrics, rule_labels, mut custom } = decision;
        custom.insert("sources".into(), json!(snapshot.ages(engine.store.now())));
        let entry = Entry {
            decision_id: id.clone(),
            path: self.path.clone().unwrap_or_else(|| path.join("/")),
            query,
            input,
            result,
            error,
            requested_by: self.requested_by.clone(),
            headers: self.headers.clone(),
            metrics,
            rule_labels,
            custom,
            snapshot: std::sync::Arc::clone(snapshot),
        };
        engine.settings.decision_log.record(entry).map_err(ApiError::from)
    }

    /// Logs what could not be answered, if it is more than a mistake of whoever asked.
    pub fn log_error(&self, engine: &Engine, decision: DecisionInfo, error: &ApiError) -> Result<(), ApiError> {
        if self.id.is_none() || error.status < StatusCode::INTERNAL_SERVER_ERROR {
            return Ok(());
        }
        self.log(engine, DecisionInfo { error: Some(reason(error)), ..decision }, &engine.store.load())
    }
}

/// Returns what OPA logs as the path of a request to the data API (`v1/server/server.go`, `escapedPathValue`).
fn sent(path: &str) -> Option<&str> {
    let below = ["/v1/data", "/v0/data"].iter().find_map(|prefix| path.strip_prefix(prefix))?;
    if below.is_empty() { Some(below) } else { below.strip_prefix('/') }
}

/// The one time that is known of a request that ended early, or that is measured as a whole.
pub fn timer(started: Instant) -> Map<String, Json> {
    Map::from_iter([("timer_server_handler_ns".to_owned(), json!(respond::nanoseconds(started.elapsed())))])
}

/// An error as OPA logs it: what it is made of, rather than how it is answered.
pub fn reason(error: &ApiError) -> Json {
    // Texts and numbers: it can be encoded.
    let json = match error.errors.as_slice() {
        [] => serde_json::to_value(error),
        [one] => serde_json::to_value(one),
        several => serde_json::to_value(several),
    };
    json.unwrap_or_default()
}

impl From<NotLogged> for ApiError {
    fn from(error: NotLogged) -> Self {
        Self::internal(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::sent;

    #[test]
    fn a_path_is_logged_as_it_was_sent() {
        let table = [
            ("/v1/data/a%2Fb/c%20d", Some("a%2Fb/c%20d")),
            ("/v0/data/a", Some("a")),
            ("/v1/data", Some("")),
            ("/v1/data/", Some("")),
            ("/v1/database", None),
            ("/", None),
            ("/v1/query", None),
        ];
        for (path, expected) in table {
            assert_eq!(sent(path), expected, "{path}");
        }
    }
}
