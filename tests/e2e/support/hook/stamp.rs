//! Somebody else's mutating webhook: it stamps every object that it is shown with an annotation.

use serde_json::{Value as Json, json};

use super::{Hook, Reply, patched};

/// The annotation; its value is the review's uid, hence new each time.
pub(crate) const STAMP: &str = "example.com/stamp";

/// Starts it.
pub(crate) fn start() -> Hook {
    Hook::start("localhost", judge)
}

/// Asked about updates of Deployments and ReplicaSets in one namespace.
pub(crate) fn configuration(hook: &Hook, namespace: &str) -> Json {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "stamps"},
        "webhooks": [{
            "name": "stamps.example.com",
            "clientConfig": hook.by_url(),
            "rules": [{
                "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments", "replicasets"],
                "operations": ["UPDATE"],
            }],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
        }],
    })
}

fn judge(_path: &str, request: &Json) -> Reply {
    let uid = &request["uid"];
    let patch = match request["object"]["metadata"]["annotations"] {
        Json::Null => json!([{"op": "add", "path": "/metadata/annotations", "value": {STAMP: uid}}]),
        _ => json!([{"op": "add", "path": format!("/metadata/annotations/{}", STAMP.replace('/', "~1")), "value": uid}]),
    };
    Reply::Now(patched(&patch))
}
