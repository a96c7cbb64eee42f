//! OPA's API: data, policies, queries, configuration and status.

pub mod config;
pub mod data;
pub mod policies;
pub mod query;
pub mod status;

use actix_web::web::ServiceConfig;

/// Mounts all of it.
pub fn routes(config: &mut ServiceConfig) {
    data::routes(config);
    policies::routes(config);
    query::routes(config);
    config::routes(config);
    status::routes(config);
}
