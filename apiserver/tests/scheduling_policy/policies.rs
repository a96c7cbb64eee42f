//! Policy ConfigMaps: what does not compile is refused with the compiler's words, and nobody is kept from a repair.

use std::sync::Arc;

use plimsoll_apiserver::admission::{Attributes, Operation, PolicyConfigMap, Validating};
use plimsoll_apiserver::status::Status;
use plimsoll_apiserver::storage::{Change, Expect, Key, Write};
use plimsoll_contract::exempt::POLICY_NAMESPACE;
use serde_json::{Value as Json, json};

use super::engine::{Act, Engine, nobody, ok, status};
use super::hook::{Hook, nginx, served};

fn map(name: &str, data: Json) -> Json {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": POLICY_NAMESPACE}, "data": data,
    })
}

fn write(object: Json) -> Attributes {
    let mut request = nginx();
    request.resource = served("", "v1", "configmaps");
    request.namespace = POLICY_NAMESPACE.into();
    request.name = object["metadata"]["name"].as_str().unwrap().into();
    request.object = Some(object);
    request
}

fn rejected(errors: &[(&str, &str)]) -> Act {
    let errors = errors.iter().map(|(key, message)| {
        let file = format!("{POLICY_NAMESPACE}/{key}");
        json!({"code": "rego_parse_error", "message": message, "location": {"file": file, "row": 3, "col": 5}})
    });
    let errors: Vec<Json> = errors.collect();
    Act::Reply(400, "", json!({"code": "invalid_parameter", "message": "error(s)", "errors": errors}).to_string())
}

/// A stage whose engine does this, with ConfigMap `lib` in the store.
async fn stage(hook: &Hook) -> PolicyConfigMap {
    let key = Key { collection: "core/configmaps".into(), namespace: POLICY_NAMESPACE.into(), name: "lib".into() };
    let object = map("lib", json!({"lib.rego": "package lib"}));
    hook.store.write(Write { key, expect: Expect::Absent, change: Change::Put(object) }).await.unwrap();
    PolicyConfigMap::new(hook.store.clone(), hook.policy.engine(), "kubernetes", hook.metrics.clone())
}

async fn check(acts: Vec<Act>, request: &Attributes) -> (Result<Vec<String>, Status>, Engine) {
    let engine = Engine::start(acts);
    let result = stage(&Hook::of(&engine.origin())).await.validate(request).await;
    (result, engine)
}

#[tokio::test]
async fn the_whole_set_is_compiled_as_it_would_be_after_the_write() {
    let request = write(map("p", json!({"p.rego": "package p", "p_test.rego": "package t", "README": "x"})));
    let (result, engine) = check(vec![ok("{}")], &request).await;
    assert_eq!(result.unwrap(), Vec::<String>::new());
    let [came] = engine.came().try_into().unwrap();
    assert!(came.head.starts_with("POST /plimsoll/v1/policies/kubernetes/check HTTP/1.1\r\n"), "{}", came.head);
    let sent: Json = serde_json::from_str(&came.body).unwrap();
    let module = |key: &str| format!("{POLICY_NAMESPACE}/{key}");
    assert_eq!(sent, json!({"modules": {module("p/p.rego"): "package p", module("lib/lib.rego"): "package lib"}}));
}

#[tokio::test]
async fn what_does_not_compile_is_refused_with_file_line_and_column() {
    let request = write(map("p", json!({"p.rego": "package p\n{"})));
    let (result, _) = check(vec![rejected(&[("p/p.rego", "unexpected {")])], &request).await;
    let refusal = result.unwrap_err();
    let place = format!("{POLICY_NAMESPACE}/p/p.rego:3:5: rego_parse_error: unexpected {{");
    let message = format!(r#"configmaps "p" is forbidden: PolicyConfigMap: the policies do not compile: {place}"#);
    assert_eq!((refusal.code, &refusal.message), (403, &message));
    let cause = &refusal.details.unwrap().causes[0];
    assert_eq!((cause.field.as_str(), cause.message.as_str()), ("data[p.rego]", "3:5: rego_parse_error: unexpected {"));
}

#[tokio::test]
async fn others_errors_count_only_if_this_write_makes_them() {
    let request = write(map("p", json!({"p.rego": "package p"})));
    let broken = rejected(&[("lib/lib.rego", "old")]);
    let (result, engine) = check(vec![broken.clone(), broken.clone()], &request).await;
    let warnings = result.unwrap();
    assert!(warnings.len() == 1 && warnings[0].contains("another ConfigMap") && warnings[0].contains("lib/lib.rego:3:5"));
    assert_eq!(engine.came().len(), 2);
    let (result, _) = check(vec![broken, ok("{}")], &request).await;
    assert!(result.unwrap_err().message.contains("lib/lib.rego:3:5"), "the write breaks the other one");
}

#[tokio::test]
async fn t02_an_engine_that_cannot_be_asked_lets_everything_through_with_a_warning() {
    let request = write(map("p", json!({"p.rego": "package p"})));
    let unable = [Act::Reset, status(404), status(401), status(503), ok("x").clone(), Act::Reply(400, "", "{}".into())];
    for act in unable {
        let expected = if matches!(act, Act::Reply(200, ..)) { 0 } else { 1 };
        let (result, _) = check(vec![act.clone()], &request).await;
        let warnings = result.unwrap();
        assert_eq!(warnings.len(), expected, "{act:?}");
        assert!(warnings.iter().all(|warning| warning.contains("stored unchecked")), "{act:?}: {warnings:?}");
    }
    let hook = Hook::of(&nobody());
    assert_eq!(stage(&hook).await.validate(&request).await.unwrap().len(), 1);
    assert_eq!(hook.counted(r#"plimsoll_scheduling_policy_policy_checks_total{verdict="unchecked"}"#), Some(1));
}

#[tokio::test]
async fn t01_what_changes_no_module_is_not_checked() {
    let hook = Hook::of(&nobody());
    let stage = stage(&hook).await;
    let policy = || map("p", json!({"p.rego": "package p"}));
    let mut labelled = write(policy());
    (labelled.operation, labelled.old) = (Operation::Update, Some(Arc::new(policy())));
    labelled.object.as_mut().unwrap()["metadata"]["labels"] = json!({"a": "b"});
    let mut elsewhere = write(policy());
    elsewhere.namespace = "shop".into();
    let mut deleted = write(policy());
    (deleted.operation, deleted.object, deleted.old) = (Operation::Delete, None, Some(Arc::new(policy())));
    for request in [labelled, elsewhere, deleted, write(map("kube-root-ca.crt", json!({"ca.crt": "x"}))), nginx()] {
        assert_eq!(stage.validate(&request).await.unwrap(), Vec::<String>::new(), "{request:?}");
    }
}
