//! Cells that are worked out: the names that the table of kinds may use. Source: kube-apiserver's
//! `pkg/printers/internalversion/printers.go`.

mod events;
mod nodes;
mod pods;
mod rbac;
mod selectors;
mod services;
mod workloads;

use serde_json::Value as Json;
use time::OffsetDateTime;

use super::duration;
use super::object::{entries, list, text};

pub(super) use pods::completed;

/// The cell of an object, now.
pub(super) type Compute = fn(&Json, OffsetDateTime) -> Json;

/// Each computation by its name.
const COMPUTED: &[(&str, Compute)] = &[
    ("age", |object, now| duration::since(object.pointer("/metadata/creationTimestamp"), now).into()),
    ("cluster-status", |object, _| cluster_status(object).into()),
    ("data-count", |object, _| (entries(object, "/data") + entries(object, "/binaryData")).into()),
    ("containers", |object, _| workloads::containers(object, "name").into()),
    ("images", |object, _| workloads::containers(object, "image").into()),
    ("selector", |object, _| selectors::of_workload(object).into()),
    ("node-selector", |object, _| selectors::labels(object.pointer("/spec/template/spec/nodeSelector")).into()),
    ("deployment-ready", |object, _| workloads::ready(object).into()),
    ("statefulset-ready", |object, _| workloads::ready(object).into()),
    ("job-status", |object, _| workloads::job_status(object).into()),
    ("job-completions", |object, _| workloads::job_completions(object).into()),
    ("job-duration", |object, now| workloads::job_duration(object, now).into()),
    ("cronjob-timezone", |object, _| workloads::timezone(object).into()),
    ("cronjob-suspend", |object, _| workloads::suspend(object).into()),
    ("cronjob-active", |object, _| list(object, "/status/active").len().into()),
    ("cronjob-last-schedule", |object, now| workloads::last_schedule(object, now).into()),
    ("node-status", |object, _| nodes::status(object).into()),
    ("node-roles", |object, _| nodes::roles(object).into()),
    ("node-internal-ip", |object, _| nodes::address(object, "InternalIP").into()),
    ("node-external-ip", |object, _| nodes::address(object, "ExternalIP").into()),
    ("node-os-image", |object, _| nodes::or_unknown(object, "osImage").into()),
    ("node-kernel-version", |object, _| nodes::kernel(object).into()),
    ("node-container-runtime", |object, _| nodes::or_unknown(object, "containerRuntimeVersion").into()),
    ("pod-ready", |object, _| pods::ready(object).into()),
    ("pod-status", |object, _| pods::status(object).into()),
    ("pod-restarts", |object, now| pods::restarts(object, now).into()),
    ("pod-ip", |object, _| or_none(text(object, "/status/podIPs/0/ip")).into()),
    ("pod-node", |object, _| or_none(text(object, "/spec/nodeName")).into()),
    ("pod-nominated-node", |object, _| or_none(text(object, "/status/nominatedNodeName")).into()),
    ("pod-readiness-gates", |object, _| pods::readiness_gates(object).into()),
    ("webhooks", |object, _| list(object, "/webhooks").len().into()),
    ("service-cluster-ip", |object, _| or_none(text(object, "/spec/clusterIPs/0")).into()),
    ("service-external-ip", |object, _| services::external_ip(object).into()),
    ("service-ports", |object, _| services::ports(object).into()),
    ("service-selector", |object, _| selectors::labels(object.pointer("/spec/selector")).into()),
    ("event-last-seen", |object, now| events::last_seen(object, now).into()),
    ("event-object", |object, _| events::object(object).into()),
    ("event-source", |object, _| events::source(object).into()),
    ("event-message", |object, _| events::message(object).into()),
    ("event-first-seen", |object, now| events::first_seen(object, now).into()),
    ("event-count", |object, _| events::count(object).into()),
    ("role-ref", |object, _| rbac::role(object).into()),
    ("subject-users", |object, _| rbac::subjects(object, "User").into()),
    ("subject-groups", |object, _| rbac::subjects(object, "Group").into()),
    ("subject-service-accounts", |object, _| rbac::subjects(object, "ServiceAccount").into()),
];

/// The computation called `name`.
pub(super) fn find(name: &str) -> Option<Compute> {
    COMPUTED.iter().find(|(known, _)| *known == name).map(|(_, compute)| *compute)
}

/// Whether there is a computation called `name`, for tests of the table of kinds.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// Every name that a row's `Cell::Computed` may use.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMPUTED.iter().map(|(name, _)| *name)
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "<none>" } else { text }
}

/// What kubectl of federation v1 showed of a cluster: each condition, with `Not` before those that do not hold.
fn cluster_status(object: &Json) -> String {
    let conditions = list(object, "/status/conditions").iter().map(|condition| {
        let name = text(condition, "/type");
        if text(condition, "/status") == "True" { name.to_owned() } else { format!("Not{name}") }
    });
    let shown = conditions.collect::<Vec<_>>().join(",");
    if shown.is_empty() { "Unknown".into() } else { shown }
}

#[cfg(test)]
mod tests;
