//! Whether a webhook is called for a request, in upstream's order: selectors, rules, rules of equivalent versions; what could
//! not be looked up matters only to a webhook whose rules match. Source: `apiserver`
//! `pkg/admission/plugin/webhook/generic/webhook.go` and `predicates/`.
//!
//! Each step is a pure function of its own, so that `plimsoll predict` says by the same rules what a server will do.

use std::sync::Arc;

use serde_json::Value as Json;

use super::configuration::Webhook;
use super::rule::Rule;
use super::spec::{MatchPolicy, Spec};
use crate::admission::{Attributes, Operation, REGISTRATION};
use crate::resources::Resource;
use crate::resources::validate::selector::{is_empty, matches};
use crate::status::Status;
use crate::storage::{Key, Store};

/// Kinds that no webhook of the API sees, so that a webhook that fails can always be taken away by it.
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

/// Whether no webhook of the API sees the request: those of manifests alone do.
pub fn is_exempt(request: &Attributes) -> bool {
    request.resource.group == REGISTRATION && EXEMPT.contains(&request.resource.kind.as_str())
}

/// The version in which the webhook wants the request; `None` if it is not called. Fails when a namespace that its selector
/// asks about cannot be looked up.
pub(super) fn wanted(hook: &Webhook, request: &Attributes, store: &Store) -> Result<Option<Arc<Resource>>, Status> {
    let in_namespace = in_namespace(&hook.spec.namespace_selector, request, |name| stored(store, name));
    if matches!(in_namespace, Ok(false)) || !selects_object(&hook.spec.object_selector, request) {
        return Ok(None);
    }
    let Some((_, resource)) = by_rules(&hook.spec, request) else { return Ok(None) };
    in_namespace?;
    Ok(Some(resource))
}

/// Which rule is for the request, from 0, and in which version: the request's own, or else the first equivalent one that an
/// earlier rule is for. `None` if no rule is.
pub fn by_rules(spec: &Spec, request: &Attributes) -> Option<(usize, Arc<Resource>)> {
    let rules = &spec.rules;
    if let Some(at) = rules.iter().position(|rule| rule.matches(request, &request.resource)) {
        return Some((at, Arc::clone(&request.resource)));
    }
    if spec.match_policy == MatchPolicy::Exact {
        return None;
    }
    let own = request.resource.api_version();
    let mut equivalent = request.registry.in_collection(&request.resource.collection);
    equivalent.retain(|other| other.api_version() != own);
    let by_rule = |rule: &Rule| equivalent.iter().find(|other| rule.matches(request, other)).cloned();
    rules.iter().enumerate().find_map(|(at, rule)| Some((at, by_rule(rule)?)))
}

/// Whether a namespaceSelector lets the request in. Objects without a namespace are in every one, except Namespaces: a new state
/// of one is judged by its own labels. `namespace` gives a stored Namespace by its name, and is asked only where that decides;
/// fails as it fails.
pub fn in_namespace<E>(
    selector: &Json,
    request: &Attributes,
    namespace: impl FnOnce(&str) -> Result<Json, E>,
) -> Result<bool, E> {
    let about_namespace = request.is_about_namespace();
    if is_empty(selector) || request.namespace.is_empty() && !about_namespace {
        return Ok(true);
    }
    if about_namespace && request.subresource.is_empty() && request.operation != Operation::Delete {
        return Ok(request.object.as_ref().is_some_and(|object| selects(selector, object)));
    }
    let name = if about_namespace { &request.name } else { &request.namespace };
    Ok(selects(selector, &namespace(name)?))
}

fn stored(store: &Store, name: &str) -> Result<Json, Status> {
    let key = Key { collection: "core/namespaces".into(), namespace: "".into(), name: name.into() };
    let snapshot = store.snapshot();
    let record = snapshot.get(&key).ok_or_else(|| Status::no_namespace(name))?;
    serde_json::from_slice(&record.value)
        .map_err(|error| Status::internal(format_args!("the stored namespace {name} cannot be read: {error}")))
}

/// Whether an objectSelector selects the new state or the old one.
pub fn selects_object(selector: &Json, request: &Attributes) -> bool {
    is_empty(selector)
        || [request.object.as_ref(), request.old.as_deref()].into_iter().flatten().any(|object| selects(selector, object))
}

/// Whether a selector selects an object by its labels; one without `metadata` is never selected.
pub fn selects(selector: &Json, object: &Json) -> bool {
    object.get("metadata").is_some_and(|metadata| matches(selector, metadata.get("labels").unwrap_or(&Json::Null)))
}

#[cfg(test)]
mod tests;
