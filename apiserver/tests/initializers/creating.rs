//! Creates that wait, and what ends the wait. Numbers in the names are those of Kubernetes' own end-to-end tests of initializers.

use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::eventually::eventually;
use super::server::{ALL, MAPS, Server, map, patient, pending};

const POD: &str = "/api/v1/namespaces/default/pods";

/// Creates and, when the object is there, does something.
async fn while_waiting<T>(server: &Server, name: &str, act: impl Future<Output = T>) -> (super::server::Answer, T) {
    let object = map(name);
    let acts = async {
        eventually(async || server.stored(name).await).await;
        act.await
    };
    tokio::join!(server.admin.post(MAPS, &object), acts)
}

#[actix_web::test]
async fn e2e_1_and_2_a_create_is_answered_when_the_list_is_empty() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({})), ("b", json!({}))]).await;
    let path = format!("{MAPS}/x");
    let (created, ()) = while_waiting(&server, "x", async {
        assert_eq!(pending(&server.stored("x").await.unwrap()), ["a.example.com", "b.example.com"]);
        let first = json!({"metadata": {"initializers": {"pending": [{"name": "b.example.com"}]}}, "data": {"a": "1"}});
        server.admin.merge(&path, &first).await.expect(200);
        server.admin.get(&path).await.expect(404);
        let last = json!({"metadata": {"initializers": null}, "data": {"b": "2"}});
        server.admin.merge(&path, &last).await.expect(200);
    })
    .await;
    let created = created.expect(201).body;
    assert_eq!(created["data"], json!({"k": "v", "a": "1", "b": "2"}), "the last state, not the first");
    assert_eq!(created.pointer("/metadata/initializers"), None);
    assert_eq!(server.admin.get(&path).await.expect(200).body, created);
    server.running.stop().await;
}

#[actix_web::test]
async fn who_asks_for_it_gets_the_object_at_once() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({}))]).await;
    for (name, flag, code) in [("a", "true", 202), ("b", "True", 202), ("c", "1", 202), ("d", "", 202)] {
        let created = server.admin.post(&format!("{MAPS}?includeUninitialized={flag}"), &map(name)).await.expect(code);
        assert_eq!(pending(&created.body), ["a.example.com"], "{flag}");
    }
    let secrets = "/api/v1/namespaces/default/secrets";
    server.admin.post(&format!("{secrets}?{ALL}"), &json!({"metadata": {"name": "s"}})).await.expect(201);
    let applied = server.admin.patch(&format!("{MAPS}/e?{ALL}&fieldManager=m"), "apply", &map("e")).await.expect(202);
    assert_eq!(pending(&applied.body), ["a.example.com"]);
    let drawn = server.admin.post(&format!("{MAPS}?{ALL}"), &json!({"metadata": {"generateName": "g-"}})).await.expect(202);
    assert_eq!(pending(&drawn.body), ["a.example.com"]);
    server.running.stop().await;
}

#[actix_web::test]
async fn an_apply_that_creates_waits_as_well() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({}))]).await;
    let (object, path) = (map("x"), format!("{MAPS}/x?fieldManager=m"));
    let finishes = async {
        eventually(async || server.stored("x").await).await;
        server.finish("x").await;
    };
    let (created, ()) = tokio::join!(server.admin.patch(&path, "apply", &object), finishes);
    assert_eq!(pending(&created.expect(201).body), [""; 0]);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_dry_run_waits_for_nobody() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({}))]).await;
    let tried = server.admin.post(&format!("{MAPS}?dryRun=All"), &map("x")).await.expect(201);
    assert_eq!(pending(&tried.body), ["a.example.com"], "as it would be stored");
    assert!(server.stored("x").await.is_none());
    server.running.stop().await;
}

#[actix_web::test]
async fn e2e_3_and_4_an_administrator_and_a_mirror_pod_are_not_initialized() {
    let server = Server::start(patient()).await;
    let everything = json!({"rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]});
    server.register("c", &[("a", everything)]).await;
    let mut object = map("x");
    for (number, skip) in [json!({}), json!({"pending": []}), json!({"pending": null, "result": null})].into_iter().enumerate() {
        object["metadata"]["name"] = json!(format!("x{number}"));
        object["metadata"]["initializers"] = skip;
        let created = server.admin.post(MAPS, &object).await.expect(201);
        assert_eq!(created.body.pointer("/metadata/initializers"), None);
    }
    let pod = json!({
        "metadata": {"name": "p", "annotations": {"kubernetes.io/config.mirror": "x"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    });
    server.admin.post(POD, &pod).await.expect(201);
    server.running.stop().await;
}

#[actix_web::test]
async fn e2e_5_a_strategic_patch_takes_a_name_off_and_an_initializer_may_change_what_is_fixed_later() {
    let server = Server::start(patient()).await;
    let pods = json!({"rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]});
    server.register("c", &[("a", pods)]).await;
    let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    server.admin.post(&format!("{POD}?{ALL}"), &pod).await.expect(202);
    let patch = json!({
        "metadata": {"initializers": {"pending": [{"$patch": "delete", "name": "a.example.com"}]}},
        "spec": {"containers": [{"name": "c", "env": [{"name": "A", "value": "b"}]}]},
    });
    let patched = server.admin.patch(&format!("{POD}/p"), "strategic-merge", &patch).await.expect(200);
    assert_eq!(patched.body.pointer("/metadata/initializers"), None);
    assert_eq!(patched.body.pointer("/spec/containers/0/env/0/value"), Some(&json!("b")));
    server.admin.get(&format!("{POD}/p")).await.expect(200);
    let late = json!({"spec": {"containers": [{"name": "c", "env": [{"name": "A", "value": "c"}]}]}});
    server.admin.patch(&format!("{POD}/p"), "strategic-merge", &late).await.expect(422);
    server.running.stop().await;
}

#[actix_web::test]
async fn e2e_6_what_is_initialized_stays_so() {
    let server = Server::start(patient()).await;
    server.admin.post(MAPS, &map("x")).await.expect(201);
    let again = json!({"metadata": {"initializers": {"pending": [{"name": "a.example.com"}]}}});
    let refused = server.admin.merge(&format!("{MAPS}/x"), &again).await.expect(422);
    assert!(refused.message().contains("field is immutable once initialization has completed"), "{refused:?}");
    server.running.stop().await;
}

#[actix_web::test]
async fn e2e_7_a_refusal_is_the_answer_and_the_object_is_gone() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({})), ("b", json!({}))]).await;
    let refusals = [
        (json!({"status": "Failure", "code": 422, "reason": "Invalid", "message": "no"}), 422, "Invalid"),
        (json!({"status": "Failure", "message": "no"}), 500, ""),
        (json!({"status": "Failure", "code": 200, "reason": "OK", "message": "no"}), 500, "OK"),
    ];
    for (result, code, reason) in refusals {
        let mut all = server.admin.watch(&format!("{MAPS}?watch=1&{ALL}&fieldSelector=metadata.name=x")).await;
        let refuse = json!({"metadata": {"initializers": {"result": result}, "finalizers": ["example.com/held"]}});
        let path = format!("{MAPS}/x");
        let (created, updated) = while_waiting(&server, "x", server.admin.merge(&path, &refuse)).await;
        assert_eq!(updated.expect(200).body["metadata"]["initializers"]["result"]["message"], "no");
        let created = created.expect(code);
        assert_eq!((created.message(), created.body["reason"].as_str().unwrap_or_default()), ("no", reason));
        assert!(server.stored("x").await.is_none(), "whatever finalizers it has");
        for expected in ["ADDED x v", "MODIFIED x v", "DELETED x v"] {
            assert_eq!(all.next().await.unwrap(), expected);
        }
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn e2e_9_a_namespace_goes_with_what_is_uninitialized_in_it() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({}))]).await;
    server.admin.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await.expect(201);
    let maps = "/api/v1/namespaces/n/configmaps";
    server.admin.post(&format!("{maps}?{ALL}"), &map("x")).await.expect(202);
    server.admin.delete("/api/v1/namespaces/n").await.expect(200);
    eventually(async || (server.admin.get("/api/v1/namespaces/n").await.code == 404).then_some(())).await;
    server.running.stop().await;
}

#[actix_web::test]
async fn a_create_that_is_deleted_or_late_says_so() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({}))]).await;
    let path = format!("{MAPS}/x");
    let (created, _) = while_waiting(&server, "x", server.admin.delete(&path)).await;
    let message = "Internal error occurred: object deleted while waiting for creation";
    assert_eq!(created.expect(500).message(), message);
    let late = server.admin.post(&format!("{MAPS}?timeout=1s"), &map("y")).await.expect(504);
    let message = "Timeout: request did not complete within requested timeout 1s; waiting for initializer \"a.example.com\"";
    assert_eq!((late.message(), &late.body["reason"]), (message, &json!("Timeout")));
    assert!(server.stored("y").await.is_some(), "it stays");
    server.finish("y").await;
    server.admin.get(&format!("{MAPS}/y")).await.expect(200);
    server.running.stop().await;
}

/// Upstream kept a place among the writes for whoever waited, and of 1.7 a loop for whoever went away.
#[actix_web::test]
async fn who_waits_takes_no_place_and_who_goes_away_leaves_nothing() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({}))]).await;
    let writes = async || server.metric("apiserver_current_inflight_writes").await;
    let object = map("x");
    let gives_up = tokio::time::timeout(Duration::from_secs(5), server.admin.post(MAPS, &object));
    let looks = async {
        eventually(async || server.stored("x").await).await;
        eventually(async || (writes().await == 0).then_some(())).await;
    };
    let (gave_up, ()) = tokio::join!(gives_up, looks);
    assert!(gave_up.is_err(), "it still waits");
    server.finish("x").await;
    let found = server.admin.get(&format!("{MAPS}/x")).await.expect(200);
    assert_eq!(found.body["data"], json!({"k": "v"}));
    server.running.stop().await;
}

/// At most 200 writes are in flight for others than administrators: an initializer must get in beside those who wait for it.
#[actix_web::test]
async fn more_creators_may_wait_than_writes_may_be_in_flight() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({}))]).await;
    let creator = Rc::new(server.user("creator", &["create"]).await);
    let helper = server.user("helper", &["patch", "initialize"]).await;
    let mut waiting = Vec::new();
    for batch in 0..5 {
        for number in 0..50 {
            let (creator, object) = (Rc::clone(&creator), map(&format!("x{batch}-{number}")));
            waiting.push(actix_web::rt::spawn(async move { creator.post(MAPS, &object).await.code }));
        }
        let listed = async || server.admin.get(&format!("{MAPS}?{ALL}")).await.names().len();
        eventually(async || (listed().await == (batch + 1) * 50).then_some(())).await;
    }
    for name in server.admin.get(&format!("{MAPS}?{ALL}")).await.names() {
        helper.merge(&format!("{MAPS}/{name}"), &json!({"metadata": {"initializers": null}})).await.expect(200);
    }
    for created in waiting {
        assert_eq!(created.await.unwrap(), 201);
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn a_server_that_stops_lets_nobody_wait() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({}))]).await;
    let Server { running, admin } = server;
    let created = actix_web::rt::spawn(async move { admin.post(MAPS, &map("x")).await });
    let waits = super::server::Caller::new(&running, "admin", &["system:masters"]);
    eventually(async || (waits.get(&format!("{MAPS}/x?{ALL}")).await.code == 200).then_some(())).await;
    running.stop().await;
    let answer = created.await.unwrap().expect(504);
    assert_eq!(answer.message(), "Timeout: server has timed out waiting for the initialization of configmaps x");
}

#[actix_web::test]
async fn without_initializers_the_field_is_unknown_and_nothing_is_hidden() {
    let mut settings = patient();
    settings.enabled = false;
    let server = Server::start(settings).await;
    server.register("c", &[("a", json!({}))]).await;
    let mut object = map("x");
    object["metadata"]["initializers"] = json!({"pending": [{"name": "a.example.com"}]});
    let created = server.admin.post(MAPS, &object).await.expect(201);
    assert_eq!(created.body.pointer("/metadata/initializers"), None);
    let mut changed: Json = created.body;
    changed["metadata"]["initializers"] = json!({"pending": [{"name": "a.example.com"}]});
    let updated = server.admin.put(&format!("{MAPS}/x"), &changed).await.expect(200);
    assert_eq!(updated.body.pointer("/metadata/initializers"), None);
    server.running.stop().await;
}
