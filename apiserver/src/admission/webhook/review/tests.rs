//! What is asked, and which answers count.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::admission::Operation;
use crate::admission::testing::{attributes, resource};
use crate::authn::User;
use crate::resources::Registry;

fn review(versions: &[&str], mutating: bool) -> Result<Review, CallFault> {
    let request = attributes(Operation::Create, json!({"metadata": {"name": "web"}}));
    let versions: Vec<String> = versions.iter().map(|version| (*version).to_owned()).collect();
    Review::new(&versions, &request.resource.clone(), &request, mutating)
}

fn asked(request: &Attributes, resource: &Resource) -> Json {
    let review = Review::new(&["v1".to_owned()], resource, request, true).unwrap();
    serde_json::from_slice::<Json>(&review.body).unwrap()["request"].clone()
}

#[test]
fn a_question_says_who_does_what_to_which_object() {
    let mut request = attributes(Operation::Update, json!({"kind": "ReplicaSet", "metadata": {"name": "web"}}));
    request.old = Some(Arc::new(json!({"metadata": {"name": "web", "uid": "u"}})));
    request.options = json!({"kind": "UpdateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "m"});
    request.user = User {
        name: "alice".into(),
        groups: vec!["g".into()],
        extra: [("k".into(), vec!["v".into()])].into(),
        ..User::default()
    };
    let mut asked = asked(&request, &request.resource.clone());
    assert_eq!(asked["uid"].as_str().unwrap().len(), 36);
    asked.as_object_mut().unwrap().remove("uid");
    let kind = json!({"group": "apps", "version": "v1", "kind": "ReplicaSet"});
    let resource = json!({"group": "apps", "version": "v1", "resource": "replicasets"});
    assert_eq!(
        asked,
        json!({
            "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource,
            "name": "web", "namespace": "shop", "operation": "UPDATE", "dryRun": false,
            "userInfo": {"username": "alice", "groups": ["g"], "extra": {"k": ["v"]}},
            "object": {"kind": "ReplicaSet", "metadata": {"name": "web"}},
            "oldObject": {"metadata": {"name": "web", "uid": "u"}},
            "options": {"kind": "UpdateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "m"},
        })
    );
}

#[test]
fn what_is_not_there_is_null_and_a_namespace_is_in_itself() {
    let mut request = attributes(Operation::Delete, json!({}));
    (request.object, request.name, request.namespace) = (None, "shop".into(), String::new());
    request.resource = Arc::new(resource("", "v1", "Namespace", "namespaces"));
    let asked = asked(&request, &request.resource.clone());
    assert_eq!([&asked["object"], &asked["oldObject"], &asked["options"]], [&Json::Null; 3]);
    assert_eq!((&asked["namespace"], &asked["name"]), (&json!("shop"), &json!("shop")));
    assert!(asked.get("subResource").is_none());
}

#[test]
fn an_equivalent_version_and_a_scale_are_shown_as_such() {
    let registry = Registry::built_in().unwrap();
    let (own, other) =
        (registry.find("apps", "v1", "deployments").unwrap(), registry.find("extensions", "v1beta1", "deployments").unwrap());
    let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 3}});
    let mut request = attributes(Operation::Update, object);
    request.resource = own;
    let converted = asked(&request, &other);
    assert_eq!(converted["object"]["apiVersion"], "extensions/v1beta1");
    assert_eq!([&converted["kind"]["group"], &converted["requestKind"]["group"]], ["extensions", "apps"]);
    request.subresource = "scale".into();
    let scaled = asked(&request, &request.resource.clone());
    assert_eq!(scaled["kind"], json!({"group": "autoscaling", "version": "v1", "kind": "Scale"}));
    assert_eq!([&scaled["object"]["kind"], &scaled["object"]["spec"]], [&json!("Scale"), &json!({"replicas": 3})]);
    assert_eq!(scaled["requestSubResource"], "scale");
}

#[test]
fn the_first_known_version_is_spoken() {
    for (versions, expected) in [(vec!["v1"], "v1"), (vec!["v2", "v1beta1", "v1"], "v1beta1")] {
        let body: Json = serde_json::from_slice(&review(&versions, true).unwrap().body).unwrap();
        assert_eq!(body["apiVersion"], format!("admission.k8s.io/{expected}"));
    }
    let fault = review(&["v9"], true).unwrap_err();
    assert!(fault.to_string().contains("webhook does not accept known AdmissionReview versions (v1, v1beta1)"));
    assert_eq!(fault.code(), 400);
}

#[test]
fn only_answers_that_keep_to_the_protocol_count() {
    let invalid = |why: &str| Some(format!("received invalid webhook response: {why}"));
    let v1 = "admission.k8s.io/v1";
    let answer = |response: Json| json!({"apiVersion": v1, "kind": "AdmissionReview", "response": response});
    // Version spoken, mutating, answer (UID stands for the uid), what is wrong with it.
    let table = [
        ("v1", true, answer(json!({"uid": "UID", "allowed": true})), None),
        ("v1", true, answer(json!({"uid": "UID", "allowed": true, "patch": "W10=", "patchType": "JSONPatch"})), None),
        ("v1", true, answer(json!({"uid": "UID", "allowed": true, "patch": null, "patchType": null})), None),
        ("v1", true, json!({"apiVersion": v1, "kind": "AdmissionReview"}), invalid("webhook response was absent")),
        ("v1", true, answer(json!({"uid": "x"})), invalid("expected response.uid=\"UID\", got \"x\"")),
        ("v1", true, answer(json!({})), invalid("expected response.uid=\"UID\", got \"\"")),
        (
            "v1",
            true,
            json!({"response": {"uid": "UID"}}),
            invalid("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind="),
        ),
        (
            "v1",
            false,
            json!({"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "response": {"uid": "UID"}}),
            Some(
                "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion"
                    .to_owned(),
            ),
        ),
        (
            "v1",
            true,
            answer(json!({"uid": "UID", "patch": "W10="})),
            invalid("webhook returned response.patch but not response.patchType"),
        ),
        (
            "v1",
            true,
            answer(json!({"uid": "UID", "patchType": "JSONPatch"})),
            invalid("webhook returned response.patchType but not response.patch"),
        ),
        (
            "v1",
            true,
            answer(json!({"uid": "UID", "patch": "W10=", "patchType": ""})),
            invalid("webhook returned invalid response.patchType of \"\""),
        ),
        ("v1", true, answer(json!({"uid": "UID", "patch": "W10=", "patchType": "X"})), None),
        (
            "v1",
            false,
            answer(json!({"uid": "UID", "patch": "W10=", "patchType": "JSONPatch"})),
            invalid("validating webhook may not return response.patch"),
        ),
        (
            "v1",
            false,
            answer(json!({"uid": "UID", "patchType": "JSONPatch"})),
            invalid("validating webhook may not return response.patchType"),
        ),
        ("v1beta1", true, json!({"response": {"allowed": true, "patch": "W10="}}), None),
        ("v1beta1", false, json!({"response": {"allowed": true, "patch": "W10=", "patchType": "X"}}), None),
        ("v1beta1", false, json!({}), invalid("webhook response was absent")),
        (
            "v1",
            true,
            json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "message": "boom", "code": 418}),
            Some("failed to call webhook: converting (v1.Status) to (v1.AdmissionReview): unknown conversion".to_owned()),
        ),
    ];
    for (version, mutating, answer, expected) in table {
        let review = review(&[version], mutating).unwrap();
        let found = review.read(answer.to_string().replace("UID", &review.uid).as_bytes());
        let found = found.err().map(|fault| fault.to_string().replace(&review.uid, "UID"));
        assert_eq!(found, expected, "{version} {answer}");
    }
}

#[test]
fn an_answer_that_is_no_json_is_a_failed_call() {
    let review = review(&["v1"], true).unwrap();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for body in ["", "hello", "[]", r#"{"response": 7}"#, deep.as_str()] {
        let fault = review.read(body.as_bytes()).unwrap_err();
        assert!(matches!(fault, CallFault::Undecodable(_)) && fault.code() == 503, "{fault}");
    }
}
