//! Tokens that are granted, and those that are not; the texts are those of a running kube-apiserver 1.36.3.

use super::*;
use crate::authn::{Authenticator, StaticTokens};
use crate::storage::{Change, Expect, HistoryLimits, Options, Store, Write};
use std::sync::Arc;

async fn store() -> Store {
    let store = Store::open(Options { path: None, fsync: false, history: HistoryLimits::default() }).unwrap();
    let objects = [
        ("serviceaccounts", "robot", json!({"metadata": {"uid": "7"}})),
        ("pods", "web", json!({"metadata": {"uid": "8"}, "spec": {"serviceAccountName": "robot"}})),
        ("pods", "other", json!({"metadata": {"uid": "9"}, "spec": {"serviceAccountName": "default"}})),
    ];
    for (plural, name, object) in objects {
        let write = Write { key: key(plural, "default", name), expect: Expect::Absent, change: Change::Put(object) };
        store.write(write).await.unwrap();
    }
    store
}

fn signing() -> TokenKey {
    TokenKey::from_pkcs8(&rcgen::KeyPair::generate().unwrap().serialize_der()).unwrap()
}

const ROBOT: Account<'static> = Account { namespace: "default", name: "robot" };

#[tokio::test]
async fn a_granted_token_is_known() {
    let (store, key) = (store().await, Arc::new(signing()));
    let ask = |request: Json| grant(&key, &store.snapshot(), ROBOT, &request, OffsetDateTime::now_utc()).unwrap();
    let authenticator = Authenticator::new(StaticTokens::default()).with_accounts(Arc::clone(&key), store.clone());
    let own = ask(json!({}));
    assert_eq!(own["spec"], json!({"audiences": [ISSUER], "expirationSeconds": 3600, "boundObjectRef": null}));
    assert_eq!((&own["metadata"]["name"], &own["metadata"]["uid"]), (&json!("robot"), &json!("7")));
    let user = authenticator.authenticate("/api", own["status"]["token"].as_str(), None).unwrap();
    assert_eq!(user.name, "system:serviceaccount:default:robot");
    let bound = json!({"kind": "Pod", "apiVersion": "v1", "name": "web"});
    let bound = ask(json!({"spec": {"boundObjectRef": bound, "expirationSeconds": 600}}));
    let user = authenticator.authenticate("/api", bound["status"]["token"].as_str(), None).unwrap();
    assert_eq!(user.extra["authentication.kubernetes.io/pod-name"], ["web"]);
    let vault = ask(json!({"spec": {"audiences": ["vault"]}}));
    assert!(authenticator.authenticate("/api", vault["status"]["token"].as_str(), None).is_err(), "for another audience");
    store.close();
}

#[tokio::test]
async fn a_bad_request_is_refused_in_kubernetes_words() {
    let (store, key) = (store().await, signing());
    let bound = |kind: &str, name: &str, uid: &str| json!({"spec": {"boundObjectRef": {"kind": kind, "apiVersion": "v1", "name": name, "uid": uid}}});
    let cases = [
        (
            json!({"spec": {"expirationSeconds": 599}}),
            422,
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
        ),
        (
            json!({"spec": {"expirationSeconds": 8_589_934_592_i64}}),
            422,
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds",
        ),
        (json!({"spec": {"expirationSeconds": "x"}}), 400, "spec: invalid type"),
        (
            json!({"metadata": {"name": "other"}}),
            422,
            "TokenRequest.authentication.k8s.io \"robot\" is invalid: metadata.name: Invalid value: \"other\": must match the service account name if specified",
        ),
        (
            json!({"metadata": {"namespace": "other"}}),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            json!({"metadata": {"uid": "other"}}),
            409,
            "Operation cannot be fulfilled on TokenRequest.authentication.k8s.io \"robot\": the UID in the token request (other) does not match the UID of the service account (7)",
        ),
        (bound("Pod", "none", ""), 404, "pods \"none\" not found"),
        (
            bound("Pod", "web", "1"),
            409,
            "Operation cannot be fulfilled on Pod \"web\": the UID in the bound object reference (1) does not match",
        ),
        (
            bound("Pod", "other", ""),
            400,
            "cannot bind token for serviceaccount \"robot\" to pod running with different serviceaccount name.",
        ),
        (bound("Secret", "none", ""), 404, "secrets \"none\" not found"),
        (bound("ConfigMap", "none", ""), 400, "cannot bind token to object of type /v1, Kind=ConfigMap"),
    ];
    for (request, code, message) in cases {
        let status = grant(&key, &store.snapshot(), ROBOT, &request, OffsetDateTime::now_utc()).unwrap_err();
        assert!(status.code == code && status.message.starts_with(message), "{request}: {} {}", status.code, status.message);
    }
    let nobody = Account { name: "nobody", ..ROBOT };
    let status = grant(&key, &store.snapshot(), nobody, &json!({}), OffsetDateTime::now_utc()).unwrap_err();
    assert_eq!(status.message, "serviceaccounts \"nobody\" not found");
    store.close();
}
