//! Roles and bindings. Source: `kubernetes/pkg/apis/rbac/validation`.

use serde_json::Value as Json;

use super::peek::{field, list, text};
use super::selector;
use crate::names;
use crate::status::field::{Faults, FieldReason, Path};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Roles and ClusterRoles.
pub(super) fn role(object: &Json, namespaced: bool, faults: &mut Faults) {
    let path = Path::ROOT.child("rules");
    for (index, rule) in list(object, "rules").iter().enumerate() {
        self::rule(rule, namespaced, &path.index(index), faults);
    }
    let aggregation = Path::ROOT.child("aggregationRule");
    let path = aggregation.child("clusterRoleSelectors");
    let given = field(object, "aggregationRule");
    if !given.is_null() && list(given, "clusterRoleSelectors").is_empty() {
        faults.required(&path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
    }
    for (index, one) in list(given, "clusterRoleSelectors").iter().enumerate() {
        selector::validate(one, &path.index(index), faults);
    }
}

fn rule(rule: &Json, namespaced: bool, path: &Path<'_>, faults: &mut Faults) {
    let has = |name: &str| !list(rule, name).is_empty();
    if !has("verbs") {
        faults.required(&path.child("verbs"), "verbs must contain at least one value");
    }
    if has("nonResourceURLs") {
        let (urls, at) = (field(rule, "nonResourceURLs"), path.child("nonResourceURLs"));
        if namespaced {
            faults.invalid(&at, urls, "namespaced rules cannot apply to non-resource URLs");
        }
        if has("apiGroups") || has("resources") || has("resourceNames") {
            faults.invalid(&at, urls, "rules cannot apply to both regular resources and non-resource URLs");
        }
        return;
    }
    if !has("apiGroups") {
        faults.required(&path.child("apiGroups"), "resource rules must supply at least one api group");
    }
    if !has("resources") {
        faults.required(&path.child("resources"), "resource rules must supply at least one resource");
    }
}

/// RoleBindings and ClusterRoleBindings.
pub(super) fn binding(object: &Json, old: Option<&Json>, namespaced: bool, faults: &mut Faults) {
    let path = Path::ROOT.child("roleRef");
    let reference = field(object, "roleRef");
    let kinds: &[&str] = if namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if text(reference, "apiGroup") != GROUP {
        faults.not_supported(&path.child("apiGroup"), field(reference, "apiGroup"), &[GROUP]);
    }
    if !kinds.contains(&text(reference, "kind")) {
        faults.not_supported(&path.child("kind"), field(reference, "kind"), kinds);
    }
    let name = text(reference, "name");
    match name.is_empty() {
        true => faults.required(&path.child("name"), ""),
        false => names::path_segment(name, false).iter().for_each(|fault| faults.invalid_text(&path.child("name"), name, fault)),
    }
    let subjects = Path::ROOT.child("subjects");
    for (index, subject) in list(object, "subjects").iter().enumerate() {
        self::subject(subject, namespaced, &subjects.index(index), faults);
    }
    if old.is_some_and(|old| field(old, "roleRef") != reference) {
        // Upstream shows its internal type.
        let shown = format!(
            "Invalid value: {{\"APIGroup\":{},\"Kind\":{},\"Name\":{}}}: cannot change roleRef",
            field(reference, "apiGroup"),
            field(reference, "kind"),
            field(reference, "name")
        );
        faults.worded(FieldReason::Invalid, &path, shown);
    }
}

fn subject(subject: &Json, namespaced: bool, path: &Path<'_>, faults: &mut Faults) {
    let (name, at) = (text(subject, "name"), path.child("name"));
    if name.is_empty() {
        faults.required(&at, "");
    }
    let group = |wanted: &str, faults: &mut Faults| {
        if text(subject, "apiGroup") != wanted {
            faults.not_supported(&path.child("apiGroup"), &text(subject, "apiGroup").into(), &[wanted]);
        }
    };
    match text(subject, "kind") {
        "ServiceAccount" => {
            if !name.is_empty() {
                names::subdomain(name).iter().for_each(|fault| faults.invalid_text(&at, name, fault));
            }
            group("", faults);
            if !namespaced && text(subject, "namespace").is_empty() {
                faults.required(&path.child("namespace"), "");
            }
        }
        "User" | "Group" => group(GROUP, faults),
        _ => faults.not_supported(&path.child("kind"), field(subject, "kind"), &["ServiceAccount", "User", "Group"]),
    }
}
