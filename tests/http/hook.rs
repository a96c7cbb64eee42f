//! The engine as the embedded API server's scheduling-policy hook asks it: unarmed, armed, denying, compiling, away.

use std::path::{Path, PathBuf};

use plimsoll_apiserver::run::{Options, Running, start};
use reqwest::{Certificate, Client, Identity, Method};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::support::{Answer, Engine, bare, client};

const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";
const POLICIES: &str = "/api/v1/namespaces/kube-federation-scheduling-policy/configmaps";
const PREFERENCES: &str = "federation.kubernetes.io/replica-set-preferences";

/// As the tutorial had it, in Rego v0, with an error where nobody is certified.
const TUTORIAL: &str = r#"
package kubernetes.placement

import data.kubernetes.clusters

annotations["federation.kubernetes.io/replica-set-preferences"] = preferences {
    input.kind = "ReplicaSet"
    count(eligible) > 0
    value = {"clusters": {name: {"weight": 1} | eligible[name]}, "rebalance": true}
    json.marshal(value, preferences)
}

errors["no cluster is certified"] {
    count(eligible) = 0
}

eligible[name] {
    clusters[name]
    not insufficient_pci[name]
}

insufficient_pci[name] {
    clusters[name]
    input.metadata.annotations["requires-pci"] = "true"
    not clusters[name].metadata.annotations["pci-certified"] = "true"
}
"#;

/// An API server whose hook asks one engine.
struct Server {
    running: Running,
    client: Client,
    _folder: TempDir,
}

impl Server {
    async fn start(engine: &Engine) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Installs the crypto provider, too.
        let builder = client().no_proxy();
        let admission = Some(configure(folder.path(), &engine.api));
        let running = start(Options { admission, ..Options::default() }).await.unwrap();
        let admin = running.client("admin", &["system:masters"]).unwrap();
        let identity = Identity::from_pem(format!("{}\n{}", admin.key, admin.certificate).as_bytes()).unwrap();
        let root = Certificate::from_pem(running.ca().as_bytes()).unwrap();
        Self { running, client: builder.tls_certs_only([root]).identity(identity).build().unwrap(), _folder: folder }
    }

    async fn create(&self, path: &str, body: &Json) -> Answer {
        self.send(Method::POST, path, "application/json", body).await
    }

    async fn patch(&self, path: &str, body: &Json) -> Answer {
        self.send(Method::PATCH, path, "application/merge-patch+json", body).await
    }

    async fn send(&self, method: Method, path: &str, kind: &str, body: &Json) -> Answer {
        let request = self.client.request(method, format!("{}{path}", self.running.url()));
        Answer::of(request.header("content-type", kind).body(body.to_string()).send().await.unwrap()).await
    }
}

fn configure(folder: &Path, engine: &str) -> PathBuf {
    let kubeconfig = json!({
        "clusters": [{"name": "engine", "cluster": {"server": format!("{engine}/v0/data/kubernetes/placement")}}],
        "contexts": [{"name": "default", "context": {"cluster": "engine"}}],
    });
    let config = json!({
        "apiVersion": "apiserver.k8s.io/v1alpha1", "kind": "AdmissionConfiguration",
        "plugins": [{"name": "SchedulingPolicy", "configuration": {"kubeconfig": "engine.kubeconfig", "retryBackoff": 1}}],
    });
    std::fs::write(folder.join("engine.kubeconfig"), kubeconfig.to_string()).unwrap();
    std::fs::write(folder.join("config.yml"), config.to_string()).unwrap();
    folder.join("config.yml")
}

fn replica_set(name: &str, requires_pci: bool) -> Json {
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": name, "annotations": {"requires-pci": requires_pci.to_string()}},
        "spec": {
            "replicas": 3, "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "nginx", "image": "nginx"}]},
            },
        },
    })
}

async fn what_is_deleted_stays_where_it_is(server: &Server) {
    let mut guarded = replica_set("guarded", true);
    guarded["metadata"]["finalizers"] = json!(["example.com/guard"]);
    let stored = placed(&server.create(SETS, &guarded).await);
    let path = format!("{SETS}/guarded");
    server.send(Method::DELETE, &path, "application/json", &json!({})).await;
    for change in [json!({PREFERENCES: r#"{"clusters":{"mine":{}}}"#}), json!({PREFERENCES: null, "plimsoll.io/applied": null})] {
        let changed = server.patch(&path, &json!({"metadata": {"annotations": change}})).await;
        assert_eq!(placed(&changed), stored);
    }
    let freed = server.patch(&path, &json!({"metadata": {"finalizers": null, "annotations": null}})).await;
    assert_eq!(freed.status, 200, "{freed:?}");
}

fn policy_map(name: &str, text: &str) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"policy.rego": text}})
}

async fn certify(engine: &Engine, certified: &[&str]) {
    let cluster = |name: &str| json!({"metadata": {"annotations": {"pci-certified": certified.contains(&name).to_string()}}});
    engine.put_data("kubernetes/clusters", &json!({"east": cluster("east"), "west": cluster("west")})).await;
}

fn placed(answer: &Answer) -> Json {
    assert!(matches!(answer.status, 200 | 201), "{answer:?}");
    let annotations = answer.json()["metadata"]["annotations"].clone();
    annotations[PREFERENCES].as_str().map_or(Json::Null, |text| serde_json::from_str(text).unwrap())
}

fn preferences(clusters: &[&str]) -> Json {
    let weights: Json = clusters.iter().map(|name| ((*name).to_owned(), json!({"weight": 1}))).collect();
    json!({"clusters": weights, "rebalance": true})
}

#[actix_web::test]
async fn t01_the_tutorial_through_the_hook() {
    let engine = bare(&[]);
    let server = Server::start(&engine).await;
    let before = server.create(SETS, &replica_set("before", true)).await;
    assert_eq!(placed(&before), Json::Null, "unarmed: admitted untouched");
    let modules = json!({"modules": {"policy.rego": TUTORIAL}}).to_string();
    assert_eq!(engine.ask("PUT", "/plimsoll/v1/policies/tutorial", modules).await.status, 200);
    certify(&engine, &["west"]).await;
    assert_eq!(placed(&server.create(SETS, &replica_set("pci", true)).await), preferences(&["west"]));
    assert_eq!(placed(&server.create(SETS, &replica_set("any", false)).await), preferences(&["east", "west"]));
    let relaxed = json!({"metadata": {"annotations": {"requires-pci": "false"}}});
    assert_eq!(placed(&server.patch(&format!("{SETS}/pci"), &relaxed).await), preferences(&["east", "west"]), "T05: widened");
    what_is_deleted_stays_where_it_is(&server).await;
    certify(&engine, &[]).await;
    let denied = server.create(SETS, &replica_set("denied", true)).await;
    let message = denied.json()["message"].clone();
    assert_eq!(
        (denied.status, message),
        (403, json!(r#"replicasets.apps "denied" is forbidden: reason(s): no cluster is certified"#))
    );
    drop(engine);
    let away = server.create(SETS, &replica_set("away", false)).await;
    assert!(away.status == 403 && away.text.contains("did not answer after 5 attempts"), "{away:?}");
    let events = "/api/v1/namespaces/default/events?fieldSelector=reason=";
    for reason in ["PlacementDenied", "PlacementFailed"] {
        let told = server.send(Method::GET, &format!("{events}{reason}"), "application/json", &Json::Null).await;
        assert_eq!(told.json()["items"].as_array().map(Vec::len), Some(1), "{told:?}");
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn a_policy_config_map_is_compiled_by_the_engine_before_it_is_stored() {
    let engine = bare(&[]);
    let server = Server::start(&engine).await;
    server.create("/api/v1/namespaces", &json!({"metadata": {"name": "kube-federation-scheduling-policy"}})).await;
    let broken = server.create(POLICIES, &policy_map("p", "package kubernetes.placement\n\nerrors contains x if true\n")).await;
    let place = "kube-federation-scheduling-policy/p/policy.rego:3:";
    assert!(broken.status == 403 && broken.text.contains(place) && broken.text.contains("unsafe"), "{broken:?}");
    let good = server.create(POLICIES, &policy_map("p", TUTORIAL)).await;
    assert!(good.status == 201 && good.header("warning").is_empty(), "{good:?}");
    let clash = server.create(POLICIES, &policy_map("q", "package kubernetes.placement\n\nerrors := 1\n")).await;
    assert_eq!(clash.status, 403, "each compiles, both do not: {clash:?}");
    // As the sidecar would have sent it: the set in force is replaced by the one that is checked, not joined.
    let key = "kube-federation-scheduling-policy/p/policy.rego";
    let in_force = json!({"modules": {key: TUTORIAL}}).to_string();
    assert_eq!(engine.ask("PUT", "/plimsoll/v1/policies/kubernetes", in_force).await.status, 200);
    let edited = json!({"data": {"policy.rego": format!("{TUTORIAL}\ndefault other = 1\n")}});
    assert_eq!(server.patch(&format!("{POLICIES}/p"), &edited).await.status, 200);
    let dry = server.create(&format!("{POLICIES}?dryRun=All"), &policy_map("q", "package q\n{")).await;
    assert_eq!(dry.status, 403, "{dry:?}");
    drop(engine);
    let unchecked = server.create(POLICIES, &policy_map("q", "package q\n{")).await;
    assert!(unchecked.status == 201 && unchecked.header("warning").contains("stored unchecked"), "{unchecked:?}");
    server.running.stop().await;
}
