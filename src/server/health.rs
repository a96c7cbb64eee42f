//! `/health` as OPA has it, `/health/live`, `/health/ready` with reasons, and `/metrics`.

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Resource};
use serde_json::json;

use crate::server::Engine;
use crate::server::opa_data::not_allowed;
use crate::server::request::Params;
use crate::server::respond::{self, ApiError};

/// Mounts health and metrics: the whole of the diagnostic listener.
pub fn routes(config: &mut ServiceConfig) {
    config.service(probe("/health").route(web::get().to(health)).route(web::head().to(health)));
    config.service(probe("/health/live").route(web::get().to(live)).route(web::head().to(live)));
    config.service(probe("/health/ready").route(web::get().to(ready)).route(web::head().to(ready)));
    config.service(probe("/metrics").route(web::get().to(metrics)));
}

fn probe(path: &str) -> Resource {
    web::resource(path).default_service(web::to(not_allowed))
}

/// 200 `{}`; with `?bundles` or `?plugins` also what readiness says.
async fn health(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let asks_ready = ["bundles", "bundle", "plugins"].iter().any(|name| params.flag(name));
    Ok(if asks_ready { readiness(&engine) } else { respond::json(StatusCode::OK, &json!({}), false) })
}

/// The process answers. It says nothing of policies or sources: a restart repairs neither.
async fn live() -> HttpResponse {
    respond::json(StatusCode::OK, &json!({}), false)
}

async fn ready(engine: Data<Engine>) -> HttpResponse {
    readiness(&engine)
}

fn readiness(engine: &Engine) -> HttpResponse {
    let snapshot = engine.store.load();
    let reasons = engine.unready_reasons(&snapshot);
    let response = if reasons.is_empty() {
        respond::json(StatusCode::OK, &json!({}), false)
    } else {
        let body = json!({ "error": format!("not ready: {}", reasons.join("; ")), "reasons": reasons });
        respond::json(StatusCode::INTERNAL_SERVER_ERROR, &body, false)
    };
    respond::stamped(response, &snapshot, &snapshot.ages(engine.store.now()))
}

async fn metrics(engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let text = engine.metrics.render(&engine);
    let text = text.map_err(|error| ApiError::internal(format!("metrics could not be encoded: {error}")))?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text))
}
