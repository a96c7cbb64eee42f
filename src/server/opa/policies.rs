//! OPA's policy API: modules that clients put one by one, beside those of files and sources.

use std::time::Instant;

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::budget::weight;
use crate::rego::parse::{is_blank, syntax_tree};
use crate::rego::{Document, Module, RegoVersion};
use crate::server::edge::not_allowed;
use crate::server::limits::Body;
use crate::server::pool::Lane;
use crate::server::request::{Params, rest};
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, limits};
use crate::snapshot::ModuleError;

/// Mounts `/v1/policies`.
pub fn routes(config: &mut ServiceConfig) {
    config.service(web::resource("/v1/policies").route(web::get().to(list)).default_service(web::to(not_allowed)));
    let one =
        web::resource("/v1/policies/{id:.*}").route(web::get().to(get)).route(web::put().to(put)).route(web::delete().to(delete));
    config.service(one.default_service(web::to(not_allowed)));
}

/// Every module in force, however it came.
async fn list(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let snapshot = engine.store.load();
    let modules = snapshot.policies.modules().map(|(id, _, module)| (id, module.text.clone()));
    let mut modules: Vec<_> = modules.collect();
    modules.sort_unstable();
    // Parsing many modules takes a while.
    let shared = Data::clone(&engine);
    let list = move || -> Result<Vec<_>, ApiError> {
        let _charge = shared.charge(Lane::Compile, weight::of_policies(modules.iter().map(|(_, raw)| raw.len()).sum()))?;
        Ok(modules.into_iter().map(|(id, raw)| shown(id, raw)).collect())
    };
    let result = engine.run(Lane::Compile, None, list).await??;
    Ok(respond::json(StatusCode::OK, &Answered { result }, params.flag("pretty")))
}

async fn get(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let id = id(&request)?;
    let snapshot = engine.store.load();
    let found = snapshot.policies.modules().find(|(found, ..)| *found == id).map(|(_, _, module)| module.text.clone());
    let raw = found.ok_or(ModuleError::Missing(id.clone()))?;
    let shared = Data::clone(&engine);
    let one = move || -> Result<_, ApiError> {
        let _charge = shared.charge(Lane::Compile, weight::of_policies(raw.len()))?;
        Ok(shown(id, raw))
    };
    let result = engine.run(Lane::Compile, None, one).await??;
    Ok(respond::json(StatusCode::OK, &Answered { result }, params.flag("pretty")))
}

#[derive(Serialize)]
struct Answered<T> {
    result: T,
}

/// A module as OPA shows it.
#[derive(Serialize)]
struct Shown {
    id: String,
    raw: String,
    /// What OPA's parser makes of it; `null` where it nests deeper than an answer may.
    ast: Option<Document>,
}

fn shown(id: String, raw: String) -> Shown {
    let module = Module { key: id, text: raw };
    let ast = syntax_tree(&module, RegoVersion::Auto).ok();
    Shown { id: module.key, raw: module.text, ast }
}

async fn put(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let started = Instant::now();
    let params = Params::parse(request.query_string())?;
    let id = id(&request)?;
    let body = limits::body(payload, request.headers(), engine.settings.sizes.of(limits::POLICIES), engine.body(Lane::Compile));
    let Body { text: body, charge } = body.await?;
    let text = String::from_utf8(body.to_vec()).map_err(|_| ApiError::invalid("the policy is not UTF-8"))?;
    if is_blank(&text) {
        return Err(ApiError::invalid(format!("{id}:0: rego_parse_error: empty module")));
    }
    let read = started.elapsed();
    let shared = Data::clone(&engine);
    let compiling = Instant::now();
    let put = move || -> Result<(), ApiError> {
        let _charges = (charge, shared.charge(Lane::Compile, weight::of_policies(text.len()))?);
        shared.store.put_module(&id, text)?;
        Ok(())
    };
    engine.run(Lane::Compile, None, put).await??;
    let metrics = json!({
        "timer_server_read_bytes_ns": respond::nanoseconds(read),
        "timer_rego_module_compile_ns": respond::nanoseconds(compiling.elapsed()),
    });
    Ok(done(&params, metrics))
}

async fn delete(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let id = id(&request)?;
    let shared = Data::clone(&engine);
    let compiling = Instant::now();
    let deleted = engine.run(Lane::Compile, None, move || shared.store.delete_module(&id)).await?;
    deleted.map_err(|error| match error {
        // As OPA: here the request is well-formed and the state of things forbids it.
        ModuleError::Rejected(_) => ApiError { code: "invalid_operation", ..error.into() },
        other => other.into(),
    })?;
    Ok(done(&params, json!({ "timer_rego_module_compile_ns": respond::nanoseconds(compiling.elapsed()) })))
}

fn done(params: &Params, metrics: Json) -> HttpResponse {
    let body = if params.flag("metrics") { json!({ "metrics": metrics }) } else { json!({}) };
    respond::json(StatusCode::OK, &body, params.flag("pretty"))
}

/// Everything after `/v1/policies/`: an encoded slash is a slash, as in OPA.
fn id(request: &HttpRequest) -> Result<String, ApiError> {
    rest(request.uri().path(), "/v1/policies/")
}
