//! `admissionregistration.k8s.io/v1beta1` and reviews of `v1beta1`: the same webhooks with the defaults and the tolerance of
//! their time.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::engine::{Engine, ok};
use super::server::{Kind, MAPS, Server, asked, map};

fn beta(kind: Kind) -> String {
    kind.collection().replace("/v1/", "/v1beta1/")
}

/// As short as v1beta1 lets it be, for new ConfigMaps.
async fn register(server: &Server, kind: Kind, hook: &Engine, members: Json) -> Json {
    let mut spec = server.spec("h", &hook.origin(), json!({}));
    for field in ["sideEffects", "admissionReviewVersions"] {
        spec.as_object_mut().unwrap().remove(field);
    }
    spec.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    server.post(&beta(kind), &json!({"metadata": {"name": "c"}, "webhooks": [spec]})).await.expect(201).body
}

/// Neither uid nor kind: v1beta1 did not check them.
fn allows() -> super::engine::Act {
    ok(json!({"response": {"allowed": true}}))
}

#[actix_web::test]
async fn a_webhook_of_v1beta1_has_its_own_defaults_and_is_a_webhook_of_v1() {
    let server = Server::start().await;
    let hook = server.hook([allows()]);
    for kind in [Kind::Mutating, Kind::Validating] {
        let created = register(&server, kind, &hook, json!({})).await;
        let defaults = json!({
            "failurePolicy": "Ignore", "matchPolicy": "Exact", "sideEffects": "Unknown", "timeoutSeconds": 30,
            "admissionReviewVersions": ["v1beta1"],
        });
        for (field, value) in defaults.as_object().unwrap() {
            assert_eq!(created["webhooks"][0][field], *value, "{field}");
        }
        let path = format!("{}/c", kind.collection());
        let mut same = server.get(&path).await.expect(200).body;
        assert_eq!((&same["apiVersion"], &same["webhooks"]), (&json!("admissionregistration.k8s.io/v1"), &created["webhooks"]));
        same["metadata"]["labels"] = json!({"a": "b"});
        server.ask(Method::PUT, &path, &same).await.expect(200);
        let fresh = json!({"metadata": {"name": "d"}, "webhooks": same["webhooks"]});
        server.post(&kind.collection(), &fresh).await.expect(422);
    }
    server.post(MAPS, &map("x")).await.expect(201);
    assert_eq!(asked(&hook).len(), 2);
    let body: Json = serde_json::from_str(&hook.came()[0].body).unwrap();
    assert_eq!(body["apiVersion"], "admission.k8s.io/v1beta1");
    server.running.stop().await;
}

#[actix_web::test]
async fn a_dry_run_refuses_a_webhook_with_side_effects_that_matches() {
    let server = Server::start().await;
    let hook = server.hook([allows()]);
    for kind in [Kind::Mutating, Kind::Validating] {
        register(&server, kind, &hook, json!({"failurePolicy": "Ignore"})).await;
        let refused = server.post(&format!("{MAPS}?dryRun=All"), &map("x")).await.expect(400);
        assert_eq!(refused.message(), "admission webhook \"h.example.com\" does not support dry run");
        // What does not match does not block.
        let secret = json!({"metadata": {"name": "s"}});
        server.post("/api/v1/namespaces/default/secrets?dryRun=All", &secret).await.expect(201);
        server.unregister(kind, "c").await;
    }
    assert!(hook.came().is_empty());
    let line = r#"apiserver_admission_webhook_rejection_count{error_type="apiserver_internal_error",name="h.example.com",operation="CREATE",rejection_code="0",type="#;
    assert_eq!(server.metric(&format!("{line}\"admit\"}}")).await + server.metric(&format!("{line}\"validating\"}}")).await, 2);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_patch_of_v1beta1_needs_no_type() {
    let server = Server::start().await;
    let patch = "W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEvYWRkZWQiLCJ2YWx1ZSI6InllcyJ9XQ==";
    let hook = server.hook([ok(json!({"response": {"allowed": true, "patch": patch}}))]);
    register(&server, Kind::Mutating, &hook, json!({})).await;
    assert_eq!(server.post(MAPS, &map("x")).await.expect(201).body["data"]["added"], "yes");
    server.running.stop().await;
}
