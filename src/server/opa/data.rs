//! OPA's data API: reading documents and decisions, writing state.

pub mod answer;
pub mod body;
pub mod explain;
mod job;
mod labels;
mod operations;
pub mod query;
pub mod read;
mod seen;
pub mod write;

use actix_web::HttpResponse;
use actix_web::web::{self, ServiceConfig};

use crate::server::edge::not_allowed;

/// Mounts `/v0/data`, `/v1/data` and the default decision at `/`.
pub fn routes(config: &mut ServiceConfig) {
    let v0 = web::resource(["/v0/data", "/v0/data/{path:.*}"]);
    let index = web::resource("/").route(web::post().to(read::post_default));
    config.service(index.route(web::get().to(welcome)).route(web::head().to(welcome)).default_service(web::to(not_allowed)));
    config.service(v0.route(web::post().to(read::post_v0)).default_service(web::to(not_allowed)));
    let root = web::resource("/v1/data")
        .route(web::get().to(read::get))
        .route(web::post().to(read::post_v1))
        .route(web::put().to(write::put))
        .route(web::patch().to(write::patch));
    config.service(root.default_service(web::to(not_allowed)));
    let below = web::resource("/v1/data/{path:.*}")
        .route(web::get().to(read::get))
        .route(web::post().to(read::post_v1))
        .route(web::put().to(write::put))
        .route(web::patch().to(write::patch))
        .route(web::delete().to(write::delete));
    config.service(below.default_service(web::to(not_allowed)));
}

/// Load balancers probe the root; OPA has a page for people there.
async fn welcome() -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body("plimsoll: POST / asks the default decision\n")
}
