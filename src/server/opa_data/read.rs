//! `POST /v0/data`, `GET` and `POST /v1/data`.

use std::time::Instant;

use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json, json};

use super::answer::{self, Api};
use super::query::{Found, Query, evaluate};
use crate::server::request::{Params, segments};
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, limits};

/// Body of a v1 POST; the input is parsed on the pool.
#[derive(Deserialize)]
struct V1Body {
    #[serde(default)]
    input: Option<Box<RawValue>>,
}

/// `GET /v1/data[/path]?input=`.
pub async fn get(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let started = Instant::now();
    let params = Params::parse(request.query_string())?;
    let input = params.get("input").map(|text| Bytes::copy_from_slice(text.as_bytes()));
    if let Some(text) = &input {
        limits::parse::<Box<RawValue>>(text, "parameter contains malformed input document")?;
    }
    let query = Query { path: segments(request.uri().path(), 2)?, input, api: Api::V1, decides: false };
    let found = run(&engine, query).await?;
    Ok(v1_answer(&found, &params, false, started))
}

/// `POST /v1/data[/path]` with `{"input"}`.
pub async fn post_v1(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let started = Instant::now();
    let params = Params::parse(request.query_string())?;
    let path = segments(request.uri().path(), 2)?;
    let body = limits::body(payload, request.headers(), limits::DECISION).await?;
    let input = if body.is_empty() { None } else { v1_input(&body)? };
    let missing = input.is_none();
    let query = Query { path, input, api: Api::V1, decides: !params.flag("raw") };
    let found = run(&engine, query).await?;
    Ok(v1_answer(&found, &params, missing, started))
}

/// `POST /v0/data[/path]`: the body is the input, the answer is the document.
pub async fn post_v0(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let path = segments(request.uri().path(), 2)?;
    let body = limits::body(payload, request.headers(), limits::DECISION).await?;
    let input = (!body.is_empty()).then_some(body);
    let query = Query { path: path.clone(), input, api: Api::V0, decides: !params.flag("raw") };
    let found = run(&engine, query).await?;
    let response = match &found.document {
        Some(document) => respond::json(StatusCode::OK, document, params.flag("pretty")),
        None => actix_web::ResponseError::error_response(&answer::undefined(&path, found.defined)),
    };
    Ok(respond::stamped(response, &found.snapshot, &found.ages))
}

fn v1_input(body: &Bytes) -> Result<Option<Bytes>, ApiError> {
    let parsed: V1Body = limits::parse(body, "body contains malformed input document")?;
    Ok(parsed.input.map(|input| Bytes::from(Box::<str>::from(input).into_string())))
}

async fn run(engine: &Data<Engine>, query: Query) -> Result<Found, ApiError> {
    let deadline = Instant::now() + engine.config.limits.time;
    let shared = Data::clone(engine);
    engine.evaluation.run(Some(deadline), move || evaluate(&shared, &query)).await?
}

fn v1_answer(found: &Found, params: &Params, input_missing: bool, started: Instant) -> HttpResponse {
    let mut body = Map::new();
    if let Some(document) = &found.document {
        body.insert("result".into(), document.clone());
    }
    if input_missing {
        let message = "'input' key missing from the request";
        body.insert("warning".into(), json!({ "code": "api_usage_warning", "message": message }));
    }
    if params.flag("metrics") || params.flag("instrument") {
        body.insert("metrics".into(), timers(found, started));
    }
    if params.flag("provenance") {
        body.insert("provenance".into(), provenance(found));
    }
    let response = respond::json(StatusCode::OK, &body, params.flag("pretty"));
    respond::stamped(response, &found.snapshot, &found.ages)
}

fn timers(found: &Found, started: Instant) -> Json {
    json!({
        "timer_rego_input_parse_ns": nanoseconds(found.parsing),
        "timer_rego_query_eval_ns": nanoseconds(found.evaluation),
        "timer_server_handler_ns": nanoseconds(started.elapsed()),
    })
}

fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn provenance(found: &Found) -> Json {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "build_commit": "",
        "build_timestamp": "",
        "build_hostname": "",
        "epoch": &*found.snapshot.epoch,
        "revision": found.snapshot.revision.to_string(),
        "digest": found.snapshot.policies.digest,
        "sources": found.ages,
    })
}
