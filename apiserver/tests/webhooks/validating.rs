//! Validating webhooks: all at once, on the object as it will be stored.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::engine::Act;
use super::server::{Kind, MAPS, Server, asked, map, patching, review};

#[actix_web::test]
async fn a_validating_webhook_sees_the_final_object_and_its_word_counts() {
    let server = Server::start().await;
    let mutating = server.hook([patching(json!([{"op": "add", "path": "/data/added", "value": "yes"}]))]);
    let verdict = json!({"allowed": false, "status": {"code": 403, "reason": "NoGreenEggs", "message": "not here"}});
    let validating = server.hook([review(verdict)]);
    server.register(Kind::Mutating, "c", &[server.spec("m", &mutating.origin(), json!({}))]).await;
    // The failure policy has no part in a verdict.
    server.register(Kind::Validating, "c", &[server.spec("v", &validating.origin(), json!({"failurePolicy": "Ignore"}))]).await;
    let refused = server.post(MAPS, &map("x")).await.expect(403);
    assert_eq!(refused.message(), "admission webhook \"v.example.com\" denied the request: not here");
    assert_eq!((&refused.body["reason"], &refused.body["status"]), (&json!("NoGreenEggs"), &json!("Failure")));
    assert_eq!(asked(&validating)[0]["object"]["data"], json!({"k": "v", "added": "yes"}));
    server.get(&format!("{MAPS}/x")).await.expect(404);
    let line = r#"apiserver_admission_webhook_rejection_count{error_type="no_error",name="v.example.com",operation="CREATE",rejection_code="403",type="validating"}"#;
    assert_eq!(server.metric(line).await, 1);
    validating.set([review(json!({"allowed": false}))]);
    let refused = server.post(MAPS, &map("x")).await.expect(400);
    assert_eq!(refused.message(), "admission webhook \"v.example.com\" denied the request without explanation");
    server.running.stop().await;
}

#[actix_web::test]
async fn an_update_that_changes_nothing_is_judged_and_not_written() {
    let server = Server::start().await;
    let made = server.post(MAPS, &map("x")).await.expect(201).body;
    let hook = server.hook([review(json!({})), review(json!({"allowed": false}))]);
    let rules = json!([{"operations": ["UPDATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]);
    server.register(Kind::Validating, "c", &[server.spec("v", &hook.origin(), json!({"rules": rules}))]).await;
    let path = format!("{MAPS}/x");
    let same = server.ask(Method::PUT, &path, &made).await.expect(200).body;
    assert_eq!(same["metadata"]["resourceVersion"], made["metadata"]["resourceVersion"]);
    server.ask(Method::PUT, &path, &made).await.expect(400);
    server.running.stop().await;
}

#[actix_web::test]
async fn all_are_asked_at_once_and_the_first_refusal_in_order_is_told() {
    let server = Server::start().await;
    let slow: Vec<_> = (0..3).map(|_| server.hook([Act::Hang])).collect();
    let quick = server.hook([review(json!({"allowed": false}))]);
    let members = json!({"timeoutSeconds": 1, "failurePolicy": "Ignore"});
    let mut specs: Vec<Json> = slow
        .iter()
        .enumerate()
        .map(|(number, hook)| server.spec(&format!("s{number}"), &hook.origin(), members.clone()))
        .collect();
    for name in ["b", "a"] {
        specs.push(server.spec(name, &quick.origin(), json!({})));
    }
    server.register(Kind::Validating, "c", &specs).await;
    let start = Instant::now();
    let refused = server.post(MAPS, &map("x")).await.expect(400);
    assert!(start.elapsed() < Duration::from_millis(2500), "{:?}", start.elapsed());
    assert!(refused.message().contains("\"b.example.com\""), "{refused:?}");
    server.running.stop().await;
}

#[actix_web::test]
async fn warnings_reach_the_user_whatever_the_verdict_is() {
    let server = Server::start().await;
    let warns = |allowed: bool, texts: &[&str]| review(json!({"allowed": allowed, "warnings": texts}));
    let (first, second) = (server.hook([warns(true, &["a \"b\"", "twice"])]), server.hook([warns(false, &["twice", "c"])]));
    server.register(Kind::Mutating, "c", &[server.spec("m", &first.origin(), json!({}))]).await;
    server.register(Kind::Validating, "c", &[server.spec("v", &second.origin(), json!({}))]).await;
    let refused = server.post(MAPS, &map("x")).await.expect(400);
    assert_eq!(refused.warnings, [r#"299 - "a \"b\"""#, r#"299 - "twice""#, r#"299 - "c""#]);
    let long = "x".repeat(5000);
    second.set([warns(true, &[&long, "short"])]);
    let created = server.post(MAPS, &map("x")).await.expect(201);
    assert!(created.warnings.iter().all(|warning| warning.len() <= 270), "{:?}", created.warnings);
    assert_eq!(created.warnings.len(), 4);
    server.running.stop().await;
}

#[actix_web::test]
async fn updates_and_deletes_show_what_is_stored() {
    let server = Server::start().await;
    let hook = server.hook([review(json!({}))]);
    let rules =
        json!([{"operations": ["UPDATE", "DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]);
    server.register(Kind::Validating, "c", &[server.spec("v", &hook.origin(), json!({"rules": rules}))]).await;
    let created = server.post(MAPS, &map("x")).await.expect(201).body;
    let path = format!("{MAPS}/x");
    server.ask(Method::PATCH, &format!("{path}?fieldManager=me"), &json!({"data": {"k": "w"}})).await.expect(200);
    server.delete(&path).await.expect(200);
    let asked = asked(&hook);
    let [update, delete] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!((&update["oldObject"], &update["object"]["data"]), (&created, &json!({"k": "w"})));
    let options = json!({"kind": "UpdateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"});
    assert_eq!((&update["operation"], &update["options"]), (&json!("UPDATE"), &options));
    assert_eq!((&delete["operation"], &delete["object"], &delete["name"]), (&json!("DELETE"), &Json::Null, &json!("x")));
    assert_eq!(delete["oldObject"]["data"], json!({"k": "w"}));
    assert_eq!(delete["options"]["kind"], "DeleteOptions");
    hook.set([review(json!({"allowed": false}))]);
    server.post(MAPS, &map("y")).await.expect(201);
    server.delete(&format!("{MAPS}/y")).await.expect(400);
    server.delete(MAPS).await.expect(400);
    assert!(asked_name(&hook).is_null(), "one of a collection has no name, as upstream");
    server.get(&format!("{MAPS}/y")).await.expect(200);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_scale_is_reviewed_as_a_scale() {
    let server = Server::start().await;
    let set = json!({"metadata": {"name": "web"}, "spec": {
        "replicas": 1, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "w:1"}]}},
    }});
    let sets = "/apis/apps/v1/namespaces/default/replicasets";
    server.post(sets, &set).await.expect(201);
    let (mutating, validating) = (
        server.hook([patching(json!([{"op": "replace", "path": "/spec/replicas", "value": 4}]))]),
        server.hook([review(json!({}))]),
    );
    let rules = json!([{"operations": ["*"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["replicasets/scale"]}]);
    for (kind, hook) in [(Kind::Mutating, &mutating), (Kind::Validating, &validating)] {
        server.register(kind, "c", &[server.spec("h", &hook.origin(), json!({"rules": rules}))]).await;
    }
    let scaled = server.ask(Method::PATCH, &format!("{sets}/web/scale"), &json!({"spec": {"replicas": 9}})).await.expect(200);
    assert_eq!(scaled.body["spec"]["replicas"], 4);
    let asked = [&mutating, &validating].map(|hook| asked(hook)[0].clone());
    assert_eq!(asked.each_ref().map(|asked| asked["object"]["spec"]["replicas"].clone()), [json!(9), json!(4)]);
    for asked in asked {
        assert_eq!(asked["kind"], json!({"group": "autoscaling", "version": "v1", "kind": "Scale"}));
        assert_eq!((&asked["subResource"], &asked["oldObject"]["spec"]["replicas"]), (&json!("scale"), &json!(1)));
    }
    server.running.stop().await;
}

fn asked_name(hook: &super::engine::Engine) -> Json {
    asked(hook).last().map(|asked| asked["name"].clone()).unwrap_or_default()
}
