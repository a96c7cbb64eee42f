//! The hook against real OPA in its v0-compatible mode: the tutorial's policy and clusters, loaded through OPA's own API.
//!
//! OPA is looked for as envtest does, in the directory that `KUBEBUILDER_ASSETS` names (`tests/tools/build` makes it);
//! without it the test says so and ends.

use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_apiserver::admission::scheduling_policy::Protocol;
use serde_json::{Value as Json, json};

use super::hook::{Hook, Setup, annotations, nginx};

const DEADLINE: Duration = Duration::from_secs(30);

/// As the tutorial had it: Rego v0, `input` is the bare object, annotations are strings.
const TUTORIAL: &str = r#"
package kubernetes.placement

import data.kubernetes.clusters

annotations["federation.kubernetes.io/replica-set-preferences"] = preferences {
    input.kind = "ReplicaSet"
    value = {"clusters": cluster_map, "rebalance": true}
    json.marshal(value, preferences)
}

cluster_map[cluster_name] = {"weight": 1} {
    cluster_name = eligible[_]
}

eligible[cluster_name] {
    clusters[cluster_name]
    not insufficient_pci[cluster_name]
}

insufficient_pci[cluster_name] {
    clusters[cluster_name]
    input.metadata.annotations["requires-pci"] = "true"
    not clusters[cluster_name].metadata.annotations["pci-certified"] = "true"
}
"#;

/// What the tutorial left out: nobody certified is an error, and an answer that is no string.
const ERRORS: &str = r#"
package kubernetes.placement

errors["no cluster is certified"] {
    input.metadata.annotations["requires-pci"] = "true"
    count(eligible) = 0
}

annotations["example.com/eligible"] = list {
    list = [name | eligible[name]]
}
"#;

/// A running OPA; ends when dropped.
struct Opa {
    child: Child,
    origin: String,
    client: reqwest::Client,
}

impl Opa {
    async fn start() -> Option<Self> {
        let binary = binary()?;
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut command = Command::new(binary);
        command.args(["run", "--server", "--v0-compatible", "--log-level=error", "--disable-telemetry", "--addr"]);
        let child = command.arg(address.to_string()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut opa = Self { child, origin: format!("http://{address}"), client };
        let start = Instant::now();
        while !opa.is_healthy().await {
            assert!(opa.child.try_wait().unwrap().is_none() && start.elapsed() < DEADLINE, "OPA did not start");
            tokio::task::yield_now().await;
        }
        Some(opa)
    }

    async fn is_healthy(&self) -> bool {
        let answer = self.client.get(format!("{}/health", self.origin)).send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    async fn put(&self, path: &str, body: impl Into<reqwest::Body>) {
        let answer = self.client.put(format!("{}/v1/{path}", self.origin)).body(body).send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {text}");
    }

    async fn certify(&self, certified: &[&str]) {
        let cluster = |name: &str| {
            let is_certified = certified.contains(&name).to_string();
            json!({"metadata": {"name": name, "annotations": {"pci-certified": is_certified}}})
        };
        let clusters = json!({"cluster-name-1": cluster("cluster-name-1"), "cluster-name-2": cluster("cluster-name-2")});
        self.put("data/kubernetes/clusters", clusters.to_string()).await;
    }

    fn hooks(&self) -> [Hook; 2] {
        let mut setup = Setup::new(&self.origin);
        let raw = setup.hook();
        (setup.server, setup.protocol) = (format!("{}/v1/data/kubernetes/placement", self.origin), Protocol::OpaData);
        [raw, setup.hook()]
    }
}

impl Drop for Opa {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn binary() -> Option<PathBuf> {
    let Some(directory) = std::env::var_os("KUBEBUILDER_ASSETS") else {
        let required = std::env::var("PLIMSOLL_E2E").is_ok_and(|value| value == "required");
        assert!(!required, "PLIMSOLL_E2E=required, but KUBEBUILDER_ASSETS is not set");
        // Not by `eprintln!`: the harness would keep that from whoever should know.
        writeln!(std::io::stderr(), "skipped: KUBEBUILDER_ASSETS is not set; `export KUBEBUILDER_ASSETS=$(tests/tools/build)`")
            .unwrap();
        return None;
    };
    Some(PathBuf::from(directory).join("opa"))
}

fn preferences(clusters: &[&str]) -> Json {
    let weights: Json = clusters.iter().map(|name| ((*name).to_owned(), json!({"weight": 1}))).collect();
    json!({"clusters": weights, "rebalance": true})
}

async fn placed(hook: &Hook) -> Json {
    let mut request = nginx();
    hook.admit(&mut request).await.unwrap();
    annotations(&request)
}

#[tokio::test]
async fn the_tutorial_on_real_opa() {
    let Some(opa) = Opa::start().await else { return };
    let hooks = opa.hooks();
    for hook in &hooks {
        let refusal = hook.admit(&mut nginx()).await.unwrap_err();
        assert!(refusal.message.contains("policy decision is undefined"), "T02, before anything is loaded: {refusal}");
        assert_eq!(hook.events().len(), 1);
    }
    opa.put("policies/tutorial", TUTORIAL).await;
    for certified in [&["cluster-name-1"][..], &["cluster-name-1", "cluster-name-2"]] {
        opa.certify(certified).await;
        for hook in &hooks {
            let annotations = placed(hook).await;
            let text = annotations["federation.kubernetes.io/replica-set-preferences"].as_str().unwrap();
            assert_eq!(serde_json::from_str::<Json>(text).unwrap(), preferences(certified));
            assert_eq!(annotations["requires-pci"], json!("true"), "the user's own stay");
        }
    }
    opa.put("policies/errors", ERRORS).await;
    for hook in &hooks {
        let list = placed(hook).await["example.com/eligible"].clone();
        assert_eq!(list, json!(r#"["cluster-name-1","cluster-name-2"]"#), "T16: other JSON is written in canonical form");
    }
    opa.certify(&[]).await;
    for hook in &hooks {
        let refusal = hook.admit(&mut nginx()).await.unwrap_err();
        let message = r#"replicasets.extensions "nginx-pci" is forbidden: reason(s): no cluster is certified"#;
        assert_eq!((refusal.code, refusal.message.as_str()), (403, message));
        let denied = hook.events().into_iter().filter(|event| event["reason"] == "PlacementDenied").count();
        assert_eq!(denied, 1);
    }
    drop(opa);
    for hook in &hooks {
        let refusal = hook.admit(&mut nginx()).await.unwrap_err();
        assert!(refusal.message.contains("did not answer after 5 attempts"), "{refusal}");
    }
}
