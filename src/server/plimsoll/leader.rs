//! `PUT /plimsoll/v1/sources/{name}/leader`: who holds the Lease, and by which policies it places.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};

use super::name;
use crate::server::pool::Lane;
use crate::server::respond::ApiError;
use crate::server::{Engine, limits};

/// A holder's name, a digest, and what stands still: 1,000 namespaces braked and 1,000 paused take half of it.
const REPORT: usize = 256 << 10;

/// Takes a sidecar's report; it holds for 30 s.
pub async fn put(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let name = name(&request)?;
    let body = limits::body(payload, request.headers(), REPORT, engine.body(Lane::Write)).await?;
    let leader = limits::parse(&body.text, "the word about the Lease cannot be read")?;
    engine.store.report_leader(&name, leader)?;
    Ok(HttpResponse::NoContent().finish())
}
