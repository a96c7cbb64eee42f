//! Asks the API server for a dry run: it processes the request to the end, but stores nothing, and returns the object.

use std::sync::Arc;

use plimsoll_apiserver::admission::Operation;
use plimsoll_apiserver::admission::webhook::matching::by_rules;
use plimsoll_apiserver::admission::webhook::{Condition, Webhook};
use plimsoll_apiserver::expression::{Read, Step};
use plimsoll_apiserver::resources::Resource;
use plimsoll_sidecar::cluster::Fault;
use serde_json::Value as Json;

use super::api::Server;
use super::facts::Facts;
use super::request;

/// Why a dry run shows no object.
#[derive(Debug, thiserror::Error)]
pub(super) enum DryRunError {
    /// The operation is a delete or a connect.
    #[error("neither a delete nor a stream stores anything: a dry run has nothing to read back")]
    NothingStored,
    /// The API server refused the request, or did not answer.
    #[error("the dry run was refused, so nothing was read back: {0}")]
    Refused(#[source] Fault),
}

/// Returns the object as the API server would store it. Fails when the operation stores nothing, or the server refuses it.
pub(super) async fn ask(
    server: &Server,
    operation: Operation,
    resource: &Resource,
    object: &Json,
    old: Option<&Json>,
) -> Result<Json, DryRunError> {
    let answer = match operation {
        Operation::Create => {
            let path = format!("{}?dryRun=All", request::collection(resource, object));
            server.send("POST", &path, object).await
        }
        Operation::Update => {
            let path = format!("{}?dryRun=All", request::path(resource, object));
            server.send("PUT", &path, &replacement(object.clone(), old)).await
        }
        Operation::Delete | Operation::Connect => return Err(DryRunError::NothingStored),
    };
    answer.map_err(DryRunError::Refused)
}

/// Returns the object with the resource version that it replaces, which a replacement of a custom resource must have.
fn replacement(mut object: Json, old: Option<&Json>) -> Json {
    let version = old.and_then(|old| old.pointer("/metadata/resourceVersion"));
    if let (Some(version), Some(metadata)) = (version, object.get_mut("metadata").and_then(Json::as_object_mut)) {
        metadata.entry("resourceVersion").or_insert_with(|| version.clone());
    }
    object
}

/// Returns why a dry run cannot be relied on, if so: a mutating hook has conditions that may ask whether the request is one, and may act
/// differently then.
pub(super) fn asked_by(facts: &Facts) -> Option<String> {
    let is_for = |hook: &&Arc<Webhook>| by_rules(&hook.spec, &facts.request).is_some();
    let asks = |hook: &&Arc<Webhook>| hook.conditions.iter().any(asks);
    let hook = facts.registered.mutating.iter().filter(is_for).find(asks)?;
    let (configuration, name) = (&hook.configuration, &hook.spec.name);
    Some(format!("the dry run is no guide, because a condition of {configuration}/{name} may look at whether it is one"))
}

/// Returns whether a condition may ask for a dry run, which `request.dryRun` and `request.options` tell. A condition that cannot be read
/// here may ask for anything.
fn asks(condition: &Condition) -> bool {
    let is_told = |read: &Read| {
        let first = read.path.first();
        read.variable == "request"
            && first.is_none_or(|step| ["dryRun", "options"].map(|name| Step::Field(name.to_owned())).contains(step))
    };
    condition.expression.as_ref().map_or(true, |expression| expression.reads().iter().any(is_told))
}
