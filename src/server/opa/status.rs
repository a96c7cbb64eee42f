//! OPA's `/v1/status`.

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use crate::server::Engine;
use crate::server::request::Params;
use crate::server::respond::{self, ApiError};

/// Mounts it.
pub fn routes(config: &mut ServiceConfig) {
    config.service(web::resource("/v1/status").route(web::get().to(status)));
}

/// Answers what OPA's status plugin would report.
async fn status(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let report = engine.settings.status.report().ok_or_else(|| ApiError::internal("status plugin not enabled"))?;
    Ok(respond::json(StatusCode::OK, &json!({ "result": report }), params.flag("pretty")))
}
