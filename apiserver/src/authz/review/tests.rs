//! The answers of a running kube-apiserver 1.36.3 to the same questions (`cases.json`), and questions about tokens.

use serde_json::json;

use super::*;
use crate::authn::StaticTokens;
use crate::authn::user::split_service_account;
use crate::authz::rbac::bootstrap;

/// What the kube-apiserver that was asked held beside its own roles.
fn policy() -> Policy {
    let own = json!([
        {"kind": "ClusterRole", "metadata": {"name": "reader"}, "rules": [
            {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]},
            {"verbs": ["get"], "apiGroups": ["apps"], "resources": ["deployments/scale"], "resourceNames": ["web"]},
            {"verbs": ["get"], "nonResourceURLs": ["/metrics"]},
        ]},
        {"kind": "ClusterRoleBinding", "metadata": {"name": "read"}, "roleRef": {"kind": "ClusterRole", "name": "reader"},
         "subjects": [{"kind": "User", "name": "alice"}]},
        {"kind": "RoleBinding", "metadata": {"name": "lost", "namespace": "default"},
         "roleRef": {"kind": "Role", "name": "gone"}, "subjects": [{"kind": "Group", "name": "dev"}]},
    ]);
    let objects = own.as_array().unwrap().iter().cloned().chain(bootstrap::objects().unwrap());
    let objects: Vec<String> = objects.map(|object| object.to_string()).collect();
    Policy::read(objects.iter().map(String::as_bytes))
}

fn ask(user: &User, kind: &str, object: Json) -> Result<Json, Status> {
    let tokens = StaticTokens::parse("secret,carol,7,dev").unwrap();
    let authenticator = Authenticator::new(tokens);
    review(&Reviewer { user, policy: &policy(), authenticator: &authenticator }, kind, object)
}

/// Upstream lists rules in no particular order.
fn sorted(mut status: Json) -> Json {
    for field in ["resourceRules", "nonResourceRules"] {
        if let Some(rules) = status.get_mut(field).and_then(Json::as_array_mut) {
            rules.sort_by_key(Json::to_string);
        }
    }
    status
}

#[test]
fn answers_are_those_of_kube_apiserver() {
    let cases: Vec<Json> = serde_json::from_str(include_str!("cases.json")).unwrap();
    assert!(cases.len() > 25);
    for case in cases {
        let groups: Vec<String> = serde_json::from_value(case["groups"].clone()).unwrap();
        let name = case["user"].as_str().unwrap();
        let user = match split_service_account(name) {
            Some((namespace, name)) => User::service_account(namespace, name, ""),
            None => User::authenticated(name, "", groups),
        };
        let expected = &case["expected"];
        match ask(&user, case["kind"].as_str().unwrap(), case["review"].clone()) {
            Ok(answer) => assert_eq!(sorted(answer["status"].clone()), sorted(expected["status"].clone()), "{case}"),
            Err(status) => {
                assert_eq!(
                    (json!(status.code), json!(status.message)),
                    (expected["code"].clone(), expected["message"].clone()),
                    "{case}"
                );
            }
        }
    }
}

#[test]
fn a_named_question_is_refused() {
    let named = json!({"metadata": {"name": "x"}, "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}});
    let status = ask(&User::anonymous(), "SelfSubjectAccessReview", named).unwrap_err();
    let expected = r#".authorization.k8s.io "" is invalid: metadata: Invalid value: {"name":"x"}: must be empty"#;
    assert_eq!(status.message, expected);
}

#[test]
fn tokens_are_reviewed() {
    let user = User::anonymous();
    let token = |spec: Json| ask(&user, "TokenReview", json!({ "spec": spec }));
    let known = json!({
        "authenticated": true,
        "user": {"username": "carol", "uid": "7", "groups": ["dev", "system:authenticated"]},
        "audiences": [ISSUER],
    });
    assert_eq!(token(json!({"token": "secret"})).unwrap()["status"], known);
    for spec in [json!({"token": "wrong"}), json!({"token": "secret", "audiences": ["vault"]})] {
        let status = token(spec).unwrap()["status"].clone();
        assert!(status["error"].as_str().unwrap().starts_with("invalid bearer token") && status.get("authenticated").is_none());
    }
    assert_eq!(token(json!({})).unwrap_err().message, "token is required for TokenReview in authentication");
    assert_eq!(token(json!({"token": 7})).unwrap_err().code, 400);
}
