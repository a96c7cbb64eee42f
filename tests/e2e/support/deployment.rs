//! Applies `deploy/` as a user would.

use std::path::Path;
use std::process::Command;

use base64::Engine as _;

use super::api_server::POLICY_NAMESPACE;
use super::eventually::eventually;
use super::kubectl::Kubectl;
use super::server::Server;

/// A file or directory of the checkout.
pub(crate) fn checkout(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).to_str().unwrap().to_owned()
}

/// What `deploy/host` and `deploy/federation` both bring first.
pub(crate) fn create_policy_namespace(kubectl: &Kubectl) {
    kubectl.run(&["apply", "-f", &checkout("deploy/federation/namespace.yaml")]);
}

/// The fleet's kind; by its whole name, since the embedded API server has `clusters` of its own.
pub(crate) const FLEET: &str = "clusters.cluster.karmada.io";

/// The kind Cluster, until the API server serves it.
pub(crate) fn create_fleet_kind(kubectl: &Kubectl) {
    create_kind(kubectl, FLEET);
}

/// A CRD of `examples/crds/`, by its name, until the API server serves it.
pub(crate) fn create_kind(kubectl: &Kubectl, name: &str) {
    let (plural, _) = name.split_once('.').unwrap();
    let file = checkout(&format!("examples/crds/{plural}.yaml"));
    kubectl.run(&["apply", "-f", &file]);
    kubectl.run(&["wait", "--for=condition=Established", "--timeout=60s", "-f", &file]);
    // Established comes before discovery and the first answer.
    eventually(&format!("{name} are served"), || kubectl.try_run(&["get", name, "--all-namespaces"]));
}

/// Who the sidecar is, what it may do, and the webhooks, as a user gets them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// `deploy/overlays/e2e` with its placeholders replaced.
    Overlay,
    /// `plimsoll manifests` for a table of kinds of one's own.
    Generated(&'a Path),
}

impl Source<'_> {
    /// Everything: webhooks at `review_url`, trusting the certificates in `ca`.
    pub(crate) fn apply(self, kubectl: &Kubectl, review_url: &str, ca: &Path) {
        kubectl.apply(&self.render(kubectl, review_url, ca).join("\n---\n"));
    }

    /// All but the webhooks; without admission policies and FlowSchemas where there are none.
    pub(crate) fn apply_access(self, kubectl: &Kubectl, ca: &Path, on: Server) {
        let mut documents = self.render(kubectl, "https://127.0.0.1:1", ca);
        documents.retain(|document| !document.contains("WebhookConfiguration"));
        let everywhere = |document: &String| !document.contains("ValidatingAdmissionPolicy") && !document.contains("FlowSchema");
        documents.retain(|document| on == Server::Real || everywhere(document));
        kubectl.apply(&documents.join("\n---\n"));
    }

    fn render(self, kubectl: &Kubectl, review_url: &str, ca: &Path) -> Vec<String> {
        let text = match self {
            Self::Overlay => {
                let encoded = base64::engine::general_purpose::STANDARD.encode(std::fs::read(ca).unwrap());
                let text = kubectl.run(&["kustomize", &checkout("deploy/overlays/e2e")]);
                text.replace("https://127.0.0.1:8443", review_url).replace("UExBQ0VIT0xERVI=", &encoded)
            }
            Self::Generated(config) => {
                kubectl.run(&["apply", "-f", &checkout("deploy/federation/service-account.yaml")]);
                let (config, ca) = (config.to_str().unwrap(), ca.to_str().unwrap());
                plimsoll_manifests(&["--config", config, "--review-url", review_url, "--review-ca-file", ca])
            }
        };
        text.split("\n---\n").map(str::to_owned).collect()
    }
}

/// What `plimsoll manifests` prints.
pub(crate) fn plimsoll_manifests(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).arg("manifests").args(arguments).output().unwrap();
    assert!(output.status.success(), "plimsoll manifests: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A token of the sidecar's ServiceAccount, as `kubectl create token` gives it.
pub(crate) fn sidecar_token(kubectl: &Kubectl) -> String {
    kubectl.run(&["create", "token", "plimsoll", "-n", POLICY_NAMESPACE, "--duration=1h"]).trim().to_owned()
}
