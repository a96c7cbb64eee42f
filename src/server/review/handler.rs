//! The two endpoints of the review listener.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use serde_json::Value as Json;

use super::judge::{Judge, Review};
use super::verdict::{Denial, NotReady, Verdict, mutate as mutated, verify};
use super::wire::{ReviewError, answer, parse, status};
use crate::server::limits::BodyError;
use crate::server::logged::{Asked, Told};
use crate::server::pool::{Deadline, Lane, PoolError};
use crate::server::request::Params;
use crate::server::{Engine, limits, respond};
use crate::snapshot::Snapshot;

/// Kept back from the caller's timeout, so that the answer comes before the caller gives up.
const RESERVE: Duration = Duration::from_millis(200);
/// A caller that names no timeout: what the API server waits by default.
const CALLER_TIMEOUT: Duration = Duration::from_secs(10);

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
    #[error("{0}")]
    Log(String),
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
        Err(error) => (unanswered(&error), engine.store.load()),
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
    let timeout = timeout(request.query_string())?;
    let budget = timeout.saturating_sub(RESERVE).min(engine.config.limits.time);
    let body = limits::body(payload, request.headers(), limits::DECISION).await?;
    let (shared, asked, sent) = (Data::clone(engine), Asked::of(request), body.clone());
    let job = move || -> Result<(Json, Arc<Snapshot>), NoVerdict> {
        let (review, snapshot) = judged(&shared, &body, budget.saturating_sub(received.elapsed()), judge)?;
        let review = logged(&shared, &asked, (body, review), &snapshot)?;
        Ok((review, snapshot))
    };
    // One that has begun has the reserve to say that its time is up: not all of it, for the answer has to arrive.
    let end = timeout.saturating_sub(RESERVE / 4).min(budget.saturating_mul(2).max(RESERVE));
    let deadline = Deadline { begin: received + budget, end: received + end.max(budget) };
    match engine.run(Lane::Decide, Some(deadline), job).await {
        Ok(reviewed) => reviewed,
        Err(error) => Ok((refused(&sent, denial(error))?, engine.store.load())),
    }
}

/// A refusal as a verdict: an HTTP error would open the side that may fail, and shows users of the other one a 500.
fn refused(body: &[u8], denial: Denial) -> Result<Json, NoVerdict> {
    let (version, request) = parse(body)?;
    tracing::warn!(uid = request.uid, code = denial.code, message = denial.message, "a review was refused");
    Ok(answer(version, &request.uid, &Verdict::denied(denial)))
}

fn denial(error: PoolError) -> Denial {
    let (code, reason) = match error {
        PoolError::Overloaded | PoolError::Expired => (429, "TooManyRequests"),
        PoolError::Overrun | PoolError::Panicked => (500, "InternalError"),
    };
    Denial { code, reason, message: error.to_string() }
}

/// Runs on the pool.
fn judged(engine: &Engine, body: &Bytes, budget: Duration, judge: Judge) -> Result<(Json, Arc<Snapshot>), NoVerdict> {
    let (version, request) = parse(body)?;
    let review = Review { engine, snapshot: engine.store.load(), version, request, budget };
    let verdict = review.verdict(judge)?;
    Ok((answer(version, &review.request.uid, &verdict), review.snapshot))
}

/// The answer with its decision's id, after it was logged.
fn logged(
    engine: &Engine,
    asked: &Asked,
    (body, mut review): (Bytes, Json),
    snapshot: &Arc<Snapshot>,
) -> Result<Json, NoVerdict> {
    let Some(id) = &asked.id else { return Ok(review) };
    if let Some(response) = review.get_mut("response").and_then(Json::as_object_mut) {
        let notes = response.entry("auditAnnotations").or_insert_with(|| serde_json::json!({}));
        if let Some(notes) = notes.as_object_mut() {
            notes.insert("decision_id".into(), id.as_str().into());
        }
    }
    let path = engine.config.placement_path.clone();
    let told = Told { path, input: Some(body), result: Some(review.clone()), ..Told::default() };
    asked.tell(engine, told, snapshot).map_err(|error| NoVerdict::Log(error.message))?;
    Ok(review)
}

/// How long the caller waits: its `?timeout=5s`.
fn timeout(query: &str) -> Result<Duration, NoVerdict> {
    let params = Params::parse(query).map_err(|error| NoVerdict::Parameter(error.message))?;
    let Some(text) = params.get("timeout") else { return Ok(CALLER_TIMEOUT) };
    duration(text).ok_or_else(|| NoVerdict::Parameter(format!("timeout `{text}` is not a duration such as `5s`")))
}

/// The durations that the API server sends: seconds or milliseconds.
fn duration(text: &str) -> Option<Duration> {
    match text.strip_suffix("ms") {
        Some(number) => number.parse().ok().map(Duration::from_millis),
        None => text.strip_suffix('s')?.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
    }
}

/// No verdict: an HTTP error with a Status, so that the caller's failurePolicy decides.
fn unanswered(error: &NoVerdict) -> HttpResponse {
    let (code, reason) = match error {
        NoVerdict::Body(BodyError::TooLarge { .. } | BodyError::UnpackedTooLarge(_)) => {
            (StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge")
        }
        NoVerdict::Body(BodyError::Broken(_) | BodyError::Stopped) | NoVerdict::Review(_) | NoVerdict::Parameter(_) => {
            (StatusCode::BAD_REQUEST, "BadRequest")
        }
        NoVerdict::NotReady(_) => (StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable"),
        NoVerdict::Log(_) => (StatusCode::INTERNAL_SERVER_ERROR, "InternalError"),
    };
    tracing::warn!(code = code.as_u16(), %error, "a review was not decided");
    respond::json(code, &status(code.as_u16(), reason, &error.to_string()), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_timeout_is_read() {
        let table = [("timeout=5s", 5000), ("timeout=1s", 1000), ("", 10_000), ("timeout=500ms", 500), ("timeout=0s", 0)];
        for (query, milliseconds) in table {
            assert_eq!(timeout(query).unwrap(), Duration::from_millis(milliseconds), "{query}");
        }
        for query in ["timeout=5", "timeout=abc", "timeout=-1s", "timeout=1e400s"] {
            assert!(timeout(query).is_err(), "{query}");
        }
    }
}
