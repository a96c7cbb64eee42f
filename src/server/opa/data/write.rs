//! `PUT`, `PATCH` and `DELETE /v1/data`.

use std::time::{Duration, Instant};

use actix_web::http::{StatusCode, header};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use super::operations::operations;
use crate::budget::{Weight, weight};
use crate::server::limits::Body;
use crate::server::pool::Lane;
use crate::server::request::{Params, segments};
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, limits};
use crate::state::WriteError;

/// Upsert with parents; `If-None-Match: *` writes only what is not there.
pub async fn put(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let started = Instant::now();
    let params = Params::parse(request.query_string())?;
    let path = segments(request.uri().path(), 2)?;
    let body = limits::body(payload, request.headers(), engine.settings.sizes.of(limits::DATA), engine.body(Lane::Write)).await?;
    let only_new = request.headers().get(header::IF_NONE_MATCH).is_some_and(|value| value == "*");
    let shared = Data::clone(&engine);
    let (is_new, parsing) = engine.run(Lane::Write, None, move || put_document(&shared, &path, body, only_new)).await??;
    Ok(if is_new { written(&params, started, Some(parsing)) } else { HttpResponse::NotModified().finish() })
}

fn put_document(engine: &Engine, path: &[String], body: Body, only_new: bool) -> Result<(bool, Duration), ApiError> {
    let started = Instant::now();
    let _charge = engine.charge(Lane::Write, weight::of_documents(&body.text, path.len()))?;
    let value = limits::incoming(&body.text, path.len(), "body contains malformed input document")?;
    // What is kept of it is made.
    drop(body);
    let parsing = started.elapsed();
    if only_new && engine.store.load().base(path)?.is_some() {
        return Ok((false, parsing));
    }
    engine.store.put_data(path, value)?;
    Ok((true, parsing))
}

/// `add`, `remove`, `replace`; all or nothing.
pub async fn patch(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let started = Instant::now();
    let params = Params::parse(request.query_string())?;
    let path = segments(request.uri().path(), 2)?;
    let body = limits::body(payload, request.headers(), engine.settings.sizes.of(limits::DATA), engine.body(Lane::Write)).await?;
    let shared = Data::clone(&engine);
    let write = move || -> Result<Duration, ApiError> {
        let started = Instant::now();
        // An operation that changes what an earlier one wrote takes that up as a tree.
        let _charge = shared.charge(Lane::Write, Weight::of(&body.text).stored())?;
        let operations = operations(&body.text, path.len())?;
        // What is kept of it is made.
        drop(body);
        let parsing = started.elapsed();
        shared.store.patch_data(&path, &operations)?;
        Ok(parsing)
    };
    let parsing = engine.run(Lane::Write, None, write).await??;
    Ok(written(&params, started, Some(parsing)))
}

/// 204, or 200 with the timers that were asked for.
fn written(params: &Params, started: Instant, parsing: Option<Duration>) -> HttpResponse {
    if !params.flag("metrics") {
        return HttpResponse::NoContent().finish();
    }
    let mut metrics = json!({ "timer_server_handler_ns": respond::nanoseconds(started.elapsed()) });
    if let (Some(metrics), Some(parsing)) = (metrics.as_object_mut(), parsing) {
        metrics.insert("timer_rego_input_parse_ns".into(), respond::nanoseconds(parsing).into());
    }
    respond::json(StatusCode::OK, &json!({ "metrics": metrics }), false)
}

/// Removes a document.
pub async fn delete(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let started = Instant::now();
    let params = Params::parse(request.query_string())?;
    let path = segments(request.uri().path(), 2)?;
    let shared = Data::clone(&engine);
    let write = move || -> Result<(), WriteError> { shared.store.delete_data(&path) };
    engine.run(Lane::Write, None, write).await??;
    Ok(written(&params, started, None))
}
