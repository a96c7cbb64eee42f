//! Who may do everything through the API, and nothing with the webhooks of files.

use plimsoll_apiserver::storage::{Change, Expect, Key, Write};
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::{guarded, manifest};
use crate::webhooks::server::{Answer, Kind, MAPS, map, review};

const REGISTRATION: &str = "/apis/admissionregistration.k8s.io";
const RESERVED: &str = "metadata.name: Invalid value: \"guard.static.k8s.io\": names ending with \".static.k8s.io\" are reserved for \
                        static manifest-based configurations and cannot be managed via the API";

/// The tenant may do everything with what registers webhooks, and nothing helps.
#[actix_web::test]
async fn nobody_removes_renames_or_shadows_one_through_the_api() {
    let (server, _folders, hook) = guarded(json!({})).await;
    server.grant("tenant", "*", "admissionregistration.k8s.io", "*").await;
    server.grant("tenant", "*", "", "configmaps").await;
    let open = server.hook([review(json!({}))]);
    let body = |name: &str| {
        let mut body = manifest(Kind::Validating, "guard", &[server.spec("guard", &open.origin(), json!({}))]);
        body["metadata"]["name"] = name.into();
        body
    };
    let guard = body("guard.static.k8s.io");
    let mut beta = guard.clone();
    beta["apiVersion"] = "admissionregistration.k8s.io/v1beta1".into();
    let drawn = json!({"metadata": {"generateName": "guard.static.k8s.io"}, "webhooks": []});
    let bare = json!({"metadata": {"name": "guard.static.k8s.io"}});
    let v1 = format!("{REGISTRATION}/v1/validatingwebhookconfigurations");
    let one = format!("{v1}/guard.static.k8s.io");
    let table = [
        (Method::DELETE, one.clone(), Json::Null, 404, "not found"),
        (Method::PUT, one.clone(), guard.clone(), 404, "not found"),
        (Method::PATCH, one.clone(), json!({"webhooks": []}), 404, "not found"),
        (Method::POST, v1.clone(), guard.clone(), 422, RESERVED),
        (Method::POST, format!("{v1}?dryRun=All"), guard.clone(), 422, RESERVED),
        (Method::PATCH, format!("{one}?fieldManager=me"), guard.clone(), 422, RESERVED),
        (Method::POST, format!("{REGISTRATION}/v1/mutatingwebhookconfigurations"), bare.clone(), 422, RESERVED),
        (Method::POST, format!("{REGISTRATION}/v1beta1/validatingwebhookconfigurations"), beta, 422, RESERVED),
        (Method::POST, format!("{REGISTRATION}/v1alpha1/externaladmissionhookconfigurations"), bare.clone(), 422, RESERVED),
        (Method::POST, format!("{REGISTRATION}/v1alpha1/initializerconfigurations"), bare, 422, RESERVED),
        (Method::POST, v1.clone(), body("mine"), 201, ""),
        (Method::PUT, format!("{v1}/mine"), guard, 400, "does not match"),
        (Method::POST, v1.clone(), drawn, 201, ""),
        (Method::DELETE, v1, Json::Null, 200, ""),
    ];
    for (number, (method, path, object, code, part)) in table.into_iter().enumerate() {
        let answer: Answer = server.ask_as("tenant", method.clone(), &path, &object).await.expect(code);
        assert!(answer.message().contains(part), "{method} {path}: {answer:?}");
        server.ask_as("tenant", Method::POST, MAPS, &map("a")).await.expect(403);
        assert_eq!(hook.came().len(), number + 1, "{method} {path}");
    }
    server.running.stop().await;
}

/// What an earlier version let in stays and may change, as upstream: it is one of the API, beside the one of the file.
#[actix_web::test]
async fn an_object_that_has_such_a_name_already_may_change_with_a_warning() {
    let (server, _folders, hook) = guarded(json!({"failurePolicy": "Ignore"})).await;
    let other = server.hook([review(json!({}))]);
    let stored = manifest(Kind::Validating, "guard", &[server.spec("guard", &other.origin(), json!({}))]);
    let collection = "admissionregistration.k8s.io/validatingwebhookconfigurations";
    let key = Key { collection: collection.into(), namespace: "".into(), name: "guard.static.k8s.io".into() };
    server.running.server().store.write(Write { key, expect: Expect::Absent, change: Change::Put(stored) }).await.unwrap();
    let path = format!("{}/guard.static.k8s.io", Kind::Validating.collection());
    let changed = server.ask(Method::PATCH, &path, &json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
    let warning = "names ending with \\\".static.k8s.io\\\" are reserved for static manifest-based configurations";
    assert!(changed.warnings.iter().any(|text| text.contains(warning)), "{:?}", changed.warnings);
    server.post(MAPS, &map("a")).await.expect(403);
    assert_eq!((hook.came().len(), other.came().len()), (1, 1), "both are asked");
    server.delete(&path).await.expect(200);
    server.post(MAPS, &map("a")).await.expect(403);
    server.running.stop().await;
}

/// A definition of one's own would show what is built in, unjudged.
#[actix_web::test]
async fn a_definition_opens_no_other_door_to_what_registers_webhooks() {
    let (server, _folders, _hook) = guarded(json!({})).await;
    let (group, plural) = ("admissionregistration.k8s.io", "validatingwebhookconfigurations");
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}"), "annotations": {"api-approved.kubernetes.io": "unapproved, mine"}},
        "spec": {
            "group": group, "scope": "Cluster", "names": {"plural": plural, "kind": "Door", "listKind": "DoorList", "singular": "door"},
            "versions": [{"name": "v7", "served": true, "storage": true, "schema": schema}],
        },
    });
    server.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await.expect(201);
    let door = json!({"apiVersion": format!("{group}/v7"), "kind": "Door", "metadata": {"name": "a"}, "webhooks": 7});
    server.post(&format!("{REGISTRATION}/v7/{plural}"), &door).await.expect(404);
    server.post(MAPS, &map("a")).await.expect(403);
    server.running.stop().await;
}
