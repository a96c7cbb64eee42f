//! `POST /v0/data`, `GET` and `POST /v1/data`.

use std::time::Instant;

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::Api;
use super::body;
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
    run(&engine, query, move |_, found| body::v1(found, &params, false, started)).await
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
    run(&engine, query, move |_, found| body::v1(found, &params, missing, started)).await
}

/// `POST /v0/data[/path]`: the body is the input, the answer is the document.
pub async fn post_v0(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let path = segments(request.uri().path(), 2)?;
    let body = limits::body(payload, request.headers(), limits::DECISION).await?;
    let input = (!body.is_empty()).then_some(body);
    let query = Query { path, input, api: Api::V0, decides: !params.flag("raw") };
    run(&engine, query, move |query, found| body::v0(found, &query.path, params.flag("pretty"))).await
}

fn v1_input(body: &Bytes) -> Result<Option<Bytes>, ApiError> {
    let parsed: V1Body = limits::parse(body, "body contains malformed input document")?;
    Ok(parsed.input.map(|input| Bytes::from(Box::<str>::from(input).into_string())))
}

/// Evaluates and encodes on the pool: a large document delays nobody else's request.
async fn run(
    engine: &Data<Engine>,
    query: Query,
    encode: impl FnOnce(&Query, &Found) -> Result<Vec<u8>, ApiError> + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    let deadline = Instant::now() + engine.config.limits.time;
    let shared = Data::clone(engine);
    let job = move || -> Result<_, ApiError> {
        let found = evaluate(&shared, &query)?;
        Ok((encode(&query, &found), found.snapshot, found.ages))
    };
    let (encoded, snapshot, ages) = engine.evaluate(Some(deadline), job).await??;
    let response = match encoded {
        Ok(text) => HttpResponse::Ok().content_type("application/json").body(text),
        Err(error) => error.error_response(),
    };
    Ok(respond::stamped(response, &snapshot, &ages))
}
