//! Mutating webhooks: in order, each on what the one before left, perhaps once more.

use serde_json::{Value as Json, json};

use super::engine::Act;
use super::server::{Kind, MAPS, Server, asked, map, patching, review};

fn label(name: &str, value: &str) -> Act {
    patching(json!([{"op": "add", "path": format!("/metadata/labels/{name}"), "value": value}]))
}

#[actix_web::test]
async fn webhooks_change_the_object_in_the_order_of_configurations_and_as_listed() {
    let server = Server::start().await;
    let [first, second, third] = ["1", "2", "3"].map(|value| server.hook([label("last", value)]));
    let spec = |name, hook: &super::engine::Engine| server.spec(name, &hook.origin(), json!({}));
    server.register(Kind::Mutating, "b", &[spec("z", &second), spec("a", &third)]).await;
    server.register(Kind::Mutating, "a", &[spec("m", &first)]).await;
    let created = server.post(MAPS, &map("x")).await.expect(201);
    assert_eq!(created.body["metadata"]["labels"], json!({"app": "x", "last": "3"}));
    let seen: Vec<Json> =
        [&first, &second, &third].map(|hook| asked(hook)[0]["object"]["metadata"]["labels"]["last"].clone()).into();
    assert_eq!(seen, [Json::Null, json!("1"), json!("2")]);
    assert_eq!(server.metric(r#"apiserver_admission_webhook_request_total{code="200",name="m.example.com",operation="CREATE",rejected="false",type="admit"}"#).await, 1);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_patched_object_is_defaulted_and_what_the_server_owns_stays_its_own() {
    let server = Server::start().await;
    let patch = json!([
        {"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "sidecar", "image": "s:1"}},
        {"op": "add", "path": "/spec/unknown", "value": 1},
        {"op": "add", "path": "/metadata/uid", "value": "forged"},
        {"op": "add", "path": "/metadata/creationTimestamp", "value": "2001-01-01T00:00:00Z"},
        {"op": "add", "path": "/status", "value": {"readyReplicas": 7}},
    ]);
    let (hook, last) = (server.hook([patching(patch)]), server.hook([review(json!({}))]));
    let rules = json!([{"operations": ["CREATE"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"]}]);
    let specs = [("a", &hook), ("b", &last)].map(|(name, hook)| server.spec(name, &hook.origin(), json!({"rules": rules})));
    server.register(Kind::Mutating, "c", &specs).await;
    let deployment = json!({"metadata": {"name": "web"}, "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "w:1"}]}},
    }});
    let created = server.post("/apis/apps/v1/namespaces/default/deployments", &deployment).await.expect(201).body;
    let sidecar = &created["spec"]["template"]["spec"]["containers"][1];
    assert_eq!(sidecar["imagePullPolicy"], "IfNotPresent");
    assert_eq!(
        asked(&last)[0]["object"]["spec"]["template"]["spec"]["containers"][1],
        *sidecar,
        "defaulted before the next hook"
    );
    assert!(created["spec"].get("unknown").is_none() && created["status"].get("readyReplicas").is_none(), "{created}");
    assert_ne!(created["metadata"]["uid"], "forged");
    assert!(!created["metadata"]["creationTimestamp"].as_str().unwrap().starts_with("2001"));
    assert!(asked(&hook)[0]["object"]["metadata"].get("uid").is_none(), "a new object has no uid before it is admitted");
    server.running.stop().await;
}

#[actix_web::test]
async fn who_is_willing_is_called_once_more_after_others_changed_the_object() {
    let server = Server::start().await;
    let fighting = [server.hook([label("side", "left")]), server.hook([label("side", "right")])];
    let specs = [("a", &fighting[0]), ("b", &fighting[1])]
        .map(|(name, hook)| server.spec(name, &hook.origin(), json!({"reinvocationPolicy": "IfNeeded"})));
    let never = server.hook([review(json!({}))]);
    let specs = [specs.as_slice(), &[server.spec("c", &never.origin(), json!({}))]].concat();
    server.register(Kind::Mutating, "c", &specs).await;
    let created = server.post(MAPS, &map("x")).await.expect(201);
    assert_eq!(created.body["metadata"]["labels"]["side"], "right", "the last writer wins");
    assert_eq!(fighting.each_ref().map(|hook| hook.came().len()), [2, 2], "never a third time");
    assert_eq!(never.came().len(), 1);
    let uids: std::collections::BTreeSet<String> =
        fighting.iter().flat_map(asked).map(|asked| asked["uid"].to_string()).collect();
    assert_eq!(uids.len(), 4, "each call has a uid of its own");
    server.running.stop().await;
}

#[actix_web::test]
async fn a_webhook_that_did_not_match_at_first_is_not_called_in_the_second_pass() {
    let server = Server::start().await;
    let late = server.hook([review(json!({}))]);
    let early = server.hook([label("late", "yes")]);
    let selector = json!({"objectSelector": {"matchLabels": {"late": "yes"}}, "reinvocationPolicy": "IfNeeded"});
    let specs = [server.spec("a", &late.origin(), selector), server.spec("b", &early.origin(), json!({}))];
    server.register(Kind::Mutating, "c", &specs).await;
    server.post(MAPS, &map("x")).await.expect(201);
    assert_eq!((early.came().len(), late.came().len()), (1, 0));
    server.running.stop().await;
}

#[actix_web::test]
async fn a_webhook_may_name_what_has_no_name_but_not_move_or_change_its_kind() {
    let server = Server::start().await;
    let hook = server.hook([patching(json!([{"op": "add", "path": "/metadata/name", "value": "given"}]))]);
    server.register(Kind::Mutating, "c", &[server.spec("a", &hook.origin(), json!({}))]).await;
    let mut unnamed = map("x");
    unnamed["metadata"] = json!({"generateName": "x-"});
    assert_eq!(server.post(MAPS, &unnamed).await.expect(201).body["metadata"]["name"], "given");
    assert!(asked(&hook)[0].get("name").is_none());
    hook.set([patching(json!([{"op": "add", "path": "/metadata/namespace", "value": "kube-system"}]))]);
    server.post(MAPS, &map("y")).await.expect(400);
    hook.set([patching(json!([{"op": "replace", "path": "/kind", "value": "Secret"}]))]);
    let refused = server.post(MAPS, &map("y")).await.expect(500);
    assert!(refused.message().contains("a.example.com") && refused.message().contains("another kind"), "{refused:?}");
    server.get(&format!("{MAPS}/y")).await.expect(404);
    server.running.stop().await;
}

#[actix_web::test]
async fn an_equivalent_version_is_patched_in_its_own_words() {
    let server = Server::start().await;
    let hook = server.hook([patching(json!([{"op": "add", "path": "/note", "value": "changed"}]))]);
    let rules =
        json!([{"operations": ["CREATE"], "apiGroups": ["events.k8s.io"], "apiVersions": ["v1"], "resources": ["events"]}]);
    server.register(Kind::Mutating, "c", &[server.spec("a", &hook.origin(), json!({"rules": rules}))]).await;
    let event = json!({
        "metadata": {"name": "e"}, "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"}, "message": "said",
        "source": {"component": "c"}, "type": "Normal",
    });
    let created = server.post("/api/v1/namespaces/default/events", &event).await.expect(201).body;
    assert_eq!((&created["apiVersion"], &created["message"]), (&json!("v1"), &json!("changed")));
    let asked = &asked(&hook)[0];
    assert_eq!((&asked["object"]["note"], &asked["kind"]["group"]), (&json!("said"), &json!("events.k8s.io")));
    assert_eq!(asked["requestKind"], json!({"group": "", "version": "v1", "kind": "Event"}));
    server.running.stop().await;
}
