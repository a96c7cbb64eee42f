//! Whether a webhook is called for a request, in upstream's order: selectors, rules, rules of equivalent versions; what could
//! not be looked up matters only to a webhook whose rules match. Source: `apiserver`
//! `pkg/admission/plugin/webhook/generic/webhook.go` and `predicates/`.

use std::sync::Arc;

use serde_json::Value as Json;

use super::configuration::Webhook;
use super::spec::MatchPolicy;
use crate::admission::{Attributes, Operation};
use crate::resources::Resource;
use crate::resources::validate::selector::{is_empty, matches};
use crate::status::Status;
use crate::storage::{Key, Store};

/// Kinds that no webhook sees, so that a webhook that fails can always be taken away.
const EXEMPT: [&str; 8] = [
    "InitializerConfiguration",
    "ExternalAdmissionHookConfiguration",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
];

/// Whether no webhook sees the request.
pub(super) fn is_exempt(request: &Attributes) -> bool {
    request.resource.group == "admissionregistration.k8s.io" && EXEMPT.contains(&request.resource.kind.as_str())
}

/// The version in which the webhook wants the request; `None` if it is not called. Fails when a namespace that its selector
/// asks about cannot be looked up.
pub(super) fn wanted(hook: &Webhook, request: &Attributes, store: &Store) -> Result<Option<Arc<Resource>>, Status> {
    let in_namespace = in_namespace(&hook.spec.namespace_selector, request, store);
    if matches!(in_namespace, Ok(false)) || !selects_object(&hook.spec.object_selector, request) {
        return Ok(None);
    }
    let Some(resource) = by_rules(hook, request) else { return Ok(None) };
    in_namespace?;
    Ok(Some(resource))
}

/// The request's own version, or the first equivalent one that an earlier rule is for.
fn by_rules(hook: &Webhook, request: &Attributes) -> Option<Arc<Resource>> {
    let rules = &hook.spec.rules;
    if rules.iter().any(|rule| rule.matches(request, &request.resource)) {
        return Some(Arc::clone(&request.resource));
    }
    if hook.spec.match_policy == MatchPolicy::Exact {
        return None;
    }
    let own = request.resource.api_version();
    let mut equivalent = request.registry.in_collection(&request.resource.collection);
    equivalent.retain(|other| other.api_version() != own);
    rules.iter().find_map(|rule| equivalent.iter().find(|other| rule.matches(request, other)).cloned())
}

/// Objects without a namespace are in every one, except Namespaces: a new state of one is judged by its own labels.
fn in_namespace(selector: &Json, request: &Attributes, store: &Store) -> Result<bool, Status> {
    let about_namespace = request.is_about_namespace();
    if is_empty(selector) || request.namespace.is_empty() && !about_namespace {
        return Ok(true);
    }
    if about_namespace && request.subresource.is_empty() && request.operation != Operation::Delete {
        return Ok(request.object.as_ref().is_some_and(|object| selects(selector, object)));
    }
    let name = if about_namespace { &request.name } else { &request.namespace };
    let key = Key { collection: "core/namespaces".into(), namespace: "".into(), name: name.as_str().into() };
    let snapshot = store.snapshot();
    let record = snapshot.get(&key).ok_or_else(|| Status::no_namespace(name))?;
    let namespace: Json = serde_json::from_slice(&record.value)
        .map_err(|error| Status::internal(format_args!("the stored namespace {name} cannot be read: {error}")))?;
    Ok(selects(selector, &namespace))
}

/// The new state or the old one has the labels.
fn selects_object(selector: &Json, request: &Attributes) -> bool {
    is_empty(selector)
        || [request.object.as_ref(), request.old.as_deref()].into_iter().flatten().any(|object| selects(selector, object))
}

fn selects(selector: &Json, object: &Json) -> bool {
    object.get("metadata").is_some_and(|metadata| matches(selector, metadata.get("labels").unwrap_or(&Json::Null)))
}

#[cfg(test)]
mod tests;
