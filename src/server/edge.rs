//! What happens to every request on every listener: redirect, authentication, metrics, the stamp of the snapshot.

use std::sync::Arc;
use std::time::Instant;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpResponse, ResponseError};

use crate::server::Engine;
use crate::server::auth::needed;
use crate::server::authorize::authorize;
use crate::server::encoding::varies;
use crate::server::gate::{Connection, Phase, Watched};
use crate::server::listen::Role;
use crate::server::origin::Names;
use crate::server::respond::{ApiError, stamp};

/// Handler labels by path prefix, OPA's names first; anything else is `catchall`.
const HANDLERS: [(&str, &str); 15] = [
    ("/v0/data", "v0/data"),
    ("/v1/data", "v1/data"),
    ("/v1/policies", "v1/policies"),
    ("/v1/query", "v1/query"),
    ("/v1/compile", "v1/compile"),
    ("/v1/config", "v1/config"),
    ("/v1/status", "v1/status"),
    ("/health", "health"),
    ("/metrics", "metrics"),
    ("/plimsoll/v1/status", "plimsoll/status"),
    ("/plimsoll/v1/sources", "plimsoll/sources"),
    ("/plimsoll/v1/policies", "plimsoll/policies"),
    ("/plimsoll/v1/placements", "plimsoll/placements"),
    ("/mutate", "mutate"),
    ("/validate", "validate"),
];

/// The way in and out.
pub async fn enter<B: MessageBody + 'static>(mut request: ServiceRequest, next: Next<B>) -> Result<ServiceResponse, Error> {
    let way = Way::new(&request)?;
    let checked = match way.check(&request) {
        Ok(()) if way.role == Role::Api => authorize(&mut request, &way.engine).await,
        checked => checked,
    };
    if let Err(error) = checked {
        return Ok(way.out(request.into_response(error.error_response())));
    }
    if let Some((status, target)) = elsewhere(&request) {
        let redirect = HttpResponse::build(status).insert_header((header::LOCATION, target)).finish();
        return Ok(way.out(request.into_response(redirect)));
    }
    Ok(way.out(next.call(request).await?.map_into_boxed_body()))
}

/// What is known of a request before it is handled.
struct Way {
    engine: Data<Engine>,
    role: Role,
    handler: &'static str,
    method: Method,
    varies: bool,
    started: Instant,
    /// That it came on.
    connection: Option<Arc<Connection>>,
}

impl Way {
    fn new(request: &ServiceRequest) -> Result<Self, ApiError> {
        let engine = request.app_data::<Data<Engine>>().cloned();
        let engine = engine.ok_or_else(|| ApiError::internal("the engine is not there"))?;
        let role = request.app_data::<Role>().copied().unwrap_or(Role::Api);
        let (handler, method) = (handler(request.path()), request.method().clone());
        let varies = role == Role::Api && varies(&method, request.path());
        let connection = request.request().conn_data::<Arc<Connection>>().cloned();
        if let Some(connection) = &connection {
            connection.turn(Phase::Asking);
        }
        Ok(Self { engine, role, handler, method, varies, started: Instant::now(), connection })
    }

    /// Web pages are checked everywhere, callers on the API listener; whoever reaches another one may ask there.
    fn check(&self, request: &ServiceRequest) -> Result<(), ApiError> {
        request.app_data::<Names>().map_or(Ok(()), |names| names.check(request))?;
        if self.role != Role::Api {
            return Ok(());
        }
        let header = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        self.engine.authentication.check(needed(&self.method, request.uri().path()), header)
    }

    fn out(self, mut response: ServiceResponse) -> ServiceResponse {
        let snapshot = self.engine.store.load();
        let ages = snapshot.ages(self.engine.store.now());
        stamp(response.headers_mut(), &snapshot.epoch, snapshot.revision, &ages);
        if self.varies {
            response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        let code = response.status().as_u16();
        self.engine.metrics.answered(code, self.handler, self.method.as_str(), self.started.elapsed());
        match self.connection {
            Some(connection) => response.map_body(|_, body| Watched::new(body, connection).boxed()),
            None => response,
        }
    }
}

/// 405 with an empty body, as OPA.
pub async fn not_allowed() -> HttpResponse {
    HttpResponse::MethodNotAllowed().finish()
}

/// 404 in OPA's shape.
pub async fn not_found() -> Result<HttpResponse, ApiError> {
    Err(ApiError::not_found("there is nothing at this path"))
}

fn handler(path: &str) -> &'static str {
    let under = |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if path == "/" {
        return "index";
    }
    HANDLERS.iter().find(|(prefix, _)| under(prefix)).map_or("catchall", |(_, name)| name)
}

/// Where a request should go instead: OPA answers empty names and dots in a path with the path that they come to (Go:
/// `http.ServeMux`), and then a slash at the end with the path without, where something may be.
fn elsewhere(request: &ServiceRequest) -> Option<(StatusCode, HeaderValue)> {
    // `OPTIONS *` has no path.
    let path = Some(request.uri().path()).filter(|path| path.starts_with('/') && !is_clean(path))?;
    let clean = clean(path);
    let (status, path) = match path.strip_suffix('/').filter(|trimmed| !trimmed.is_empty()) {
        _ if clean != path => (StatusCode::TEMPORARY_REDIRECT, clean.as_str()),
        Some(trimmed) if handler(trimmed) != "catchall" => (StatusCode::MOVED_PERMANENTLY, trimmed),
        _ => return None,
    };
    let target = match request.uri().query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    Some((status, HeaderValue::from_str(&target).ok()?))
}

/// Whether a path is as it should be, as nearly all are: no name in it is empty, or made of dots.
fn is_clean(path: &str) -> bool {
    path == "/" || path.split('/').skip(1).all(|name| !matches!(name, "" | "." | ".."))
}

/// A path without empty names and dots; a slash at its end stays. It never starts with two, as a reference to another host does.
fn clean(path: &str) -> String {
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    let end = if path.ends_with('/') && !names.is_empty() { "/" } else { "" };
    format!("/{}{end}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn labels_are_a_closed_set() {
        let table = [
            ("/v1/data", "v1/data"),
            ("/v1/data/a/b", "v1/data"),
            ("/v1/database", "catchall"),
            ("/health/ready", "health"),
            ("/plimsoll/v1/sources/x/sync", "plimsoll/sources"),
            ("/random", "catchall"),
        ];
        for (path, expected) in table {
            assert_eq!(handler(path), expected, "{path}");
        }
    }

    #[test]
    fn what_is_meant_is_within_the_host() {
        let table = [
            ("/v1/data/", Some((301, "/v1/data"))),
            ("/v1/data/a/?x=1", Some((301, "/v1/data/a?x=1"))),
            ("/v1/data", None),
            ("/v1/", None),
            ("/", None),
            ("//evil/", Some((307, "/evil/"))),
            ("///evil.com/..", Some((307, "/"))),
            ("/v1//data/./a%20b?x=1", Some((307, "/v1/data/a%20b?x=1"))),
            ("/v1/policies/..", Some((307, "/v1"))),
            ("/../v1/data//", Some((307, "/v1/data/"))),
            ("/v1/data/a%2F..%2Fb/%2e", None),
        ];
        for (uri, expected) in table {
            let request = TestRequest::with_uri(uri).to_srv_request();
            let target = elsewhere(&request);
            assert_eq!(target.as_ref().map(|(status, value)| (status.as_u16(), value.to_str().unwrap())), expected, "{uri}");
        }
    }
}
