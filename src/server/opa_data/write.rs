//! `PUT`, `PATCH` and `DELETE /v1/data`.

use std::time::{Duration, Instant};

use actix_web::http::{StatusCode, header};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use serde_json::{Value as Json, json};

use crate::fields::Fields;
use crate::server::budget::Weight;
use crate::server::pool::Lane;
use crate::server::request::{Params, segments};
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, limits};
use crate::state::{PatchOp, WriteError};

/// Upsert with parents; `If-None-Match: *` writes only what is not there.
pub async fn put(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let started = Instant::now();
    let params = Params::parse(request.query_string())?;
    let path = segments(request.uri().path(), 2)?;
    let body = limits::body(payload, request.headers(), engine.settings.sizes.of(limits::DATA), engine.body(Lane::Write)).await?;
    let only_new = request.headers().get(header::IF_NONE_MATCH).is_some_and(|value| value == "*");
    let shared = Data::clone(&engine);
    let (is_new, parsing) = engine.run(Lane::Write, None, move || put_document(&shared, &path, &body.text, only_new)).await??;
    Ok(if is_new { written(&params, started, Some(parsing)) } else { HttpResponse::NotModified().finish() })
}

fn put_document(engine: &Engine, path: &[String], body: &Bytes, only_new: bool) -> Result<(bool, Duration), ApiError> {
    let started = Instant::now();
    let _charge = engine.charge(Lane::Write, Weight::of(body).stored())?;
    let value: Json = limits::document(body, "body contains malformed input document")?;
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
        let _charge = shared.charge(Lane::Write, Weight::of(&body.text).stored())?;
        let operations = operations(&body.text)?;
        let parsing = started.elapsed();
        shared.store.patch_data(&path, &operations)?;
        Ok(parsing)
    };
    let parsing = engine.run(Lane::Write, None, write).await??;
    Ok(written(&params, started, Some(parsing)))
}

/// Reads operations one by one: an absent value and `null` are two things.
fn operations(body: &[u8]) -> Result<Vec<PatchOp>, ApiError> {
    let list: Option<Vec<Fields<Json>>> = limits::document(body, "body contains malformed patch")?;
    list.unwrap_or_default().into_iter().map(operation).collect()
}

/// Without a path the document itself is meant, as in OPA.
fn operation(mut fields: Fields<Json>) -> Result<PatchOp, ApiError> {
    let mut text = |name: &str| {
        let text = fields.text(name);
        text.map_err(|_| ApiError::invalid(format!("`{name}` of a patch operation is no string")))
    };
    Ok(PatchOp { op: text("op")?, path: text("path")?, value: fields.take("value") })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_a_value_and_absent_is_none() {
        let ops = operations(br#"[{"op":"add","path":"a","value":null},{"op":"remove","path":"b"}]"#).unwrap();
        assert_eq!(ops[0].value, Some(Json::Null));
        assert_eq!(ops[1].value, None);
    }

    #[test]
    fn a_bad_patch_is_refused_with_what_is_missing() {
        let table = [
            ("{}", "malformed patch"),
            ("[null]", "malformed patch"),
            (r#"[{"op":"add","path":1}]"#, "`path`"),
            (r#"[{"op":1,"path":"a"}]"#, "`op`"),
        ];
        for (body, part) in table {
            let error = operations(body.as_bytes()).unwrap_err();
            assert!(error.message.contains(part), "{error}");
        }
    }
}
