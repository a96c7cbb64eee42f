//! What the API server itself enforces: the generated admission policies, tried by every kind of writer on every way in.

mod client_cert;
mod sidecar;
mod table;
mod verdict;
mod ways;

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::support::api::{Answer, Api, Request};
use super::support::api_server::POLICY_NAMESPACE;
use super::support::deployment::{self, plimsoll_manifests};
use super::support::eventually::eventually;
use super::support::fixtures::{HOLD, JOB_PLACEMENT, PREFERENCES, annotated, replica_set, unique};
use super::support::kubectl::Kubectl;
use super::support::pool::{self, Lent};

/// An operator's controller, named by `--controllers`.
const ROLLOUTS: &str = "system:serviceaccount:argo-rollouts:argo-rollouts";
/// An annotation key that policies may write, named by `--annotation-keys`.
const TEAM: &str = "example.com/team";

const MERGE: &str = "application/merge-patch+json";

/// An API server with the policies in force, no webhook, and a namespace in which everybody has every usual right.
#[derive(Debug)]
struct Guards {
    kubectl: Kubectl,
    /// Anybody, by impersonation.
    api: Api,
    /// The sidecar, by its token.
    sidecar: Api,
    namespace: String,
    directory: tempfile::TempDir,
    _server: Lent,
}

impl Guards {
    /// `None`: skipped.
    fn start(writers: &[&str], options: &[&str]) -> Option<Self> {
        let server = pool::api_server()?;
        let kubectl = server.admin();
        deployment::create_policy_namespace(&kubectl);
        kubectl.run(&["apply", "-f", &deployment::checkout("deploy/federation/service-account.yaml")]);
        deployment::create_kind(&kubectl, "federatedjobs.batch.example.io");
        let namespace = unique("guarded");
        kubectl.run(&["create", "namespace", &namespace]);
        let sidecar = server.api_as(&deployment::sidecar_token(&kubectl));
        let directory = tempfile::tempdir().unwrap();
        let guards = Self { api: server.api(), kubectl, sidecar, namespace, directory, _server: server };
        for namespace in [&guards.namespace, "kube-public"] {
            guards.kubectl.apply(&every_right(namespace, writers).to_string());
        }
        guards.apply(options);
        guards.await_force();
        Some(guards)
    }

    /// Access rules and policies, generated; once more to change them.
    fn apply(&self, options: &[&str]) {
        let config = self.directory.path().join("sync.yaml");
        let kinds = format!(
            "kinds:\n- {{gvr: apps/v1/replicasets, place: true}}\n- {{gvr: apps/v1/deployments, place: true}}\n\
             - {{gvr: batch.example.io/v1/federatedjobs, place: true, target: {JOB_PLACEMENT}}}\n"
        );
        std::fs::write(&config, kinds).unwrap();
        let config = format!("--config={}", config.display());
        let text = plimsoll_manifests(&[&[config.as_str()], options].concat());
        let documents = text.split("---\n").filter(|document| !document.contains("WebhookConfiguration"));
        self.kubectl.apply(&documents.collect::<Vec<_>>().join("---\n"));
    }

    /// A policy takes effect some seconds after it is stored: until each one denies.
    fn await_force(&self) {
        let probe = replica_set("probe");
        self.kubectl.try_run_with(&["create", "-n", &self.namespace, "-f", "-"], &probe.to_string()).unwrap();
        let patch = |below: &str, body: Json| self.patch("replicasets", &format!("probe{below}"), body);
        let metadata = |field: &str, key: &str| json!({"metadata": {field: {key: "true"}}});
        let denied = |policy: &str, answer: Answer| if answer.denied_by(&[policy]) { Ok(()) } else { Err(answer) };
        eventually("all policies are in force", || {
            denied("plimsoll-hold", self.api.call_as("nobody", &patch("", metadata("annotations", HOLD))))?;
            denied("plimsoll-subresources", self.api.call(&patch("/status", metadata("annotations", PREFERENCES))))?;
            denied("plimsoll-sidecar", self.sidecar.call(&patch("", metadata("labels", "a"))))
        });
    }

    /// Where objects of a kind are.
    fn path(&self, resource: &str, name: &str, query: &str) -> String {
        self.path_in(&self.namespace, resource, name, query)
    }

    fn path_in(&self, namespace: &str, resource: &str, name: &str, query: &str) -> String {
        let version = if resource == "federatedjobs" { "batch.example.io/v1" } else { "apps/v1" };
        let name = if name.is_empty() { String::new() } else { format!("/{name}") };
        format!("/apis/{version}/namespaces/{namespace}/{resource}{name}?{query}")
    }

    /// A merge patch that leaves nothing behind.
    fn patch(&self, resource: &str, name: &str, body: Json) -> Request {
        let path = self.path(resource, name, "dryRun=All");
        Request { method: Method::PATCH, path, content_type: MERGE, body }
    }

    fn get(&self, resource: &str, name: &str) -> Json {
        let path = self.path(resource, name, "");
        let answer = self.api.call(&Request { method: Method::GET, path, content_type: "", body: Json::Null });
        assert!(answer.accepted(), "{answer:?}");
        answer.body
    }
}

/// Every verb on everything that is placed, but `hold`: what is refused then, a policy refuses.
fn every_right(namespace: &str, writers: &[&str]) -> Json {
    let resources: Vec<String> = ["replicasets", "deployments", "federatedjobs"]
        .iter()
        .flat_map(|resource| ["", "/status", "/scale"].map(|below| format!("{resource}{below}")))
        .collect();
    let verbs = ["get", "list", "create", "update", "patch", "delete"];
    let users = writers.iter().chain(&["nobody"]).map(|user| json!({"kind": "User", "name": user}));
    let sidecar = json!({"kind": "ServiceAccount", "name": "plimsoll", "namespace": POLICY_NAMESPACE});
    let metadata = json!({"name": "every-right", "namespace": namespace});
    let version = "rbac.authorization.k8s.io/v1";
    json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": version, "kind": "Role", "metadata": metadata,
         "rules": [{"apiGroups": ["apps", "batch.example.io"], "resources": resources, "verbs": verbs}]},
        {"apiVersion": version, "kind": "RoleBinding", "metadata": metadata,
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "every-right"},
         "subjects": users.chain([sidecar]).collect::<Vec<_>>()},
    ]})
}
