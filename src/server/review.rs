//! AdmissionReview: parse, skip what is never decided, decide, answer in the version asked.
//!
//! ```text
//!  body ─► wire (version, request) ─► scope (untouched? frozen?) ─► hold ─► ahead? ─► decide ─► verdict (mutate | verify) ─► wire (response)
//! ```

pub mod ahead;
pub mod culprit;
mod decided;
pub mod frozen;
pub mod handler;
pub mod hold;
pub mod judge;
mod object;
pub mod patch;
pub mod refusal;
pub mod scope;
pub mod start;
mod steady;
pub mod told;
pub mod verdict;
pub mod wire;

#[cfg(test)]
mod tests;

use actix_web::web::{self, ServiceConfig};

use crate::server::edge::not_allowed;

/// Mounts the mutating endpoint and the validating one, which hooks of v1alpha1 find without a path.
pub fn routes(config: &mut ServiceConfig) {
    let mutate = web::resource("/mutate").route(web::post().to(handler::mutate));
    config.service(mutate.default_service(web::to(not_allowed)));
    let validate = web::resource("/validate").route(web::post().to(handler::validate));
    config.service(validate.default_service(web::to(not_allowed)));
    let external = web::resource("/").route(web::post().to(handler::external));
    config.service(external.default_service(web::to(not_allowed)));
}
