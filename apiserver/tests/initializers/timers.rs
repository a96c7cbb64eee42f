//! Initializers that do not answer: the server does something in their place, whoever waits.

use std::time::{Duration, Instant};

use plimsoll_apiserver::storage::{Change, Expect, Key, Write};
use serde_json::{Value as Json, json};

use super::eventually::eventually;
use super::server::{ALL, Answer, CONFIGURATIONS, MAPS, Server, map, patient, pending, within};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";

/// What the creator does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Creator {
    Waits,
    Leaves,
    AsksForIt,
}

async fn create(server: &Server, collection: &str, name: &str, creator: Creator) -> Option<Answer> {
    let object = json!({"metadata": {"name": name}});
    match creator {
        Creator::Waits => Some(server.admin.post(collection, &object).await),
        Creator::AsksForIt => Some(server.admin.post(&format!("{collection}?{ALL}"), &object).await),
        Creator::Leaves => {
            let request = server.admin.post(collection, &object);
            let stored =
                eventually(async || (server.admin.get(&format!("{collection}/{name}?{ALL}")).await.code == 200).then_some(()));
            tokio::select! {
                _ = request => panic!("it is waited for"),
                () = stored => None,
            }
        }
    }
}

/// What became of an object whose initializer is dead, and what its creator was told: code, whether it was warned, message.
async fn fate(server: &Server, fails: bool, creator: Creator) -> Option<(u16, bool, String)> {
    let (collection, name) = (if fails { SECRETS } else { MAPS }, format!("{creator:?}").to_lowercase());
    let answer = create(server, collection, &name, creator).await;
    let path = format!("{collection}/{name}");
    let (asked, ended) = if fails { (format!("{path}?{ALL}"), 404) } else { (path, 200) };
    eventually(async || (server.admin.get(&asked).await.code == ended).then_some(())).await;
    answer.map(|answer| (answer.code, !answer.warnings.is_empty(), answer.message().to_owned()))
}

/// Who is dead is passed over, or the object fails, as the policy says; whatever its creator does.
#[actix_web::test]
async fn the_policy_decides_whatever_the_creator_does() {
    let late = "Timeout: initializer \"dead.example.com\" did not answer within 3s";
    for (policy, waited) in [("Ignore", (201, true, String::new())), ("Fail", (504, false, late.to_owned()))] {
        // Long enough for a creator to leave before it is over.
        let server = Server::start(within(3_000)).await;
        let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps", "secrets"]}]);
        server.register("c", &[("dead", json!({"failurePolicy": policy, "rules": rules}))]).await;
        let fate = |creator| fate(&server, policy == "Fail", creator);
        let fates = tokio::join!(fate(Creator::Waits), fate(Creator::Leaves), fate(Creator::AsksForIt));
        assert_eq!(fates, (Some(waited), None, Some((202, false, String::new()))), "{policy}");
        let opened =
            async || server.metric(r#"apiserver_initializer_fail_open_count{name="dead.example.com",reason="timer"}"#).await;
        let expected = if policy == "Ignore" { 3 } else { 0 };
        eventually(async || (opened().await == expected).then_some(())).await;
        server.running.stop().await;
    }
}

#[actix_web::test]
async fn each_one_has_its_own_time_and_its_own_warning() {
    let server = Server::start(within(300)).await;
    server.register("c", &[("a", json!({})), ("b", json!({})), ("c", json!({}))]).await;
    let start = Instant::now();
    let created = server.admin.post(MAPS, &map("x")).await.expect(201);
    assert!(start.elapsed() >= Duration::from_millis(900), "{:?}", start.elapsed());
    let told: Vec<String> = ["a", "b", "c"]
        .map(|name| format!(r#"299 - "initializer \"{name}.example.com\" did not answer within 300ms and was passed over""#))
        .to_vec();
    assert_eq!(created.warnings, told);
    assert_eq!(created.body.pointer("/metadata/initializers"), None);
    server.running.stop().await;
}

/// Nothing is closed that its administrator took away, and a client's own choice is nobody's policy.
#[actix_web::test]
async fn who_is_not_configured_is_passed_over() {
    let server = Server::start(within(3_000)).await;
    server.register("c", &[("a", json!({"failurePolicy": "Fail"}))]).await;
    server.uninitialized("x").await;
    server.admin.delete(&format!("{CONFIGURATIONS}/c")).await.expect(200);
    let mut own = map("y");
    own["metadata"]["initializers"] = json!({"pending": [{"name": "own.example.com"}]});
    server.admin.post(MAPS, &own).await.expect(201);
    eventually(async || (server.admin.get(&format!("{MAPS}/x")).await.code == 200).then_some(())).await;
    let opened = r#"apiserver_initializer_fail_open_count{name="unconfigured",reason="timer"}"#;
    eventually(async || (server.metric(opened).await == 2).then_some(())).await;
    server.running.stop().await;
}

/// What judges every update judges that of a timer; a refusal keeps the object hidden, and the next try frees it.
#[actix_web::test]
async fn an_object_that_may_not_be_shown_stays_hidden() {
    let server = Server::start(within(200)).await;
    server.register("c", &[("a", json!({}))]).await;
    let dead = json!({
        "name": "dead.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Fail",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "rules": [{"operations": ["UPDATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
    });
    let hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    server.admin.post(hooks, &json!({"metadata": {"name": "w"}, "webhooks": [dead]})).await.expect(201);
    server.uninitialized("x").await;
    let rejected = r#"apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="dead.example.com",operation="UPDATE",rejection_code="503",type="validating"}"#;
    eventually(async || (server.metric(rejected).await >= 2).then_some(())).await;
    server.admin.get(&format!("{MAPS}/x")).await.expect(404);
    server.admin.delete(&format!("{hooks}/w")).await.expect(200);
    eventually(async || (server.admin.get(&format!("{MAPS}/x")).await.code == 200).then_some(())).await;
    server.running.stop().await;
}

/// Puts an object of long ago past every check, as a server would find it that could not do its work.
async fn old(server: &Server, name: &str, pending: &[&str]) {
    let pending: Vec<Json> = pending.iter().map(|name| json!({"name": format!("{name}.example.com")})).collect();
    let mut object = map(name);
    let metadata = json!({
        "namespace": "default", "uid": name, "creationTimestamp": "2020-01-01T00:00:00Z", "initializers": {"pending": pending},
    });
    object["metadata"].as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
    let key = Key { collection: "core/configmaps".into(), namespace: "default".into(), name: name.into() };
    let write = Write { key, expect: Expect::Absent, change: Change::Put(object) };
    server.running.server().write(write).await.unwrap();
}

#[actix_web::test]
async fn a_read_of_an_overdue_object_passes_one_initializer_over() {
    let server = Server::start(patient()).await;
    server.register("c", &[("a", json!({})), ("fail", json!({"failurePolicy": "Fail"}))]).await;
    old(&server, "x", &["a", "own", "b"]).await;
    old(&server, "y", &["fail"]).await;
    assert!(server.admin.get(MAPS).await.expect(200).names().is_empty());
    assert_eq!(server.admin.get(&format!("{MAPS}?{ALL}")).await.expect(200).names(), ["x", "y"], "lists repair nothing");
    server.admin.get(&format!("{MAPS}/x")).await.expect(404);
    assert_eq!(pending(&server.stored("x").await.unwrap()), ["b.example.com"], "one with each read");
    server.admin.get(&format!("{MAPS}/x")).await.expect(200);
    server.admin.get(&format!("{MAPS}/y?{ALL}")).await.expect(404);
    for (name, expected) in [("a.example.com", 1), ("unconfigured", 2), ("fail.example.com", 0)] {
        let line = format!(r#"apiserver_initializer_fail_open_count{{name="{name}",reason="read-repair"}}"#);
        assert_eq!(server.metric(&line).await, expected, "{name}");
    }
    server.uninitialized("young").await;
    server.admin.get(&format!("{MAPS}/young")).await.expect(404);
    assert_eq!(pending(&server.stored("young").await.unwrap()).len(), 2);
    server.running.stop().await;
}
