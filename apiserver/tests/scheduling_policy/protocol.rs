//! What is sent and what is done with an answer. Cases of federation v1's `admission_test.go`, and what it left out.

use std::sync::Arc;

use plimsoll_apiserver::admission::Operation;
use plimsoll_apiserver::admission::scheduling_policy::Protocol;
use serde_json::{Value as Json, json};

use super::engine::{Engine, nobody, ok};
use super::hook::{Hook, PATH, Setup, annotations, nginx};

#[tokio::test]
async fn t16_the_bare_object_goes_to_the_kubeconfigs_path_in_the_version_of_the_request() {
    let engine = Engine::start([ok("{}")]);
    let hook = Hook::of(&engine.origin());
    let mut request = nginx();
    hook.admit(&mut request).await.unwrap();
    let [came] = engine.came().try_into().unwrap();
    assert!(came.head.starts_with(&format!("POST {PATH} HTTP/1.1\r\n")), "{}", came.head);
    let head = came.head.to_lowercase();
    assert!(head.contains("content-type: application/json") && head.contains("authorization: bearer deadbeefsecret"), "{head}");
    let sent: Json = serde_json::from_str(&came.body).unwrap();
    assert_eq!(Some(&sent), request.object.as_ref());
    assert_eq!((&sent["apiVersion"], &sent["spec"]["minReadySeconds"]), (&json!("extensions/v1beta1"), &json!(7)));
}

#[tokio::test]
async fn t16_opas_v1_data_api_is_spoken_on_request() {
    let engine = Engine::start([ok(json!({"result": {"annotations": {"a": {"b": 1}}}})), ok("{}")]);
    let mut setup = Setup::new(&engine.origin());
    setup.protocol = Protocol::OpaData;
    let hook = setup.hook();
    let mut request = nginx();
    hook.admit(&mut request).await.unwrap();
    assert_eq!(annotations(&request)["a"], json!(r#"{"b":1}"#));
    let sent: Json = serde_json::from_str(&engine.came()[0].body).unwrap();
    assert_eq!(sent["input"]["metadata"]["name"], json!("nginx-pci"));
    let refusal = hook.admit(&mut nginx()).await.unwrap_err();
    assert!(refusal.message.contains("policy decision is undefined"), "{refusal}");
}

#[tokio::test]
async fn t17_annotations_are_merged_policy_wins_and_null_removes() {
    let answer = json!({"annotations": {"requires-pci": "false", "a": "b", "c": null}, "warnings": ["mind the gap"]});
    let engine = Engine::start([ok(answer)]);
    let hook = Hook::of(&engine.origin());
    let mut request = nginx();
    request.object.as_mut().unwrap()["metadata"]["annotations"]["c"] = "d".into();
    hook.admit(&mut request).await.unwrap();
    assert_eq!(annotations(&request), json!({"requires-pci": "false", "a": "b"}));
    assert_eq!(*request.warnings.borrow(), ["mind the gap"]);
    assert_eq!(hook.counted(r#"plimsoll_scheduling_policy_decisions_total{outcome="placed"}"#), Some(1));
}

#[tokio::test]
async fn t15_errors_deny_with_all_reasons_and_an_event_about_the_stored_object() {
    let answer = json!({"annotations": {"a": "b"}, "errors": ["no certified cluster", "no quota"]});
    let engine = Engine::start([ok(answer)]);
    let hook = Hook::of(&engine.origin());
    let mut request = nginx();
    let mut old = request.object.clone().unwrap();
    old["metadata"]["uid"] = "u-1".into();
    old["spec"]["replicas"] = 1.into();
    (request.operation, request.old) = (Operation::Update, Some(Arc::new(old)));
    for _ in 0..3 {
        let refusal = hook.admit(&mut request).await.unwrap_err();
        let message = r#"replicasets.extensions "nginx-pci" is forbidden: reason(s): no certified cluster; no quota"#;
        assert_eq!((refusal.code, refusal.message.as_str()), (403, message));
    }
    assert_eq!(annotations(&request), json!({"requires-pci": "true"}));
    let [event] = hook.events().try_into().unwrap();
    assert_eq!((&event["reason"], &event["count"]), (&json!("PlacementDenied"), &json!(3)));
    assert_eq!(event["message"], json!("reason(s): no certified cluster; no quota"));
    assert_eq!(event["involvedObject"]["uid"], json!("u-1"));
}

#[tokio::test]
async fn t02_an_engine_that_is_away_traps_no_existing_object() {
    let hook = Hook::of(&nobody());
    let mut request = nginx();
    let mut old = request.object.clone().unwrap();
    old["metadata"]["finalizers"] = json!(["f"]);
    (request.operation, request.old) = (Operation::Update, Some(Arc::new(old.clone())));
    hook.admit(&mut request).await.unwrap();
    old["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    old["spec"]["replicas"] = 1.into();
    request.old = Some(Arc::new(old));
    hook.admit(&mut request).await.unwrap();
    assert_eq!(hook.metrics.attempts(), 0);
}

#[tokio::test]
async fn connections_are_kept_and_a_token_file_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "one\n").unwrap();
    let engine = Engine::start([ok("{}")]);
    let mut setup = Setup::new(&engine.origin());
    setup.user = json!({ "tokenFile": file });
    let hook = setup.hook();
    hook.admit(&mut nginx()).await.unwrap();
    std::fs::write(&file, "two\n").unwrap();
    hook.admit(&mut nginx()).await.unwrap();
    let sent = |token: &str| engine.came().iter().filter(|came| came.head.contains(&format!("Bearer {token}"))).count();
    assert_eq!((engine.connections(), sent("one"), sent("two")), (1, 1, 1));
    std::fs::remove_file(&file).unwrap();
    let refusal = hook.admit(&mut nginx()).await.unwrap_err();
    assert!(refusal.message.contains("the token file") && refusal.message.contains("put the engine's token"), "{refusal}");
}
