//! Applies `deploy/` as a user would.

use std::path::Path;

use super::api_server::POLICY_NAMESPACE;
use super::eventually::eventually;
use super::kubectl::Kubectl;

/// A file or directory of the checkout.
pub(crate) fn checkout(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).to_str().unwrap().to_owned()
}

/// What `deploy/host` and `deploy/federation` both bring first.
pub(crate) fn create_policy_namespace(kubectl: &Kubectl) {
    kubectl.run(&["apply", "-f", &checkout("deploy/federation/namespace.yaml")]);
}

/// The kind Cluster, until the API server serves it.
pub(crate) fn create_fleet_kind(kubectl: &Kubectl) {
    create_kind(kubectl, "clusters");
}

/// A CRD of `examples/crds/`, until the API server serves it.
pub(crate) fn create_kind(kubectl: &Kubectl, plural: &str) {
    let file = checkout(&format!("examples/crds/{plural}.yaml"));
    kubectl.run(&["apply", "-f", &file]);
    kubectl.run(&["wait", "--for=condition=Established", "--timeout=60s", "-f", &file]);
    // Established comes before discovery and the first answer.
    eventually(&format!("{plural} are served"), || kubectl.try_run(&["get", plural, "--all-namespaces"]));
}

/// `deploy/overlays/e2e` with its placeholders replaced: webhooks at `review_url`, trusting `ca` (base64 of PEM).
pub(crate) fn apply_federation(kubectl: &Kubectl, review_url: &str, ca: &str) {
    let manifest = kubectl.run(&["kustomize", &checkout("deploy/overlays/e2e")]);
    let placed = manifest.replace("https://127.0.0.1:8443", review_url).replace("UExBQ0VIT0xERVI=", ca);
    kubectl.apply(&placed);
}

/// The part of [`apply_federation`] that is not webhooks: who the sidecar is and what it may do.
pub(crate) fn apply_access(kubectl: &Kubectl) {
    let manifest = kubectl.run(&["kustomize", &checkout("deploy/overlays/e2e")]);
    let documents = manifest.split("\n---\n").filter(|document| !document.contains("WebhookConfiguration"));
    kubectl.apply(&documents.collect::<Vec<_>>().join("\n---\n"));
}

/// A token of the sidecar's ServiceAccount, as `kubectl create token` gives it.
pub(crate) fn sidecar_token(kubectl: &Kubectl) -> String {
    kubectl.run(&["create", "token", "plimsoll", "-n", POLICY_NAMESPACE, "--duration=1h"]).trim().to_owned()
}
