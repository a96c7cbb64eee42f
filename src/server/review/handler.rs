//! The two endpoints of the review listener.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use plimsoll_contract::kind::{Gvr, Kind};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::scope;
use super::verdict::{Denial, NotReady, Verdict, mutate as mutated, verify};
use super::wire::{Request, ReviewError, Version, answer, parse, status};
use crate::decision::{Config, Decision, Subject, decide};
use crate::server::limits::{BodyError, explain};
use crate::server::pool::PoolError;
use crate::server::request::Params;
use crate::server::{Engine, Protocol, limits, respond};
use crate::snapshot::Snapshot;

/// Kept back from the caller's timeout, so that the answer comes before the caller gives up.
const RESERVE: Duration = Duration::from_millis(200);
/// A caller that names no timeout: what the API server waits by default.
const CALLER_TIMEOUT: Duration = Duration::from_secs(10);

type Judge = fn(&Json, &Decision) -> Result<Verdict, NotReady>;

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
enum NoVerdict {
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(transparent)]
    Review(#[from] ReviewError),
    #[error("{0}")]
    Parameter(String),
    #[error(transparent)]
    NotReady(#[from] NotReady),
    #[error(transparent)]
    Pool(#[from] PoolError),
}

/// Decides and patches.
pub async fn mutate(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> HttpResponse {
    review(request, engine, payload, mutated).await
}

/// Decides again and denies what is not as decided.
pub async fn validate(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> HttpResponse {
    review(request, engine, payload, verify).await
}

async fn review(request: HttpRequest, engine: Data<Engine>, payload: Payload, judge: Judge) -> HttpResponse {
    let (response, snapshot) = match reviewed(&request, &engine, payload, judge).await {
        Ok((review, snapshot)) => (respond::json(StatusCode::OK, &review, false), snapshot),
        Err(error) => (refuse(&error), engine.store.load()),
    };
    respond::stamped(response, &snapshot, &snapshot.ages(engine.store.now()))
}

async fn reviewed(
    request: &HttpRequest,
    engine: &Data<Engine>,
    payload: Payload,
    judge: Judge,
) -> Result<(Json, Arc<Snapshot>), NoVerdict> {
    let received = Instant::now();
    let budget = budget(request.query_string(), engine.config.limits.time)?;
    let body = limits::body(payload, request.headers(), limits::DECISION).await?;
    let shared = Data::clone(engine);
    let job = move || judged(&shared, &body, budget.saturating_sub(received.elapsed()), judge);
    engine.evaluation.run(Some(received + budget), job).await?
}

/// Runs on the pool.
fn judged(engine: &Engine, body: &Bytes, budget: Duration, judge: Judge) -> Result<(Json, Arc<Snapshot>), NoVerdict> {
    let (version, request) = parse(body)?;
    let review = Review { engine, snapshot: engine.store.load(), version, request, budget };
    let verdict = review.verdict(judge)?;
    Ok((answer(version, &review.request.uid, &verdict), review.snapshot))
}

/// One review on one snapshot.
struct Review<'a> {
    engine: &'a Engine,
    snapshot: Arc<Snapshot>,
    version: Version,
    request: Request,
    budget: Duration,
}

impl Review<'_> {
    fn verdict(&self, judge: Judge) -> Result<Verdict, NotReady> {
        let request = &self.request;
        if scope::other_operation(request) {
            return Ok(Verdict::untouched());
        }
        let (object, old) = match (object(request), old_object(request)) {
            (Ok(object), Ok(old)) => (object, old),
            (Err(denied), _) | (_, Err(denied)) => return Ok(Verdict::denied(denied)),
        };
        if request.operation == "UPDATE" && old.as_ref().is_some_and(|old| scope::untouchable_update(old, &object)) {
            return Ok(Verdict::untouched());
        }
        let decision = self.decide(&object);
        self.engine.metrics.decided(Protocol::of_review(self.version), &decision.outcome);
        judge(&object, &decision)
    }

    fn decide(&self, object: &Json) -> Decision {
        let (engine, request) = (self.engine, &self.request);
        let started = Instant::now();
        let uid = object.pointer("/metadata/uid").and_then(Json::as_str).unwrap_or_default();
        let last = engine.table.last(uid);
        let subject = Subject { object, kind: self.kind(object), last: last.as_ref() };
        let decision = if self.budget < engine.config.limits.time {
            let mut config = Config::clone(&engine.config);
            config.limits.time = self.budget;
            decide(&self.snapshot, subject, &config)
        } else {
            decide(&self.snapshot, subject, &engine.config)
        };
        engine.metrics.evaluation.observe(started.elapsed().as_secs_f64());
        let (kind, namespace, name) = (&request.kind.kind, &request.namespace, &request.name);
        let (outcome, revision) = (decision.outcome.name(), decision.revision);
        tracing::debug!(uid = request.uid, %kind, %namespace, %name, outcome, revision, "reviewed");
        decision
    }

    /// The row of the table: by the object's own type, else by the resource that was asked for.
    fn kind(&self, object: &Json) -> Option<&Kind> {
        let text = |field: &str| object.get(field).and_then(Json::as_str).unwrap_or_default();
        let by_object = self.snapshot.state.kind_of(text("apiVersion"), text("kind"));
        by_object.or_else(|| {
            let resource = &self.request.resource;
            let (group, version, resource) = (resource.group.clone(), resource.version.clone(), resource.resource.clone());
            self.snapshot.state.kind(&Gvr { group, version, resource })
        })
    }
}

/// The new object, complete: what the request knows and the object leaves out is filled in.
fn object(request: &Request) -> Result<Json, Denial> {
    let mut object = read(request.object.as_deref(), "object")?.unwrap_or(Json::Null);
    let shaped = object.get("metadata").is_some_and(Json::is_object);
    let Some(fields) = object.as_object_mut().filter(|_| shaped) else {
        let message = format!("a {} of {} carries no object with metadata", request.operation, request.resource.resource);
        return Err(Denial { code: 400, reason: "BadRequest", message });
    };
    fields.entry("apiVersion").or_insert_with(|| request.kind.api_version().into());
    fields.entry("kind").or_insert_with(|| request.kind.kind.clone().into());
    if let Some(metadata) = fields.get_mut("metadata").and_then(Json::as_object_mut)
        && !request.namespace.is_empty()
    {
        metadata.entry("namespace").or_insert_with(|| request.namespace.clone().into());
    }
    Ok(object)
}

fn old_object(request: &Request) -> Result<Option<Json>, Denial> {
    read(request.old_object.as_deref(), "oldObject")
}

/// What cannot be read cannot be decided: it is denied, not skipped.
fn read(text: Option<&RawValue>, field: &str) -> Result<Option<Json>, Denial> {
    let Some(text) = text else { return Ok(None) };
    let parsed = serde_json::from_str(text.get());
    parsed.map_err(|error| Denial::forbidden(format!("`{field}` of the request cannot be read: {}", explain(&error))))
}

/// The caller's `?timeout=5s` less the reserve, and never more than the engine's own limit.
fn budget(query: &str, limit: Duration) -> Result<Duration, NoVerdict> {
    let params = Params::parse(query).map_err(|error| NoVerdict::Parameter(error.message))?;
    let timeout = match params.get("timeout") {
        None => CALLER_TIMEOUT,
        Some(text) => {
            duration(text).ok_or_else(|| NoVerdict::Parameter(format!("timeout `{text}` is not a duration such as `5s`")))?
        }
    };
    Ok(timeout.saturating_sub(RESERVE).min(limit))
}

/// The durations that the API server sends: seconds or milliseconds.
fn duration(text: &str) -> Option<Duration> {
    match text.strip_suffix("ms") {
        Some(number) => number.parse().ok().map(Duration::from_millis),
        None => text.strip_suffix('s')?.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
    }
}

/// No verdict: an HTTP error with a Status, so that the caller's failurePolicy decides.
fn refuse(error: &NoVerdict) -> HttpResponse {
    let (code, reason) = match error {
        NoVerdict::Body(BodyError::TooLarge) => (StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge"),
        NoVerdict::Body(BodyError::Broken(_)) | NoVerdict::Review(_) | NoVerdict::Parameter(_) => {
            (StatusCode::BAD_REQUEST, "BadRequest")
        }
        NoVerdict::NotReady(_) | NoVerdict::Pool(PoolError::Overloaded | PoolError::Expired) => {
            (StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable")
        }
        NoVerdict::Pool(PoolError::Panicked) => (StatusCode::INTERNAL_SERVER_ERROR, "InternalError"),
    };
    tracing::warn!(code = code.as_u16(), %error, "a review was not decided");
    respond::json(code, &status(code.as_u16(), reason, &error.to_string()), false)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(value: &Json) -> Option<Box<RawValue>> {
        Some(RawValue::from_string(value.to_string()).unwrap())
    }

    #[test]
    fn the_budget_is_the_callers_timeout_less_a_reserve() {
        let limit = Duration::from_secs(2);
        let table = [("timeout=5s", 2000), ("timeout=1s", 800), ("", 2000), ("timeout=500ms", 300), ("timeout=0s", 0)];
        for (query, milliseconds) in table {
            assert_eq!(budget(query, limit).unwrap(), Duration::from_millis(milliseconds), "{query}");
        }
        for query in ["timeout=5", "timeout=abc", "timeout=-1s", "timeout=1e400s"] {
            assert!(budget(query, limit).is_err(), "{query}");
        }
    }

    #[test]
    fn what_the_object_leaves_out_is_filled_from_the_request() {
        let mut request =
            Request { namespace: "ns".into(), object: raw(&json!({"metadata": {"name": "n"}})), ..Request::default() };
        request.kind.group = "apps".into();
        request.kind.version = "v1".into();
        request.kind.kind = "ReplicaSet".into();
        let filled = object(&request).unwrap();
        let expected = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "n", "namespace": "ns"}});
        assert_eq!(filled, expected);
        request.object = raw(&json!({"apiVersion": "v1", "kind": "K", "metadata": {"namespace": "own"}}));
        assert_eq!(object(&request).unwrap()["metadata"]["namespace"], "own");
    }

    #[test]
    fn what_cannot_be_read_is_denied() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let request = Request { object: Some(RawValue::from_string(deep).unwrap()), ..Request::default() };
        let denied = object(&request).unwrap_err();
        assert!(denied.code == 403 && denied.message.contains("nested too deeply"), "{denied:?}");
        assert_eq!(object(&Request::default()).unwrap_err().code, 400);
    }
}
