//! `--authorization=basic`: a policy decides on every request to the API listener.
//! Source: OPA `v1/server/authorizer`.

use std::collections::BTreeMap;

use actix_web::HttpMessage;
use actix_web::dev::{Payload as Stream, ServiceRequest};
use actix_web::http::header::{self, HeaderMap};
use actix_web::http::{Method, StatusCode};
use actix_web::web::{Bytes, Data, Payload};
use serde_json::{Map, Value as Json, json};

use crate::budget::{Class, Weight};
use crate::rego::{CertificateError, Document, Value};
use crate::server::encoding::{is_yaml, yaml_to_json};
use crate::server::identity::{Peer, bearer};
use crate::server::pool::Lane;
use crate::server::request::{Params, decoded};
use crate::server::respond::ApiError;
use crate::server::{Engine, limits};

/// Lets a request through, or says why not. Its body may have been read for that, and is put back.
pub async fn authorize(request: &mut ServiceRequest, engine: &Data<Engine>) -> Result<(), ApiError> {
    if !engine.settings.authorization {
        return Ok(());
    }
    let path = path(request.uri().path())?;
    // The headers as they came: those of the body are taken away with it.
    let input = input(request, &path)?;
    let class = class(&path, engine);
    let body = if has_body(request.method(), &path) { read(request, engine, class).await? } else { Bytes::new() };
    let yaml = is_yaml(request.headers());
    let peer = request.request().conn_data::<Peer>().cloned().unwrap_or_default();
    let shared = Data::clone(engine);
    let decision = engine.evaluate(Lane::Gate, move || decide(&shared, (input, &peer), (&body, class), yaml)).await??;
    verdict(decision)
}

fn decide(
    engine: &Engine,
    (input, peer): (Map<String, Json>, &Peer),
    (body, class): (&[u8], Class),
    yaml: bool,
) -> Result<Option<Document>, ApiError> {
    let weight = if yaml { Weight::of_yaml(body) } else { Weight::of(body) };
    let _charge = engine.budget.document(class, weight.read().saturating_add(weight.asked()))?;
    let mut input = Value::from(Json::Object(input));
    if !body.is_empty() {
        let converted = if yaml { Some(yaml_to_json(body).map_err(|why| ApiError::invalid(why.to_string()))?) } else { None };
        let unreadable = |error| ApiError::invalid(format!("the request body cannot be read: {}", limits::explain(&error)));
        let body = Value::from_json(converted.as_deref().unwrap_or(body)).map_err(unreadable)?;
        input = input.with_member("body", Some(body));
    }
    let unreadable = |why: CertificateError| ApiError::invalid(format!("the client's certificate cannot be read: {why}"));
    if let Some(certificates) = peer.certificates().map_err(unreadable)? {
        input = input.with_member("client_certificates", Some(certificates));
    }
    let path = &engine.settings.default_authorization_decision;
    Ok(engine.store.load().document(path, Some(&input), &engine.config.limits)?)
}

/// Fails where the decision refuses the request. A policy that is not there refuses everything, with a message that says so.
fn verdict(decision: Option<Document>) -> Result<(), ApiError> {
    let denied = |reason: &str| Err(ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", reason));
    let standard = "request rejected by administrative policy";
    match decision {
        None => Err(ApiError::internal("authorization policy missing or undefined")),
        Some(decision) if decision.is_true() => Ok(()),
        Some(decision) if decision.is_object() => match decision.member("allowed") {
            None => Err(ApiError::internal("document missing or undefined")),
            Some(allowed) if allowed.is_true() => Ok(()),
            Some(_) => denied(&decision.member("reason").as_ref().and_then(Document::as_text).unwrap_or(standard.into())),
        },
        Some(_) => denied(standard),
    }
}

/// The segments, decoded; of the policy API the decoded path, for there an encoded slash is a slash.
fn path(raw: &str) -> Result<Vec<String>, ApiError> {
    let invalid = || ApiError::invalid(format!("path `{raw}` is not percent-encoded UTF-8"));
    let whole = raw.strip_prefix('/').unwrap_or(raw);
    if ["/v1/policies/", "/v1/compile/"].iter().any(|prefix| raw.starts_with(prefix)) {
        return Ok(decoded(whole).ok_or_else(invalid)?.split('/').map(str::to_owned).collect());
    }
    whole.split('/').map(|segment| decoded(segment).ok_or_else(invalid)).collect()
}

/// Returns whether policies are shown the body of a request: of those that hold an input.
fn has_body(method: &Method, path: &[String]) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    *method == Method::POST && matches!(path.as_slice(), [""] | ["v0", "data", ..] | ["v1", "data" | "compile" | "query", ..])
}

/// Returns the kind of work that the body's memory is charged to.
fn class(path: &[String], engine: &Engine) -> Class {
    match path {
        [version, data, rest @ ..]
            if (version == "v0" || version == "v1") && data == "data" && *rest == *engine.config.placement_path =>
        {
            Class::Decisions
        }
        _ => Class::Readers,
    }
}

/// Reads the body and puts it back, decompressed.
async fn read(request: &mut ServiceRequest, engine: &Engine, class: Class) -> Result<Bytes, ApiError> {
    let payload = request.extract::<Payload>().await.map_err(|error| ApiError::invalid(error.to_string()))?;
    let limit = engine.settings.sizes.of(limits::DECISION);
    // Charged once more where it is read again, and as little.
    let body = limits::body(payload, request.headers(), limit, engine.budget.body(class)).await?.text;
    request.headers_mut().remove(header::CONTENT_ENCODING);
    request.headers_mut().remove(header::CONTENT_LENGTH);
    request.set_payload(Stream::from(body.clone()));
    Ok(body)
}

fn input(request: &ServiceRequest, path: &[String]) -> Result<Map<String, Json>, ApiError> {
    let mut params = BTreeMap::<String, Vec<String>>::new();
    for (name, value) in Params::parse(request.query_string())?.into_pairs() {
        params.entry(name).or_default().push(value);
    }
    let mut input = Map::new();
    input.insert("path".into(), json!(path));
    input.insert("method".into(), json!(request.method().as_str()));
    input.insert("params".into(), json!(params));
    input.insert("headers".into(), json!(headers(request.headers())));
    let peer = request.request().conn_data::<Peer>();
    let token = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
    let identity = peer.and_then(Peer::identity).or_else(|| token.map(str::to_owned));
    input.extend(identity.map(|identity| ("identity".to_owned(), Json::String(identity))));
    Ok(input)
}

/// Names as Go writes them, `Content-Type`; the host is no header there.
fn headers(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::<String, Vec<String>>::new();
    for (name, value) in headers.iter().filter(|(name, _)| *name != header::HOST) {
        all.entry(canonical(name.as_str())).or_default().push(String::from_utf8_lossy(value.as_bytes()).into_owned());
    }
    all
}

fn canonical(name: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
    };
    name.split('-').map(part).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boolean_or_an_object_decides() {
        let table = [
            (Some(json!(true)), 200, ""),
            (Some(json!(false)), 401, "request rejected by administrative policy"),
            (Some(json!({"allowed": true})), 200, ""),
            (Some(json!({"allowed": false})), 401, "request rejected by administrative policy"),
            (Some(json!({"allowed": false, "reason": "why"})), 401, "why"),
            (Some(json!({"allowed": "yes"})), 401, "request rejected by administrative policy"),
            (Some(json!({"reason": "why"})), 500, "document missing or undefined"),
            (Some(json!("true")), 401, "request rejected by administrative policy"),
            (None, 500, "authorization policy missing or undefined"),
        ];
        for (decision, status, message) in table {
            let found = match verdict(decision.clone().map(Document::from)) {
                Ok(()) => (200, String::new()),
                Err(error) => (error.status.as_u16(), error.message),
            };
            assert_eq!(found, (status, message.to_owned()), "{decision:?}");
        }
    }

    #[test]
    fn paths_and_bodies_are_opas() {
        let table: [(&str, &[&str], bool); 7] = [
            ("/", &[""], true),
            ("/v1/data/a%2Fb/c", &["v1", "data", "a/b", "c"], true),
            ("/v0/data", &["v0", "data"], true),
            ("/v1/query", &["v1", "query"], true),
            ("/v1/policies/a%2Fb", &["v1", "policies", "a", "b"], false),
            ("/v1/data/", &["v1", "data", ""], true),
            ("/health", &["health"], false),
        ];
        for (raw, expected, body) in table {
            let found = path(raw).unwrap();
            assert_eq!(found, expected, "{raw}");
            assert_eq!(has_body(&Method::POST, &found), body, "{raw}");
            assert!(!has_body(&Method::PUT, &found), "{raw}");
        }
        assert!(path("/v1/data/%ff").is_err());
    }

    #[test]
    fn header_names_are_gos() {
        assert_eq!(["content-type", "x-a-b", "te", "x"].map(canonical), ["Content-Type", "X-A-B", "Te", "X"]);
    }
}
