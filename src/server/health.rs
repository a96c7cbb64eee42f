//! `/health` as OPA has it, with policies of one's own below it; `/health/live`, `/health/ready` with reasons; `/metrics`.

use actix_web::http::{StatusCode, header};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Resource};
use serde_json::{Map, Value as Json, json};

use crate::management::plugins::UP;
use crate::rego::{Definition, Value};
use crate::server::Engine;
use crate::server::pool::Lane;
use crate::server::request::{Params, segments};
use crate::server::respond::{self, ApiError};

/// Where policies for probes are.
const POLICIES: [&str; 2] = ["system", "health"];

/// Mounts health and metrics: the whole of the diagnostic listener.
pub fn routes(config: &mut ServiceConfig) {
    config.service(probe("/health").route(web::get().to(health)).route(web::head().to(health)));
    config.service(probe("/health/{path:.*}").route(web::get().to(by_name)).route(web::head().to(by_name)));
    config.service(probe("/metrics").route(web::get().to(metrics)).route(web::head().to(metrics)));
}

fn probe(path: &str) -> Resource {
    web::resource(path).default_service(web::to(read_only))
}

/// 200 `{}`; with `?bundles` or `?plugins` also what those and readiness say.
async fn health(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let bundles = params.flag("bundles") || params.flag("bundle");
    let plugins = params.flag("plugins");
    if !bundles && !plugins {
        return Ok(well());
    }
    let states = engine.settings.plugins.states();
    let down = |name: &str| states.iter().find(|plugin| plugin.name == name && plugin.state != UP);
    if bundles && let Some(plugin) = down("bundle").or_else(|| down("discovery")) {
        let names = if plugin.waiting.is_empty() { String::new() } else { format!(": {}", plugin.waiting.join(", ")) };
        return Ok(ill(&format!("one or more bundles are not activated{names}")));
    }
    let excluded: Vec<&str> = params.all("exclude-plugin").collect();
    if plugins && states.iter().any(|plugin| plugin.state != UP && !excluded.contains(&plugin.name.as_str())) {
        return Ok(ill("one or more plugins are not up"));
    }
    Ok(readiness(&engine))
}

/// `/health/{name}`: what the policy `system.health.{name}` says. Without one, `live` says that the process answers, for a
/// restart repairs neither policies nor sources; with or without one, `ready` says whether decisions can be made, and `live`
/// fails when none will be made any more without a restart.
async fn by_name(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let name = segments(request.uri().path(), 1)?;
    let path: Vec<String> = POLICIES.iter().map(|part| (*part).to_owned()).chain(name.iter().cloned()).collect();
    let (live, ready) = (name == ["live"], name == ["ready"]);
    if ready && !engine.unready_reasons(&engine.store.load()).is_empty() {
        return Ok(readiness(&engine));
    }
    if live && let Some(why) = engine.lanes.dead() {
        return Ok(ill(&why));
    }
    let defined = engine.store.load().policies.program.defines(&path) != Definition::Nothing;
    match (defined, live, ready) {
        (false, true, _) => Ok(well()),
        (false, _, true) => Ok(readiness(&engine)),
        _ => by_policy(&engine, path).await,
    }
}

async fn by_policy(engine: &Data<Engine>, path: Vec<String>) -> Result<HttpResponse, ApiError> {
    let shown = format!("data.{}", path.join("."));
    let shared = Data::clone(engine);
    let evaluate = move || {
        let input = Value::from(input(&shared));
        shared.store.load().document(&path, Some(&input), &shared.config.limits)
    };
    Ok(match engine.evaluate(Lane::Gate, evaluate).await? {
        Ok(Some(document)) if document.is_true() => well(),
        Ok(Some(_)) => ill(&format!("health check ({shown}) returned unexpected value")),
        Ok(None) => ill(&format!("health check ({shown}) was undefined")),
        Err(error) => ill(&error.to_string()),
    })
}

fn input(engine: &Engine) -> Json {
    let states = engine.settings.plugins.states();
    let ready = engine.settings.plugins.ready(&states);
    let states: Map<String, Json> = states.into_iter().map(|plugin| (plugin.name, plugin.state.into())).collect();
    json!({ "plugin_state": states, "plugins_ready": ready })
}

fn well() -> HttpResponse {
    respond::json(StatusCode::OK, &json!({}), false)
}

fn ill(why: &str) -> HttpResponse {
    respond::json(StatusCode::INTERNAL_SERVER_ERROR, &json!({ "error": why }), false)
}

fn readiness(engine: &Engine) -> HttpResponse {
    let snapshot = engine.store.load();
    let reasons = engine.unready_reasons(&snapshot);
    let response = if reasons.is_empty() {
        well()
    } else {
        let body = json!({ "error": format!("not ready: {}", reasons.join("; ")), "reasons": reasons });
        respond::json(StatusCode::INTERNAL_SERVER_ERROR, &body, false)
    };
    respond::stamped(response, &snapshot, &snapshot.ages(engine.store.now()))
}

/// 405 to what is no GET.
async fn read_only() -> HttpResponse {
    HttpResponse::MethodNotAllowed().insert_header((header::ALLOW, "GET, HEAD")).finish()
}

async fn metrics(engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let text = engine.metrics.render(&engine);
    let text = text.map_err(|error| ApiError::internal(format!("metrics could not be encoded: {error}")))?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text))
}
