//! Paths that are no resources.

use actix_web::HttpResponse;
use actix_web::http::{Method, header};
use bytes::Bytes;

use super::discovery::Discovery;
use super::edge::Request;
use super::health;
use crate::status::Status;

/// Answers one of them.
pub fn answer(request: &Request, path: &str) -> Result<HttpResponse, Status> {
    if !matches!(*request.http.method(), Method::GET | Method::HEAD) {
        return Err(Status::method_not_allowed());
    }
    if let Some(answer) = health::answer(request, path) {
        return answer;
    }
    match path {
        "/version" => Ok(health::version()),
        "/metrics" => {
            let text = request.server.metrics.render(&request.server).map_err(Status::internal)?;
            Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text))
        }
        path => discovered(request, path).ok_or_else(Status::no_such_path),
    }
}

/// Discovery; 304 to those who have it already.
fn discovered(request: &Request, path: &str) -> Option<HttpResponse> {
    let registry = request.server.registry.load();
    let address = request.server.address.as_str();
    let discovery = request.server.discovery.get(&registry, |registry, _| Discovery::new(registry.all(), address));
    let document = discovery.document(path, Some(request.header(header::ACCEPT)))?;
    let tag = document.quoted_etag();
    let known = request.header(header::IF_NONE_MATCH).split(',').any(|known| known.trim() == tag);
    let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((header::ETAG, tag)).insert_header((header::VARY, "Accept"));
    let body = if known { Bytes::new() } else { document.body.clone() };
    Some(response.content_type(document.content_type).body(body))
}
