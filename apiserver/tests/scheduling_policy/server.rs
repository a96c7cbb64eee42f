//! The hook inside the whole server: what is refused is not stored, what is exempt never waits, and the Event is there.

use std::path::Path;

use plimsoll_apiserver::run::{Options, Running, start};
use reqwest::{Certificate, Identity, Method};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::engine::{Act, Engine, nobody, ok, status};
use super::faults::table;
use super::hook::PATH;

const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";
const EVENTS: &str = "/api/v1/namespaces/default/events";
const POLICIES: &str = "/api/v1/namespaces/kube-federation-scheduling-policy/configmaps";

/// A server whose hook asks one engine.
struct Server {
    running: Running,
    client: reqwest::Client,
    _folder: TempDir,
}

/// An answer, read whole.
#[derive(Debug)]
struct Answer {
    status: u16,
    warning: String,
    body: Json,
}

impl Server {
    async fn start(origin: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let admission = Some(configure(folder.path(), origin));
        let running = start(Options { admission, ..Options::default() }).await.unwrap();
        let admin = running.client("admin", &["system:masters"]).unwrap();
        let identity = Identity::from_pem(format!("{}\n{}", admin.key, admin.certificate).as_bytes()).unwrap();
        let root = Certificate::from_pem(running.ca().as_bytes()).unwrap();
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([root]).identity(identity).build().unwrap();
        Self { running, client, _folder: folder }
    }

    async fn ask(&self, method: Method, path: &str, body: &Json) -> Answer {
        let kind = if method == Method::PATCH { "application/merge-patch+json" } else { "application/json" };
        let request = self.client.request(method, format!("{}{path}", self.running.url())).header("content-type", kind);
        let request = if body.is_null() { request } else { request.body(body.to_string()) };
        let answer = request.send().await.unwrap();
        let warning = answer.headers().get("warning").map_or("", |value| value.to_str().unwrap()).to_owned();
        Answer { status: answer.status().as_u16(), warning, body: answer.json().await.unwrap() }
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, &Json::Null).await
    }

    async fn create(&self, path: &str, body: &Json) -> Answer {
        self.ask(Method::POST, path, body).await
    }
}

/// The files of the tutorial; the path of the first.
fn configure(folder: &Path, origin: &str) -> std::path::PathBuf {
    let kubeconfig = json!({
        "clusters": [{"name": "opa-api", "cluster": {"server": format!("{origin}{PATH}")}}],
        "users": [{"name": "scheduling-policy", "user": {"token": "deadbeefsecret"}}],
        "contexts": [{"name": "default", "context": {"cluster": "opa-api", "user": "scheduling-policy"}}],
        "current-context": "default",
    });
    let plugins = "plugins:\n- name: SchedulingPolicy\n  path: scheduling-policy-config.yml\n";
    let config = format!("apiVersion: apiserver.k8s.io/v1alpha1\nkind: AdmissionConfiguration\n{plugins}");
    std::fs::write(folder.join("opa-kubeconfig"), kubeconfig.to_string()).unwrap();
    std::fs::write(folder.join("scheduling-policy-config.yml"), "kubeconfig: opa-kubeconfig\nretryBackoff: 1\n").unwrap();
    std::fs::write(folder.join("config.yml"), config).unwrap();
    folder.join("config.yml")
}

fn replica_set(name: &str) -> Json {
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name},
        "spec": {
            "replicas": 3, "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "nginx", "image": "nginx"}]},
            },
        },
    })
}

fn map(name: &str, text: &str) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"policy.rego": text}})
}

/// The table of faults again. (A slow engine is cut off by the request's own deadline, here given by the client.)
#[actix_web::test]
async fn t14_what_no_engine_decided_is_refused_not_stored_and_told() {
    let engine = Engine::start([ok("{}")]);
    let server = Server::start(&engine.origin()).await;
    for (number, row) in table().into_iter().enumerate() {
        let Some(acts) = row.acts else { continue };
        engine.set(acts);
        let name = format!("web-{number}");
        let refused = server.create(&format!("{SETS}?timeout=2s"), &replica_set(&name)).await;
        let message = refused.body["message"].as_str().unwrap();
        assert_eq!((refused.status, &refused.body["reason"]), (403, &json!("Forbidden")), "{}: {refused:?}", row.name);
        let head = format!(r#"replicasets.apps "{name}" is forbidden: SchedulingPolicy: engine "#);
        assert!(message.starts_with(&head) && message.contains(row.advises), "{}: {message}", row.name);
        assert_eq!(server.get(&format!("{SETS}/{name}")).await.status, 404, "{}", row.name);
        let events = server.get(&format!("{EVENTS}?fieldSelector=involvedObject.name={name}")).await;
        let [event] = events.body["items"].as_array().unwrap().as_slice() else { panic!("{}: {events:?}", row.name) };
        assert_eq!((&event["type"], &event["source"]["component"]), (&json!("Warning"), &json!("schedulingpolicy")));
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn t02_t03_an_engine_that_is_away_stops_new_workloads_and_nothing_else() {
    let engine = Engine::start([ok(json!({"annotations": {"example.com/placed": "yes"}}))]);
    let server = Server::start(&engine.origin()).await;
    let stored = server.create(SETS, &replica_set("web")).await;
    assert_eq!((stored.status, &stored.body["metadata"]["annotations"]["example.com/placed"]), (201, &json!("yes")));
    engine.set([Act::Reset]);
    let before = engine.came().len();
    let namespace = json!({"metadata": {"name": "kube-federation-scheduling-policy"}});
    assert_eq!(server.create("/api/v1/namespaces", &namespace).await.status, 201);
    assert_eq!(server.create("/api/v1/namespaces/default/configmaps", &map("a", "x")).await.status, 201);
    let lease = json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}});
    assert_eq!(server.create("/apis/coordination.k8s.io/v1/namespaces/default/leases", &lease).await.status, 201);
    let finalizer = json!({"metadata": {"finalizers": ["example.com/f"]}});
    assert_eq!(server.ask(Method::PATCH, &format!("{SETS}/web"), &finalizer).await.status, 200);
    let status = json!({"status": {"replicas": 1}});
    assert_eq!(server.ask(Method::PATCH, &format!("{SETS}/web/status"), &status).await.status, 200);
    assert_eq!(engine.came().len(), before, "nobody asked");
    let scaled = json!({"spec": {"replicas": 9}});
    assert_eq!(server.ask(Method::PATCH, &format!("{SETS}/web"), &scaled).await.status, 403);
    assert_eq!(server.get(&format!("{SETS}/web")).await.body["spec"]["replicas"], json!(3), "nothing is stored");
    let dry = server.create(&format!("{SETS}?dryRun=All"), &replica_set("dry")).await;
    assert_eq!(dry.status, 403);
    let events = server.get(&format!("{EVENTS}?fieldSelector=involvedObject.name=dry")).await;
    assert_eq!(events.body["items"], json!([]));
    let before = engine.came().len();
    assert_eq!(server.ask(Method::DELETE, &format!("{SETS}/web"), &Json::Null).await.status, 200);
    let unlocked = json!({"metadata": {"finalizers": null, "labels": {"a": "b"}}});
    assert_eq!(server.ask(Method::PATCH, &format!("{SETS}/web"), &unlocked).await.status, 200, "it can go");
    assert_eq!((server.get(&format!("{SETS}/web")).await.status, engine.came().len()), (404, before));
    server.running.stop().await;
}

#[actix_web::test]
async fn one_object_sent_in_two_versions_is_asked_about_in_each() {
    let engine = Engine::start([ok(json!({"annotations": {"example.com/placed": "yes"}, "warnings": ["mind the gap"]}))]);
    let server = Server::start(&engine.origin()).await;
    let mut old = replica_set("old");
    old["apiVersion"] = "extensions/v1beta1".into();
    let created = server.create("/apis/extensions/v1beta1/namespaces/default/replicasets", &old).await;
    assert_eq!(created.status, 201, "{created:?}");
    assert!(created.warning.contains("mind the gap"), "{created:?}");
    server.create(SETS, &replica_set("new")).await;
    let sent: Vec<Json> = engine.came().iter().map(|came| serde_json::from_str(&came.body).unwrap()).collect();
    let versions: Vec<&Json> = sent.iter().map(|object| &object["apiVersion"]).collect();
    assert_eq!(versions, [&json!("extensions/v1beta1"), &json!("apps/v1")]);
    assert!(sent.iter().all(|object| object["kind"] == "ReplicaSet" && object["metadata"]["namespace"] == "default"), "{sent:?}");
    server.running.stop().await;
}

#[actix_web::test]
async fn a_policy_that_does_not_compile_is_not_stored_unless_nobody_can_tell() {
    let error = json!({
        "code": "rego_parse_error", "message": "unexpected {",
        "location": {"file": "kube-federation-scheduling-policy/p/policy.rego", "row": 2, "col": 1},
    });
    let rejected = json!({"code": "invalid_parameter", "message": "error(s)", "errors": [error]});
    let engine = Engine::start([Act::Reply(400, "", rejected.to_string())]);
    let server = Server::start(&engine.origin()).await;
    server.create("/api/v1/namespaces", &json!({"metadata": {"name": "kube-federation-scheduling-policy"}})).await;
    let refused = server.create(POLICIES, &map("p", "package p\n{")).await;
    let message = refused.body["message"].as_str().unwrap();
    assert!(refused.status == 403 && message.contains("policy.rego:2:1: rego_parse_error: unexpected {"), "{refused:?}");
    assert_eq!(refused.body["details"]["causes"][0]["field"], json!("data[policy.rego]"));
    assert_eq!(server.get(&format!("{POLICIES}/p")).await.status, 404);
    engine.set([status(503)]);
    let stored = server.create(POLICIES, &map("p", "package p\n{")).await;
    assert!(stored.status == 201 && stored.warning.contains("stored unchecked"), "{stored:?}");
    server.running.stop().await;
}

#[actix_web::test]
async fn t14_refused_connections_deny() {
    let server = Server::start(&nobody()).await;
    let refused = server.create(SETS, &replica_set("web")).await;
    let message = refused.body["message"].as_str().unwrap();
    assert!(refused.status == 403 && message.contains("did not answer after 5 attempts: cannot connect"), "{message}");
    server.running.stop().await;
}
