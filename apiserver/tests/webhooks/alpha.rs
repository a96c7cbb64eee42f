//! `admissionregistration.k8s.io/v1alpha1`, Kubernetes 1.7 and 1.8: hooks that can only refuse, asked in reviews of their time.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::engine::{Act, Engine, ok, status};
use super::server::{MAPS, Server, map};

const COLLECTION: &str = "/apis/admissionregistration.k8s.io/v1alpha1/externaladmissionhookconfigurations";

fn says(status: Json) -> Act {
    ok(json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1alpha1", "status": status}))
}

/// A hook behind a Service of its own name, for every write of ConfigMaps.
pub(super) async fn register(server: &Server, name: &str, acts: impl IntoIterator<Item = Act>, members: Json) -> Engine {
    let hook = server.hook_called(&format!("{name}.default.svc"), acts);
    let port: u16 = hook.origin().rsplit_once(':').unwrap().1.parse().unwrap();
    let spec = json!({"type": "ExternalName", "externalName": "localhost", "ports": [{"port": 443, "targetPort": port}]});
    server.post("/api/v1/namespaces/default/services", &json!({"metadata": {"name": name}, "spec": spec})).await.expect(201);
    let ca = server.spec(name, "https://unused", json!({}))["clientConfig"]["caBundle"].clone();
    let mut written = json!({
        "name": format!("{name}.example.com"),
        "clientConfig": {"service": {"namespace": "default", "name": name}, "caBundle": ca},
        "rules": [{"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
    });
    written.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let object = json!({"metadata": {"name": name}, "externalAdmissionHooks": [written]});
    let created = server.post(COLLECTION, &object).await.expect(201).body;
    let policy = members["failurePolicy"].as_str().unwrap_or("Ignore");
    assert_eq!(created["externalAdmissionHooks"][0]["failurePolicy"], policy);
    hook
}

#[actix_web::test]
async fn a_hook_is_asked_without_what_came_later_and_may_refuse() {
    let server = Server::start().await;
    let hook = register(&server, "a", [says(json!({"allowed": true}))], json!({})).await;
    server.post(MAPS, &map("x")).await.expect(201);
    server.ask(Method::PATCH, &format!("{MAPS}/x"), &json!({"data": {"k": "w"}})).await.expect(200);
    let reviews: Vec<Json> = hook.came().iter().map(|came| serde_json::from_str(&came.body).unwrap()).collect();
    let [create, update] = reviews.as_slice() else { panic!("{reviews:?}") };
    assert_eq!((&create["apiVersion"], &create["status"]), (&json!("admission.k8s.io/v1alpha1"), &json!({"allowed": false})));
    let spec = &create["spec"];
    assert_eq!((&spec["operation"], &spec["name"], &spec["oldObject"]), (&json!("CREATE"), &json!("x"), &Json::Null));
    assert_eq!((&spec["resource"]["resource"], &spec["userInfo"]["username"]), (&json!("configmaps"), &json!("admin")));
    assert!(["uid", "dryRun", "options", "requestKind"].iter().all(|later| spec.get(*later).is_none()), "{spec}");
    assert_eq!(update["spec"]["oldObject"]["data"], json!({"k": "v"}));
    assert!(hook.came()[0].head.starts_with("POST /?timeout=30s HTTP/1.1\r\n"), "{}", hook.came()[0].head);
    hook.set([says(json!({"allowed": false, "status": {"message": "no", "reason": "Forbidden", "code": 403}}))]);
    let refused = server.delete(&format!("{MAPS}/x")).await.expect(403);
    assert_eq!(refused.message(), "admission webhook \"a.example.com\" denied the request: no");
    hook.set([says(json!({"allowed": false}))]);
    let refused = server.post(MAPS, &map("y")).await.expect(400);
    assert_eq!(refused.message(), "admission webhook \"a.example.com\" denied the request without explanation");
    server.delete(&format!("{COLLECTION}/a")).await.expect(200);
    server.post(MAPS, &map("y")).await.expect(201);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_failed_call_is_passed_over_unless_the_policy_says_otherwise() {
    let server = Server::start().await;
    for (number, act) in [status(500), Act::Close, ok("hello"), Act::Endless].into_iter().enumerate() {
        let (open, closed) = (format!("open{number}"), format!("closed{number}"));
        let _hook = register(&server, &open, [act.clone()], json!({})).await;
        server.post(MAPS, &map(&open)).await.expect(201);
        let _hook = register(&server, &closed, [act], json!({"failurePolicy": "Fail"})).await;
        let refused = server.post(MAPS, &map(&closed)).await.expect(500);
        let head = format!("Internal error occurred: failed calling admission webhook \"{closed}.example.com\": ");
        assert!(refused.message().starts_with(&head), "{refused:?}");
        for name in [open, closed] {
            server.delete(&format!("{COLLECTION}/{name}")).await.expect(200);
        }
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn a_namespace_may_be_left_alone_and_a_dry_run_is_refused() {
    let server = Server::start().await;
    let selector = json!({"namespaceSelector": {"matchLabels": {"hooks": "yes"}}});
    let hook = register(&server, "a", [says(json!({"allowed": true}))], selector).await;
    server.post(&format!("{MAPS}?dryRun=All"), &map("x")).await.expect(201);
    let label = json!({"metadata": {"labels": {"hooks": "yes"}}});
    server.ask(Method::PATCH, "/api/v1/namespaces/default", &label).await.expect(200);
    let refused = server.post(&format!("{MAPS}?dryRun=All"), &map("x")).await.expect(400);
    assert_eq!(refused.message(), "admission webhook \"a.example.com\" does not support dry run");
    assert!(hook.came().is_empty());
    server.post(MAPS, &map("x")).await.expect(201);
    assert_eq!(hook.came().len(), 1);
    let bad = json!({"metadata": {"name": "b"}, "externalAdmissionHooks": [{"name": "b.com", "clientConfig": {}}]});
    let refused = server.post(COLLECTION, &bad).await.expect(422);
    for part in ["name: Invalid value: \"b.com\"", "clientConfig.caBundle: Required value", "service.name: Required value"] {
        assert!(refused.message().contains(part), "{refused:?}");
    }
    server.running.stop().await;
}
