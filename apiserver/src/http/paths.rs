//! Paths that are no resources.

use actix_web::HttpResponse;
use actix_web::http::Method;

use super::edge::Request;
use super::{health, published};
use crate::server::ApiServer;
use crate::status::Status;

/// Answers one of them.
pub async fn answer(request: &Request, path: &str) -> Result<HttpResponse, Status> {
    if !matches!(*request.http.method(), Method::GET | Method::HEAD) {
        let known = matches!(path, "/version" | "/metrics")
            || health::answer(request, path).is_some()
            || published::answer(request, path).await.is_some();
        return Err(if known { Status::method_not_allowed() } else { Status::no_such_path() });
    }
    if let Some(answer) = health::answer(request, path) {
        return answer;
    }
    match path {
        "/version" => Ok(health::version()),
        "/metrics" => {
            let ApiServer { metrics, store, in_flight, .. } = request.server.get_ref();
            let text = metrics.render(store, in_flight.now()).map_err(Status::internal)?;
            Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text))
        }
        path => published::answer(request, path).await.ok_or_else(Status::no_such_path)?,
    }
}
