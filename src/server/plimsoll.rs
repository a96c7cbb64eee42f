//! The engine's own API under `/plimsoll/v1`: status, sources, policy sets, placements and why they are as they are.

pub mod leader;
pub mod placements;
pub mod policies;
pub mod sources;
pub mod why;

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};

use crate::server::Engine;
use crate::server::edge::not_allowed;
use crate::server::request::{Params, segments};
use crate::server::respond::{self, ApiError};

/// Mounts all of it.
pub fn routes(config: &mut ServiceConfig) {
    let mut mount = |path: &str, route: actix_web::Route| {
        config.service(web::resource(path).route(route).default_service(web::to(not_allowed)));
    };
    mount("/plimsoll/v1/status", web::get().to(status));
    mount("/plimsoll/v1/sources/{name}/leader", web::put().to(leader::put));
    mount("/plimsoll/v1/sources/{name}/sync", web::post().to(sources::sync));
    mount("/plimsoll/v1/policies/{name}", web::put().to(policies::put));
    mount("/plimsoll/v1/policies/{name}/check", web::post().to(policies::check));
    let source = web::resource("/plimsoll/v1/sources/{name}").route(web::put().to(sources::declare));
    config.service(source.route(web::delete().to(sources::withdraw)).default_service(web::to(not_allowed)));
    placements::routes(config);
    why::routes(config);
}

async fn status(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let mut status = engine.store.status(engine.store.now(), &engine.config.placement_path);
    status.not_ready = engine.unready_reasons(&engine.store.load());
    status.ready = status.not_ready.is_empty();
    // Asked last, in this order: what is decided at this revision was decided after all that is said above was so.
    status.revision = engine.store.load().revision;
    status.decided = Some(engine.table.decided());
    Ok(respond::json(StatusCode::OK, &status, params.flag("pretty")))
}

/// The name of a source or policy set in the path: it goes into headers, metrics and messages.
fn name(request: &HttpRequest) -> Result<String, ApiError> {
    let name = segments(request.uri().path(), 3)?.into_iter().next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.len() > 63 || !name.chars().all(plain) {
        return Err(ApiError::invalid(format!("name `{name}` is not at most 63 of letters, digits, `-`, `_` and `.`")));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn names_are_plain() {
        let named = |path: &str| name(&TestRequest::with_uri(&format!("/plimsoll/v1/sources/{path}")).to_http_request());
        assert_eq!(named("kubernetes").unwrap(), "kubernetes");
        assert_eq!(named("a.b-c_1/sync").unwrap(), "a.b-c_1");
        for bad in ["a%20b", "a%2Fb", "%0a", "%C3%BC", &"x".repeat(64)] {
            assert!(named(bad).is_err(), "{bad}");
        }
    }
}
