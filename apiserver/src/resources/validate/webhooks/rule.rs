//! Which requests a hook is for: operations, groups, versions, resources, scope.

use serde_json::Value as Json;

use crate::resources::validate::one_of;
use crate::resources::validate::peek::{field, list};
use crate::status::field::{Faults, Path};

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES: [&str; 3] = ["*", "Cluster", "Namespaced"];

/// A rule of a webhook.
pub(super) fn validate(rule: &Json, path: &Path<'_>, faults: &mut Faults) {
    let operations = path.child("operations");
    alone(rule, "operations", "operations", path, faults);
    for (index, operation) in list(rule, "operations").iter().enumerate() {
        if !operation.as_str().is_some_and(|operation| OPERATIONS.contains(&operation)) {
            faults.not_supported(&operations.index(index), operation, &OPERATIONS);
        }
    }
    groups_and_versions(rule, path, faults);
    resources(rule, path, faults);
    one_of(rule, "scope", &SCOPES, path, faults);
}

/// A rule of an initializer: whole objects alone.
pub(in crate::resources::validate) fn of_initializer(rule: &Json, path: &Path<'_>, faults: &mut Faults) {
    groups_and_versions(rule, path, faults);
    alone(rule, "resources", "resources", path, faults);
    let resources = path.child("resources");
    for (index, resource) in list(rule, "resources").iter().filter_map(Json::as_str).enumerate() {
        if resource.is_empty() {
            faults.required(&resources.index(index), "");
        } else if resource.contains('/') {
            faults.invalid_text(&resources.index(index), resource, "must not specify subresources");
        }
    }
}

fn groups_and_versions(rule: &Json, path: &Path<'_>, faults: &mut Faults) {
    alone(rule, "apiGroups", "API groups", path, faults);
    alone(rule, "apiVersions", "API versions", path, faults);
    let versions = path.child("apiVersions");
    for (index, _) in list(rule, "apiVersions").iter().enumerate().filter(|(_, version)| *version == "") {
        faults.required(&versions.index(index), "");
    }
}

/// At least one; a `*` stands alone.
fn alone(rule: &Json, name: &str, called: &str, path: &Path<'_>, faults: &mut Faults) {
    let members = list(rule, name);
    if members.is_empty() {
        faults.required(&path.child(name), "");
    } else if members.len() > 1 && members.iter().any(|member| member == "*") {
        let why = format!("if '*' is present, must not specify other {called}");
        faults.invalid(&path.child(name), field(rule, name), &why);
    }
}

/// Upstream finds an overlap only where the wildcard comes first; here the order does not matter.
fn resources(rule: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (at, given) = (path.child("resources"), field(rule, "resources"));
    let resources: Vec<&str> = list(rule, "resources").iter().filter_map(Json::as_str).collect();
    if resources.is_empty() {
        faults.required(&at, "");
    }
    for (index, resource) in resources.iter().enumerate() {
        let at = at.index(index);
        if resource.is_empty() {
            faults.required(&at, "");
        }
        let Some((name, subresource)) = resource.split_once('/') else { continue };
        for wildcard in [format!("{name}/*"), format!("*/{subresource}")] {
            if wildcard != *resource && resources.contains(&wildcard.as_str()) {
                faults.invalid_text(&at, resource, &format!("if '{wildcard}' is present, must not specify {resource}"));
            }
        }
    }
    if resources.len() > 1 && resources.contains(&"*/*") {
        faults.invalid(&at, given, "if '*/*' is present, must not specify other resources");
    }
    let plain = |resource: &&str| !resource.is_empty() && *resource != "*" && !resource.contains('/');
    if resources.contains(&"*") && resources.iter().any(plain) {
        faults.invalid(&at, given, "if '*' is present, must not specify other resources without subresources");
    }
}
