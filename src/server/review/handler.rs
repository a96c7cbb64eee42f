//! The endpoints of the review listener.

mod seen;

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use serde_json::Value as Json;

use seen::cost;

use super::ahead;
use super::judge::Judge;
use super::refusal::{NoVerdict, no_memory, not_logged, of_body, of_pool, refused, unanswered};
use super::verdict::Verdict;
use super::wire::{Request, ReviewError, Version, answer, parse, parse_external};
use crate::budget::{BudgetError, Charge, Weight};
use crate::server::logged::{DecisionInfo, RequestInfo};
use crate::server::pool::{Deadline, Lane};
use crate::server::request::Params;
use crate::server::{Engine, limits, respond};
use crate::snapshot::Snapshot;

/// Kept back from the caller's timeout, so that the answer comes before the caller gives up.
const RESERVE: Duration = Duration::from_millis(200);
/// A caller that names no timeout: what the API server waits by default.
const CALLER_TIMEOUT: Duration = Duration::from_secs(10);

/// Decides and patches.
pub async fn mutate(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> HttpResponse {
    review(request, engine, payload, (Judge::Mutate, parse)).await
}

/// Decides again and denies what is not as decided.
pub async fn validate(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> HttpResponse {
    review(request, engine, payload, (Judge::Validate, parse)).await
}

/// The same for hooks of v1alpha1, whose configurations cannot name a path. Without a patch nothing but this can be said of an object.
pub async fn external(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> HttpResponse {
    review(request, engine, payload, (Judge::Validate, parse_external)).await
}

/// What a decision means at an endpoint, and which reviews it takes.
type Endpoint = (Judge, Parse);
type Parse = fn(&[u8]) -> Result<(Version, Request), ReviewError>;

async fn review(request: HttpRequest, engine: Data<Engine>, payload: Payload, endpoint: Endpoint) -> HttpResponse {
    let (response, snapshot) = match reviewed(&request, &engine, payload, endpoint).await {
        Ok((review, snapshot)) => (respond::json(StatusCode::OK, &review, false), snapshot),
        Err(error) => (unanswered(&error), engine.store.load()),
    };
    respond::stamped(response, &snapshot, &snapshot.ages(engine.store.now()))
}

async fn reviewed(
    request: &HttpRequest,
    engine: &Data<Engine>,
    payload: Payload,
    (judge, parse): Endpoint,
) -> Result<(Json, Arc<Snapshot>), NoVerdict> {
    let received = Instant::now();
    let timeout = timeout(request.query_string())?;
    let body = match limits::read(payload, request.headers(), limits::DECISION, engine.body(Lane::Decide)).await {
        Ok(body) => body,
        Err(unread) => return Ok((of_body(unread)?, engine.store.load())),
    };
    let case = Case {
        request_info: RequestInfo::of(request),
        body: Arc::new(body),
        judge,
        parse,
        received,
        on_clock: engine.store.now(),
        timeout,
    };
    if let Some(seen) = case.seen(engine) {
        return Ok(seen);
    }
    match case.clone().run(engine, true).await {
        // Nobody holds a worker while he waits for the mirror.
        Err(NoVerdict::Behind(version)) => {
            ahead::catch_up(engine, &version, case.on_clock, timeout).await;
            case.run(engine, false).await
        }
        reviewed => reviewed,
    }
}

/// One request, read.
#[derive(Clone)]
struct Case {
    request_info: RequestInfo,
    body: Arc<limits::Body>,
    judge: Judge,
    parse: Parse,
    received: Instant,
    /// When it came, on the store's clock.
    on_clock: Duration,
    timeout: Duration,
}

impl Case {
    /// Judges it on the pool.
    async fn run(self, engine: &Data<Engine>, is_patient: bool) -> Result<(Json, Arc<Snapshot>), NoVerdict> {
        let deadline = self.deadline(engine.config.limits.time);
        let (shared, sent) = (Data::clone(engine), self.body.text.clone());
        let job = move || -> Result<(Json, Arc<Snapshot>), NoVerdict> {
            let (review, snapshot) = judged(&shared, &self, is_patient)?;
            let review = match logged(&shared, &self.request_info, (self.body.text.clone(), review), &snapshot) {
                Err(NoVerdict::Log(why)) => refused(&self.body.text, not_logged(&why))?,
                logged => logged?,
            };
            Ok((review, snapshot))
        };
        match engine.run(Lane::Decide, Some(deadline), job).await {
            Ok(reviewed) => reviewed,
            Err(error) => Ok((refused(&sent, of_pool(error))?, engine.store.load())),
        }
    }

    /// It waits for a worker as long as its caller does, less what a decision may take (`limit`). One that has begun has the reserve
    /// to say that its time is up: not all of it, for the answer has to arrive.
    fn deadline(&self, limit: Duration) -> Deadline {
        let time = self.timeout.saturating_sub(RESERVE);
        let (begin, end) = (time - limit.min(time / 2), self.timeout.saturating_sub(RESERVE / 4));
        Deadline { begin: self.received + begin, end: self.received + end.max(begin) }
    }

    /// Returns the time that is left for the decision.
    fn budget(&self, limit: Duration) -> Duration {
        self.timeout.saturating_sub(RESERVE).saturating_sub(self.received.elapsed()).min(limit)
    }
}

/// Runs on the pool.
fn judged(engine: &Engine, case: &Case, is_patient: bool) -> Result<(Json, Arc<Snapshot>), NoVerdict> {
    let body = &case.body.text;
    // First what reading the envelope may take, then what the objects do.
    let mut charge = match engine.charge(Lane::Decide, Weight::of(body).read()) {
        Ok(charge) => charge,
        Err(error) => return Ok((refused(body, no_memory(error))?, engine.store.load())),
    };
    let (version, request) = (case.parse)(body)?;
    if let Err(error) = weigh(engine, &request, &mut charge) {
        return Ok((answer(version, &request.uid, &Verdict::denied(no_memory(error))), engine.store.load()));
    }
    let review = case.review(engine, (version, request), is_patient, false);
    let verdict = review.verdict(case.judge)?;
    Ok((answer(version, &review.request.uid, &verdict), review.snapshot))
}

/// Charges that.
fn weigh(engine: &Engine, request: &Request, charge: &mut Charge) -> Result<(), BudgetError> {
    let cost = cost(request);
    if cost > charge.bytes() {
        // Given back first: it is one document.
        *charge = engine.body(Lane::Decide);
        *charge = engine.charge(Lane::Decide, cost)?;
    }
    Ok(())
}

/// The answer with its decision's id, after it was logged.
fn logged(
    engine: &Engine,
    request_info: &RequestInfo,
    (body, mut review): (Bytes, Json),
    snapshot: &Arc<Snapshot>,
) -> Result<Json, NoVerdict> {
    let Some(id) = &request_info.id else { return Ok(review) };
    if let Some(response) = review.get_mut("response").and_then(Json::as_object_mut) {
        let notes = response.entry("auditAnnotations").or_insert_with(|| serde_json::json!({}));
        if let Some(notes) = notes.as_object_mut() {
            notes.insert("decision_id".into(), id.as_str().into());
        }
    }
    let path = engine.config.placement_path.clone();
    let info = DecisionInfo { path, input: Some(body), result: Some(review.clone()), ..DecisionInfo::default() };
    request_info.log(engine, info, snapshot).map_err(|error| NoVerdict::Log(error.message))?;
    Ok(review)
}

/// Returns how long the caller waits: its `?timeout=5s`. Fails where that is no duration.
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
