//! Rules about a hook that keeps its own pods from starting while it is down.

use plimsoll_apiserver::admission::Attributes;
use plimsoll_apiserver::admission::webhook::FailurePolicy;
use plimsoll_apiserver::resources::Scope;
use plimsoll_apiserver::resources::validate::selector::matches;
use serde_json::{Value as Json, json};

use super::finding::{Advice, Found};
use super::hook::Hook;
use super::requests::{ENDPOINTS, PODS, creation, update};
use super::surroundings::Surroundings;

/// Finds a hook that fails closed and is called for its own pods, or for the EndpointSlices by which the API server finds it
/// (practice 9).
pub(super) fn deadlock(hook: &Hook<'_>, _: &[Hook<'_>], around: &Surroundings<'_>) -> Option<Found> {
    let (namespace, service) = hook.service().filter(|_| hook.spec().failure_policy == FailurePolicy::Fail)?;
    let what = in_its_way(hook, around, &namespace, &service)?;
    let message = format!(
        "it fails closed and is called for {what} of its own namespace `{namespace}`: once it is down, it cannot come back"
    );
    Some(Found::new("/namespaceSelector", message, Advice::Exempt(namespace)))
}

fn in_its_way(hook: &Hook<'_>, around: &Surroundings<'_>, namespace: &str, service: &str) -> Option<&'static str> {
    let labels = around.labels(namespace);
    let mut pods: Vec<Json> = around.workloads(namespace, service).into_iter().map(|workload| workload.labels).collect();
    if pods.is_empty() {
        pods.push(json!({}));
    }
    let is_seen = |request: Attributes| hook.sees(&request, &labels);
    if pods.iter().any(|of_pod| is_seen(creation(PODS, Scope::Namespaced, namespace, of_pod))) {
        return Some("the pods");
    }
    let of_service = json!({"kubernetes.io/service-name": service});
    let endpoints = [creation, update].map(|request| request(ENDPOINTS, Scope::Namespaced, namespace, &of_service));
    endpoints.into_iter().any(is_seen).then_some("the endpoints")
}

/// Finds a hook for objects of its own namespace (practice 5). Finds nothing where [`deadlock`] does, whose advice is the same.
pub(super) fn own_namespace(hook: &Hook<'_>, all: &[Hook<'_>], around: &Surroundings<'_>) -> Option<Found> {
    let (namespace, _) = hook.service()?;
    if deadlock(hook, all, around).is_some() {
        return None;
    }
    let is_selected = matches(&hook.spec().namespace_selector, &around.labels(&namespace));
    let reaches = hook.spec().rules.iter().any(|rule| rule.scope.as_deref() != Some("Cluster"));
    let message = format!("it is called for objects of its own namespace `{namespace}`: repairing it waits for it");
    (is_selected && reaches).then(|| Found::new("/namespaceSelector", message, Advice::Exempt(namespace)))
}

/// Finds a hook that fails closed and has a single replica (practice 4).
pub(super) fn single_replica(hook: &Hook<'_>, _: &[Hook<'_>], around: &Surroundings<'_>) -> Option<Found> {
    let (namespace, service) = hook.service().filter(|_| hook.spec().failure_policy == FailurePolicy::Fail)?;
    let workloads = around.workloads(&namespace, &service);
    let [only] = workloads.as_slice() else { return None };
    let at = only.object.place("/spec/replicas");
    let message = format!("it fails closed, and `{service}` has one replica ({at}): every restart refuses what it is for");
    (only.replicas < 2).then(|| Found::saying("/failurePolicy", message, format!("replicas: 2, at {at}")))
}
