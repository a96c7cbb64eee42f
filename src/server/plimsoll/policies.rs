//! `PUT /plimsoll/v1/policies/{name}`: a whole policy set, all or nothing; `POST …/check`: whether it would be accepted.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use plimsoll_contract::policy::{Diagnostic, PoliciesRejected, PutPolicies};

use super::name;
use crate::budget::{Charge, Weight, weight};
use crate::policy_set::files;
use crate::rego::Module;
use crate::server::limits::Body;
use crate::server::pool::Lane;
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, limits};
use crate::snapshot::Offer as Set;
use crate::snapshot::modules::CLIENTS;
use crate::snapshot::store::PolicyError;

/// The set that comes from `--policies`.
const FILES: &str = "files";

/// 200 `PoliciesAccepted`, or 400 `PoliciesRejected` with an error per key while the last good set stays in force.
pub async fn put(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let (name, body) = sent(&request, &engine, payload).await?;
    let shared = Data::clone(&engine);
    let put = move || -> Result<_, ApiError> {
        let (offer, _charge) = offer(&shared, &body)?;
        let put = |Offer { session, modules, data }: Offer| {
            let refused = |errors| shared.store.refuse_policies_of(&name, session.as_deref(), errors);
            let documents = files::documents(&data).map_err(refused)?;
            shared.store.put_policies_of(&name, session.as_deref(), Set { modules, documents, bundle: None })
        };
        Ok(put(offer))
    };
    match engine.run(Lane::Compile, None, put).await?? {
        Ok(accepted) => Ok(respond::json(StatusCode::OK, &accepted, false)),
        Err(PolicyError::Session(error)) => Err(error.into()),
        Err(PolicyError::Rejected(errors)) => Ok(rejected(errors)),
    }
}

/// `POST …/check`: what `put` would answer to anybody, with nothing put in force and nothing noted.
pub async fn check(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let (name, body) = sent(&request, &engine, payload).await?;
    let shared = Data::clone(&engine);
    let check = move || -> Result<_, ApiError> {
        let (Offer { modules, data, .. }, _charge) = offer(&shared, &body)?;
        let checked = files::documents(&data)
            .and_then(|documents| shared.store.check_policies(&name, Set { modules, documents, bundle: None }));
        Ok(checked)
    };
    match engine.run(Lane::Compile, None, check).await?? {
        Ok(accepted) => Ok(respond::json(StatusCode::OK, &accepted, false)),
        Err(errors) => Ok(rejected(errors)),
    }
}

struct Offer {
    session: Option<String>,
    modules: Vec<Module>,
    data: BTreeMap<String, String>,
}

async fn sent(request: &HttpRequest, engine: &Engine, payload: Payload) -> Result<(String, Body), ApiError> {
    let name = name(request)?;
    if name == FILES || name == CLIENTS {
        let whose = if name == FILES { "of --policies" } else { "of /v1/policies" };
        return Err(ApiError::invalid(format!("the policy set `{name}` is that {whose}: choose another name")));
    }
    Ok((name, limits::body(payload, request.headers(), limits::POLICIES, engine.body(Lane::Compile)).await?))
}

/// Runs on the pool. The charge is for what is made of it too.
fn offer(engine: &Engine, body: &Body) -> Result<(Offer, Charge), ApiError> {
    let read = Weight::of(&body.text).read();
    let charge = engine.charge(Lane::Compile, read)?;
    let PutPolicies { modules, data, session } = limits::parse(&body.text, "the policy set cannot be read")?;
    let trees = data.iter().map(|(path, text)| match path.ends_with("json") {
        true => Weight::of(text.as_bytes()).stored(),
        false => Weight::of_yaml(text.as_bytes()).stored(),
    });
    let programs = modules.values().map(|text| weight::of_policies(text.len()));
    let cost = trees.chain(programs).fold(read, u64::saturating_add);
    // Given back first: it is one offer.
    drop(charge);
    let charge = engine.charge(Lane::Compile, cost)?;
    let modules = modules.into_iter().map(|(key, text)| Module { key, text }).collect();
    Ok((Offer { session, modules, data }, charge))
}

fn rejected(errors: Vec<Diagnostic>) -> HttpResponse {
    let message = "error(s) occurred while compiling module(s)".into();
    let rejected = PoliciesRejected { code: "invalid_parameter".into(), message, errors };
    respond::json(StatusCode::BAD_REQUEST, &rejected, true)
}
