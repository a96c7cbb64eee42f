//! OPA's `/v1/config`.

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use crate::server::Engine;
use crate::server::request::Params;
use crate::server::respond::{self, ApiError};

/// Mounts it.
pub fn routes(config: &mut ServiceConfig) {
    config.service(web::resource("/v1/config").route(web::get().to(active)));
}

/// The configuration in force, without credentials and keys.
async fn active(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    Ok(respond::json(StatusCode::OK, &json!({ "result": engine.settings.active }), params.flag("pretty")))
}
