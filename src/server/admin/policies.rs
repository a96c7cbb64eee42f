//! `PUT /plimsoll/v1/policies/{name}`: a whole policy set, all or nothing.

use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use plimsoll_contract::policy::{PoliciesRejected, PutPolicies};

use super::name;
use crate::rego::Module;
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, limits};
use crate::snapshot::store::PolicyError;

/// The set that comes from `--policies`.
const FILES: &str = "files";

/// 200 `PoliciesAccepted`, or 400 `PoliciesRejected` with an error per key while the last good set stays in force.
pub async fn put(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let name = name(&request)?;
    if name == FILES {
        return Err(ApiError::invalid("the policy set `files` is that of --policies: choose another name"));
    }
    let body = limits::body(payload, request.headers(), limits::POLICIES).await?;
    let PutPolicies { modules, session } = limits::parse(&body, "the policy set cannot be read")?;
    let modules = modules.into_iter().map(|(key, text)| Module { key, text }).collect();
    let shared = Data::clone(&engine);
    let put = move || shared.store.put_policies_of(&name, session.as_deref(), modules);
    match engine.write(put).await? {
        Ok(accepted) => Ok(respond::json(StatusCode::OK, &accepted, false)),
        Err(PolicyError::Session(error)) => Err(error.into()),
        Err(PolicyError::Rejected(errors)) => {
            let message = "error(s) occurred while compiling module(s)".into();
            let rejected = PoliciesRejected { code: "invalid_parameter".into(), message, errors };
            Ok(respond::json(StatusCode::BAD_REQUEST, &rejected, true))
        }
    }
}
