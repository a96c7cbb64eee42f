//! Which requests meet a webhook: dry runs, exempt kinds, Services, timeouts.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::server::{Kind, MAPS, Server, asked, map, review};

#[actix_web::test]
async fn a_dry_run_calls_only_what_has_no_side_effects() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({}))]);
    server.register(Kind::Validating, "c", &[server.spec("v", &hook.origin(), json!({}))]).await;
    let path = format!("{MAPS}?dryRun=All");
    server.post(&path, &map("x")).await.expect(201);
    assert_eq!((&asked(&hook)[0]["dryRun"], &asked(&hook)[0]["options"]["dryRun"]), (&json!(true), &json!(["All"])));
    server.get(&format!("{MAPS}/x")).await.expect(404);
    // Through v1 nothing with side effects is stored; see `beta` for what is.
    let path = format!("{}/c", Kind::Validating.collection());
    let mut harmful = server.get(&path).await.expect(200).body;
    harmful["webhooks"][0]["sideEffects"] = "Some".into();
    let refused = server.ask(Method::PUT, &path, &harmful).await.expect(422);
    assert!(refused.message().contains("sideEffects: Unsupported value"), "{refused:?}");
    server.running.stop().await;
}

#[actix_web::test]
async fn no_webhook_sees_webhook_configurations_so_each_can_be_taken_away() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({"allowed": false}))]);
    let everything = json!({"rules": [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}]});
    for kind in [Kind::Mutating, Kind::Validating] {
        server.register(kind, "all", &[server.spec("all", &hook.origin(), everything.clone())]).await;
    }
    server.post(MAPS, &map("x")).await.expect(400);
    let before = hook.came().len();
    for kind in [Kind::Mutating, Kind::Validating] {
        let path = format!("{}/all", kind.collection());
        server.ask(Method::PATCH, &path, &json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
        server.unregister(kind, "all").await;
    }
    assert_eq!(hook.came().len(), before);
    server.post(MAPS, &map("x")).await.expect(201);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_service_leads_to_its_webhook_under_its_own_name() {
    let server = Server::start().await;
    let hook = server.hook_called("hook.default.svc", [review(json!({}))]);
    let port: u16 = hook.origin().rsplit_once(':').unwrap().1.parse().unwrap();
    let mut spec = server.spec("v", "https://unused", json!({}));
    let reference = json!({"namespace": "default", "name": "hook", "port": port, "path": "/check"});
    spec["clientConfig"].as_object_mut().unwrap().remove("url");
    spec["clientConfig"]["service"] = reference;
    server.register(Kind::Validating, "c", &[spec]).await;
    let refused = server.post(MAPS, &map("x")).await.expect(500);
    assert!(refused.message().contains("service \"hook\" not found"), "{refused:?}");
    let service = json!({"metadata": {"name": "hook"}, "spec": {"type": "ExternalName", "externalName": "localhost"}});
    server.post("/api/v1/namespaces/default/services", &service).await.expect(201);
    server.post(MAPS, &map("x")).await.expect(201);
    let head = &hook.came()[0].head;
    assert!(head.starts_with("POST /check?timeout=10s HTTP/1.1\r\n"), "{head}");
    assert!(head.to_lowercase().contains(&format!("host: hook.default.svc:{port}\r\n")), "{head}");
    assert!(head.to_lowercase().contains("user-agent: kube-apiserver-admission\r\n"), "{head}");
    server.running.stop().await;
}

#[actix_web::test]
async fn a_webhook_is_told_how_much_time_it_has() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({}))]);
    let specs = [20, 5].map(|seconds| server.spec(&format!("s{seconds}"), &hook.origin(), json!({"timeoutSeconds": seconds})));
    server.register(Kind::Mutating, "c", &specs).await;
    server.post(&format!("{MAPS}?timeout=10s"), &map("x")).await.expect(201);
    let told: Vec<String> = hook.came().iter().map(|came| came.head.lines().next().unwrap_or_default().to_owned()).collect();
    assert_eq!(told, ["POST /?timeout=10s HTTP/1.1", "POST /?timeout=5s HTTP/1.1"]);
    server.running.stop().await;
}

#[actix_web::test]
async fn calls_at_once_have_connections_of_their_own_which_are_used_again() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({}))]);
    server.register(Kind::Validating, "c", &[server.spec("v", &hook.origin(), json!({}))]).await;
    for number in 0..20 {
        server.post(MAPS, &map(&format!("m{number}"))).await.expect(201);
    }
    assert_eq!((hook.came().len(), hook.connections()), (20, 1));
    server.running.stop().await;
}

#[actix_web::test]
async fn configurations_are_defaulted_and_listed_like_everything_else() {
    let server = Server::start().await;
    server.register(Kind::Mutating, "c", &[server.spec("a", "https://localhost", json!({}))]).await;
    let stored = server.get(&format!("{}/c", Kind::Mutating.collection())).await.expect(200).body;
    let hook = &stored["webhooks"][0];
    let defaults = json!({
        "failurePolicy": "Fail", "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {},
        "reinvocationPolicy": "Never", "timeoutSeconds": 10,
    });
    for (field, value) in defaults.as_object().unwrap() {
        assert_eq!(hook[field], *value, "{field}");
    }
    assert_eq!((&hook["rules"][0]["scope"], &stored["metadata"]["generation"]), (&json!("*"), &json!(1)));
    let changed = json!({"webhooks": Json::Array(vec![server.spec("b", "https://localhost", json!({}))])});
    let changed = server.ask(Method::PATCH, &format!("{}/c", Kind::Mutating.collection()), &changed).await.expect(200);
    assert_eq!(changed.body["metadata"]["generation"], 2);
    server.running.stop().await;
}

/// Labels of a namespace say which webhooks its objects meet; who only administers what is inside may not write them.
#[actix_web::test]
async fn who_administers_a_namespace_cannot_take_it_out_of_a_webhooks_reach() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({"allowed": false}))]);
    let reach = json!({"namespaceSelector": {"matchExpressions": [{"key": "exempt", "operator": "DoesNotExist"}]}});
    server.register(Kind::Validating, "c", &[server.spec("v", &hook.origin(), reach)]).await;
    let binding = json!({
        "metadata": {"name": "dev"}, "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "dev"}],
        "roleRef": {"kind": "ClusterRole", "apiGroup": "rbac.authorization.k8s.io", "name": "admin"},
    });
    server.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", &binding).await.expect(201);
    let secret = json!({"metadata": {"name": "s"}});
    server.ask_as("dev", Method::POST, "/api/v1/namespaces/default/secrets", &secret).await.expect(201);
    server.ask_as("dev", Method::POST, MAPS, &map("x")).await.expect(400);
    let label = json!({"metadata": {"labels": {"exempt": "yes"}}});
    for path in ["/api/v1/namespaces/default", "/api/v1/namespaces/default/status", "/api/v1/namespaces/default/finalize"] {
        let method = if path.ends_with("finalize") { Method::PUT } else { Method::PATCH };
        server.ask_as("dev", method, path, &label).await.expect(403);
    }
    let (own, path) = (json!({"webhooks": []}), format!("{}/c", Kind::Validating.collection()));
    server.ask_as("dev", Method::PATCH, &path, &own).await.expect(403);
    server.ask(Method::PATCH, "/api/v1/namespaces/default", &label).await.expect(200);
    server.ask_as("dev", Method::POST, MAPS, &map("x")).await.expect(201);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_selector_that_selects_nothing_calls_nobody() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({"allowed": false}))]);
    let nothing = json!([
        {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}, {"key": "a", "operator": "DoesNotExist"}]}},
        {"namespaceSelector": {"matchLabels": {"nobody": "has-this"}}},
        {"rules": []},
    ]);
    for (number, members) in nothing.as_array().unwrap().iter().enumerate() {
        server.register(Kind::Validating, &format!("c{number}"), &[server.spec("v", &hook.origin(), members.clone())]).await;
    }
    server.post(MAPS, &map("x")).await.expect(201);
    assert!(hook.came().is_empty());
    server.running.stop().await;
}
