//! `PUT`, `PATCH` and `DELETE /v1/data`.

use actix_web::http::header;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use serde_json::{Map, Value as Json};

use crate::server::request::segments;
use crate::server::respond::ApiError;
use crate::server::{Engine, limits};
use crate::state::{PatchOp, WriteError};

/// Upsert with parents; `If-None-Match: *` writes only what is not there.
pub async fn put(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let path = segments(request.uri().path(), 2)?;
    let body = limits::body(payload, request.headers(), limits::DATA).await?;
    let only_new = request.headers().get(header::IF_NONE_MATCH).is_some_and(|value| value == "*");
    let shared = Data::clone(&engine);
    let written = engine.write(move || put_document(&shared, &path, &body, only_new)).await??;
    Ok(if written { HttpResponse::NoContent() } else { HttpResponse::NotModified() }.finish())
}

fn put_document(engine: &Engine, path: &[String], body: &Bytes, only_new: bool) -> Result<bool, ApiError> {
    let value: Json = limits::parse(body, "body contains malformed input document")?;
    if only_new && engine.store.load().document(path, None, &engine.config.limits)?.is_some() {
        return Ok(false);
    }
    engine.store.put_data(path, value)?;
    Ok(true)
}

/// `add`, `remove`, `replace`; all or nothing.
pub async fn patch(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let path = segments(request.uri().path(), 2)?;
    let body = limits::body(payload, request.headers(), limits::DATA).await?;
    let shared = Data::clone(&engine);
    let write = move || -> Result<(), ApiError> { Ok(shared.store.patch_data(&path, &operations(&body)?)?) };
    engine.write(write).await??;
    Ok(HttpResponse::NoContent().finish())
}

/// Reads operations one by one: an absent value and `null` are two things.
fn operations(body: &[u8]) -> Result<Vec<PatchOp>, ApiError> {
    let list: Vec<Map<String, Json>> = limits::parse(body, "body contains malformed patch")?;
    list.into_iter().map(operation).collect()
}

fn operation(mut fields: Map<String, Json>) -> Result<PatchOp, ApiError> {
    let mut text = |name: &str| match fields.remove(name) {
        Some(Json::String(text)) => Ok(text),
        _ => Err(ApiError::invalid(format!("a patch operation has no string `{name}`"))),
    };
    let (op, path) = (text("op")?, text("path")?);
    Ok(PatchOp { op, path, value: fields.remove("value") })
}

/// Removes a document.
pub async fn delete(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let path = segments(request.uri().path(), 2)?;
    let shared = Data::clone(&engine);
    let write = move || -> Result<(), WriteError> { shared.store.delete_data(&path) };
    engine.write(write).await??;
    Ok(HttpResponse::NoContent().finish())
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
        for (body, part) in [("{}", "malformed patch"), (r#"[{"op":"add"}]"#, "`path`"), (r#"[{"op":1,"path":"a"}]"#, "`op`")] {
            let error = operations(body.as_bytes()).unwrap_err();
            assert!(error.message.contains(part), "{error}");
        }
    }
}
