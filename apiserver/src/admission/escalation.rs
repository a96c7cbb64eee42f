//! Nobody may grant what they do not have: checked on each write of a role or binding, unless the verbs `escalate` or
//! `bind` are granted. Source: `kubernetes` `pkg/registry/rbac/{clusterrole,role,clusterrolebinding,rolebinding}/policybased`.

use std::sync::Arc;

use futures::future::{FutureExt as _, LocalBoxFuture, ready};
use serde_json::Value as Json;

use super::{Attributes, Operation, Validating};
use crate::authz::Authorizer;
use crate::authz::rbac::{GROUP, Policy, RoleRef, Rule};
use crate::authz::request::{Access, What, forbidden_object};
use crate::status::Status;

/// Fields of the metadata that garbage collection changes; such a change grants nothing.
const COLLECTED: [&str; 3] = ["ownerReferences", "finalizers", "managedFields"];

/// The stage of admission that refuses to grant more than the caller has.
#[derive(Clone, Debug)]
pub struct Escalation(pub Arc<Authorizer>);

impl Validating for Escalation {
    fn name(&self) -> &'static str {
        "RBACEscalation"
    }

    fn validate<'a>(&'a self, request: &'a Attributes) -> LocalBoxFuture<'a, Result<Vec<String>, Status>> {
        let checked = if concerns(request) { check(&self.0.policy(), request) } else { Ok(()) };
        ready(checked.map(|()| Vec::new())).boxed_local()
    }
}

fn concerns(request: &Attributes) -> bool {
    request.resource.group == GROUP && request.subresource.is_empty() && request.operation != Operation::Delete
}

fn check(policy: &Policy, request: &Attributes) -> Result<(), Status> {
    let Some(object) = &request.object else { return Ok(()) };
    if request.user.is_master() || request.old.as_ref().is_some_and(|old| only_collected(old, object)) {
        return Ok(());
    }
    match request.resource.plural.as_str() {
        "roles" | "clusterroles" => role(policy, request, object),
        "rolebindings" | "clusterrolebindings" => binding(policy, request, object),
        _ => Ok(()),
    }
}

fn role(policy: &Policy, request: &Attributes, object: &Json) -> Result<(), Status> {
    let name = match request.operation {
        Operation::Create => "",
        _ => &request.name,
    };
    if may(policy, request, "escalate", &request.resource.plural, name) {
        return Ok(());
    }
    let rules: Vec<Rule> = field(object, "rules")?;
    covered(policy, request, object, &rules)?;
    let aggregates = |object: &Json| {
        let selectors = object.pointer("/aggregationRule/clusterRoleSelectors");
        selectors.and_then(Json::as_array).is_some_and(|selectors| !selectors.is_empty())
    };
    if aggregates(object) || request.old.as_ref().is_some_and(|old| aggregates(old)) {
        // It can gather anything.
        let all = policy.has_all(&request.user, &request.namespace, &everything());
        return all.map_err(|_| refusal(request, object, "must have cluster-admin privileges to use the aggregationRule"));
    }
    Ok(())
}

fn binding(policy: &Policy, request: &Attributes, object: &Json) -> Result<(), Status> {
    let role: RoleRef = field(object, "roleRef")?;
    let plural = match role.kind.as_str() {
        "ClusterRole" => "clusterroles",
        _ => "roles",
    };
    if may(policy, request, "bind", plural, &role.name) {
        return Ok(());
    }
    covered(policy, request, object, policy.role(&role, &request.namespace)?)
}

fn covered(policy: &Policy, request: &Attributes, object: &Json, rules: &[Rule]) -> Result<(), Status> {
    let all = policy.has_all(&request.user, &request.namespace, rules);
    all.map_err(|error| refusal(request, object, &error.to_string()))
}

fn may(policy: &Policy, request: &Attributes, verb: &str, resource: &str, name: &str) -> bool {
    let access = Access { verb, group: GROUP, resource, name, namespace: &request.namespace, ..Access::default() };
    policy.authorize(&request.user, &What::Resource(access)).is_allowed()
}

fn refusal(request: &Attributes, object: &Json, why: &str) -> Status {
    let name = object.pointer("/metadata/name").and_then(Json::as_str).unwrap_or(&request.name);
    forbidden_object(GROUP, &request.resource.plural, name, why)
}

/// Validation runs beside this, so a malformed field is refused here too.
fn field<T: for<'de> serde::Deserialize<'de> + Default>(object: &Json, name: &str) -> Result<T, Status> {
    match object.get(name) {
        None | Some(Json::Null) => Ok(T::default()),
        Some(value) => T::deserialize(value).map_err(|error| Status::bad_request(format!("{name}: {error}"))),
    }
}

fn everything() -> [Rule; 2] {
    let star = || vec!["*".to_owned()];
    [
        Rule { verbs: star(), api_groups: star(), resources: star(), ..Rule::default() },
        Rule { verbs: star(), non_resource_urls: star(), ..Rule::default() },
    ]
}

/// Whether nothing differs but what garbage collection changes.
fn only_collected(old: &Json, new: &Json) -> bool {
    let rest = |object: &Json| {
        let mut object = object.clone();
        if let Some(metadata) = object.pointer_mut("/metadata").and_then(Json::as_object_mut) {
            metadata.retain(|field, _| !COLLECTED.contains(&field.as_str()));
        }
        object
    };
    rest(old) == rest(new)
}

#[cfg(test)]
mod tests;
