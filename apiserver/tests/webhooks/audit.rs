//! The audit log beside a whole server: who asked, what was answered, what admission noted.

mod reset;
#[cfg(target_os = "linux")]
mod stalled;

use std::path::Path;

use plimsoll_apiserver::audit;
use plimsoll_apiserver::run::Options;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::engine::Act;
use super::eventually::eventually;
use super::server::{Kind, MAPS, Server, map, patching, review};

async fn server(folder: &Path, policy: Option<&str>) -> Server {
    let policy = policy.map(|text| {
        let file = folder.join("policy.yaml");
        std::fs::write(&file, format!("apiVersion: audit.k8s.io/v1\nkind: Policy\n{text}")).unwrap();
        file
    });
    let audit = Some(audit::Options {
        path: folder.join("audit.log"),
        policy,
        longest: 10 << 20,
        backups: 1,
        mode: audit::Mode::Blocking,
    });
    Server::with(Options { audit, ..Options::default() }).await
}

/// All lines, oldest first: each was written before its request was answered.
fn lines(folder: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(folder.join("audit.log")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn last(folder: &Path) -> Json {
    lines(folder).pop().unwrap()
}

#[actix_web::test]
async fn webhooks_leave_their_mark_on_the_line_of_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), None).await;
    let label = || patching(json!([{"op": "add", "path": "/metadata/labels/b", "value": "c"}]));
    let (changes, agrees) =
        (server.hook([label(), label()]), server.hook([review(json!({"auditAnnotations": {"why": "fine"}}))]));
    let broken = server.spec("broken", "https://localhost:1", json!({"failurePolicy": "Ignore"}));
    server.register(Kind::Mutating, "a", &[broken.clone(), server.spec("m", &changes.origin(), json!({}))]).await;
    server.register(Kind::Validating, "c", &[server.spec("v", &agrees.origin(), json!({})), broken]).await;
    let before = server.metric("apiserver_storage_revision").await;
    server.post(MAPS, &map("x")).await.expect(201);
    let line = last(folder.path());
    let expected = json!({
        "admission.plimsoll.io/snapshot-revision": before.to_string(),
        "authorization.k8s.io/decision": "allow",
        "failed-open.mutation.webhook.admission.k8s.io/round_0_index_0": "broken.example.com",
        "mutation.webhook.admission.k8s.io/round_0_index_0": r#"{"configuration":"a","webhook":"broken.example.com","mutated":false}"#,
        "mutation.webhook.admission.k8s.io/round_0_index_1": r#"{"configuration":"a","webhook":"m.example.com","mutated":true}"#,
        "failed-open.validating.webhook.admission.k8s.io/round_0_index_1": "broken.example.com",
        "v.example.com/why": "fine",
    });
    assert_eq!(line["annotations"], expected);
    let object = json!({"resource": "configmaps", "namespace": "default", "name": "x", "apiVersion": "v1"});
    assert_eq!((&line["objectRef"], &line["verb"], &line["user"]["username"]), (&object, &"create".into(), &"admin".into()));
    assert_eq!(line["responseStatus"], json!({"metadata": {}, "code": 201}));
    server.running.stop().await;
}

#[actix_web::test]
async fn who_is_refused_is_written_down_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), None).await;
    let hook = server.hook([review(json!({"allowed": false, "status": {"message": "no"}, "auditAnnotations": {"rule": "7"}}))]);
    server.register(Kind::Validating, "c", &[server.spec("v", &hook.origin(), json!({}))]).await;
    server.post(MAPS, &map("x")).await.expect(400);
    let refused = last(folder.path());
    let message = r#"admission webhook "v.example.com" denied the request: no"#;
    assert_eq!(
        (&refused["responseStatus"]["message"], &refused["annotations"]["v.example.com/rule"]),
        (&message.into(), &"7".into())
    );
    server.ask_as("tenant", Method::GET, &format!("{MAPS}/secret?x=y"), &Json::Null).await.expect(403);
    let forbidden = last(folder.path());
    assert_eq!((&forbidden["user"]["username"], &forbidden["verb"]), (&"tenant".into(), &"get".into()));
    assert_eq!(forbidden["annotations"], json!({"authorization.k8s.io/decision": "forbid"}));
    assert_eq!(
        (&forbidden["responseStatus"]["reason"], &forbidden["responseStatus"]["code"]),
        (&"Forbidden".into(), &403.into())
    );
    assert_eq!(forbidden["requestURI"], format!("{MAPS}/secret?x=y"));
    server.get("/api/v1//pods").await.expect(400);
    assert_eq!((&last(folder.path())["verb"], last(folder.path()).get("objectRef")), (&"get".into(), None));
    server.running.stop().await;
}

#[actix_web::test]
async fn a_drawn_name_and_a_second_round_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), None).await;
    let add = |key: &str| patching(json!([{"op": "add", "path": format!("/metadata/labels/{key}"), "value": "x"}]));
    let (first, second) = (server.hook([add("a"), review(json!({}))]), server.hook([add("b")]));
    let willing = json!({"reinvocationPolicy": "IfNeeded"});
    let specs = [server.spec("one", &first.origin(), willing), server.spec("two", &second.origin(), json!({}))];
    server.register(Kind::Mutating, "a", &specs).await;
    let mut object = map("x");
    object["metadata"] = json!({"generateName": "x-", "labels": {"app": "x"}});
    let name = server.post(MAPS, &object).await.expect(201).body["metadata"]["name"].clone();
    let line = last(folder.path());
    assert_eq!(line["objectRef"]["name"], name);
    let again = r#"{"configuration":"a","webhook":"one.example.com","mutated":false}"#;
    assert_eq!(line["annotations"]["mutation.webhook.admission.k8s.io/round_1_index_0"], again);
    assert_eq!(line["annotations"].get("mutation.webhook.admission.k8s.io/round_1_index_1"), None);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_policy_says_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "rules: [{level: None, verbs: [get, list, watch]}, {level: Metadata, resources: [{resources: [configmaps]}]}]\n";
    let server = server(folder.path(), Some(rules)).await;
    server.get(MAPS).await.expect(200);
    server.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await.expect(201);
    server.post(MAPS, &map("x")).await.expect(201);
    let lines = lines(folder.path());
    assert_eq!((lines.len(), &lines[0]["objectRef"]["resource"]), (1, &"configmaps".into()));
    assert_eq!(server.metric("apiserver_audit_event_total").await, 1);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_caller_who_acts_as_another_is_both() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), None).await;
    let client = server.admin();
    let request =
        client.get(format!("{}{MAPS}", server.running.url())).header("impersonate-user", "ann").header("audit-id", "mine");
    assert_eq!(request.send().await.unwrap().status(), 403);
    let line = last(folder.path());
    assert_eq!((&line["user"]["username"], &line["impersonatedUser"]["username"]), (&"admin".into(), &"ann".into()));
    assert_eq!((&line["auditID"], &line["sourceIPs"]), (&"mine".into(), &json!(["127.0.0.1"])));
    server.running.stop().await;
}

#[actix_web::test]
async fn who_hangs_up_has_a_line_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), None).await;
    let hook = server.hook([Act::Hang]);
    server.register(Kind::Validating, "c", &[server.spec("v", &hook.origin(), json!({"timeoutSeconds": 1}))]).await;
    let request = server.admin().post(format!("{}{MAPS}", server.running.url())).header("audit-id", "gone");
    let request = request.header("content-type", "application/json").body(map("x").to_string());
    let asking = actix_web::rt::spawn(request.send());
    eventually(async || (!hook.came().is_empty()).then_some(())).await;
    asking.abort();
    let line = || lines(folder.path()).into_iter().find(|line| line["auditID"] == "gone");
    let line = eventually(async || line()).await;
    // What it came to, or 499 if the connection was reset before that.
    assert!([500, 499].map(Json::from).contains(&line["responseStatus"]["code"]) && line["objectRef"]["name"] == "x", "{line}");
    server.running.stop().await;
}
