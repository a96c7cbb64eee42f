//! Cells of nodes.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::table::object::{holds, list, text};

pub(super) fn status(node: &Json) -> String {
    let ready = list(node, "/status/conditions").iter().rfind(|condition| text(condition, "/type") == "Ready");
    let ready = match ready.map(|condition| text(condition, "/status")) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    if holds(node, "/spec/unschedulable") { format!("{ready},SchedulingDisabled") } else { ready.into() }
}

pub(super) fn roles(node: &Json) -> String {
    let labels = node.pointer("/metadata/labels").and_then(Json::as_object).into_iter().flatten();
    let roles = labels.filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => Some(role),
        None if key == "kubernetes.io/role" => value.as_str(),
        None => None,
    });
    let roles: BTreeSet<&str> = roles.filter(|role| !role.is_empty()).collect();
    if roles.is_empty() { "<none>".into() } else { roles.into_iter().collect::<Vec<_>>().join(",") }
}

/// The first address of a kind.
pub(super) fn address<'a>(node: &'a Json, kind: &str) -> &'a str {
    let found = list(node, "/status/addresses").iter().find(|address| text(address, "/type") == kind);
    found.map_or("<none>", |address| text(address, "/address"))
}

/// A field of `nodeInfo`.
pub(super) fn or_unknown<'a>(node: &'a Json, field: &str) -> &'a str {
    let value = node.pointer("/status/nodeInfo").and_then(|info| info.get(field)).and_then(Json::as_str);
    value.filter(|value| !value.is_empty()).unwrap_or("<unknown>")
}

pub(super) fn kernel(node: &Json) -> String {
    let version = or_unknown(node, "kernelVersion");
    match text(node, "/status/nodeInfo/architecture") {
        "" => version.into(),
        architecture => format!("{version} ({architecture})"),
    }
}
