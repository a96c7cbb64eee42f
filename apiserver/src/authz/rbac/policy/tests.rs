//! Roles and bindings together.

use serde_json::{Value as Json, json};

use super::*;
use crate::authz::request::Access;

fn policy(objects: &Json) -> Policy {
    let objects: Vec<Vec<u8>> = objects.as_array().unwrap().iter().map(|object| object.to_string().into_bytes()).collect();
    Policy::read(objects.iter().map(Vec::as_slice))
}

fn binding(kind: &str, namespace: &str, role: &str, subject: Json) -> Json {
    let (role_kind, role_name) = role.split_once('/').unwrap();
    json!({
        "kind": kind, "metadata": {"name": "bound", "namespace": namespace},
        "roleRef": {"apiGroup": GROUP, "kind": role_kind, "name": role_name}, "subjects": [subject],
    })
}

fn get_pods(namespace: &str) -> What<'_> {
    What::Resource(Access { verb: "get", resource: "pods", namespace, name: "x", ..Access::default() })
}

const RULES: &str = r#"[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]"#;

fn reader() -> Json {
    json!({"kind": "ClusterRole", "metadata": {"name": "reader"}, "rules": serde_json::from_str::<Json>(RULES).unwrap()})
}

#[test]
fn a_binding_grants_where_it_is() {
    let alice = json!({"kind": "User", "name": "alice"});
    let local = json!({"kind": "Role", "metadata": {"name": "local", "namespace": "a"}, "rules": reader()["rules"]});
    let cases = [
        (json!([reader(), binding("ClusterRoleBinding", "", "ClusterRole/reader", alice.clone())]), [true, true, true]),
        (json!([reader(), binding("RoleBinding", "a", "ClusterRole/reader", alice.clone())]), [true, false, false]),
        (json!([local, binding("RoleBinding", "a", "Role/local", alice.clone())]), [true, false, false]),
        (json!([local, binding("RoleBinding", "b", "Role/local", alice.clone())]), [false, false, false]),
        (json!([local, binding("ClusterRoleBinding", "", "Role/local", alice.clone())]), [false, false, false]),
        (
            json!([reader(), binding("ClusterRoleBinding", "", "ClusterRole/reader", json!({"kind": "User", "name": "bob"}))]),
            [false; 3],
        ),
        (json!([reader()]), [false; 3]),
        (json!([]), [false; 3]),
    ];
    let alice = User::authenticated("alice", "", vec![]);
    for (objects, expected) in cases {
        let policy = policy(&objects);
        let found = ["a", "b", ""].map(|namespace| policy.authorize(&alice, &get_pods(namespace)).is_allowed());
        assert_eq!(found, expected, "{objects}");
    }
}

#[test]
fn reasons_name_the_binding_and_what_is_lost() {
    let robot = json!({"kind": "ServiceAccount", "name": "robot"});
    let objects = json!([
        reader(),
        binding("RoleBinding", "a", "ClusterRole/reader", robot),
        binding("ClusterRoleBinding", "", "ClusterRole/gone", json!({"kind": "Group", "name": "dev"})),
    ]);
    let policy = policy(&objects);
    let robot = User::service_account("a", "robot", "");
    let verdict = policy.authorize(&robot, &get_pods("a"));
    let expected = r#"RBAC: allowed by RoleBinding "bound/a" of ClusterRole "reader" to ServiceAccount "robot/a""#;
    assert_eq!(verdict, Verdict::Allowed(expected.into()));
    let dev = User::authenticated("dan", "", vec!["dev".into()]);
    let lost = r#"RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found"#;
    assert_eq!(policy.authorize(&dev, &get_pods("a")), Verdict::NoOpinion(lost.into()));
}

#[test]
fn masters_need_no_rule() {
    let admin = User::authenticated("admin", "", vec!["system:masters".into()]);
    assert_eq!(Policy::default().authorize(&admin, &get_pods("a")), Verdict::Allowed("".into()));
}

#[test]
fn what_is_missing_is_told() {
    let alice = json!({"kind": "User", "name": "alice"});
    let policy = policy(&json!([reader(), binding("ClusterRoleBinding", "", "ClusterRole/reader", alice)]));
    let user = User::authenticated("alice", "", vec!["dev".into()]);
    let rules: Vec<Rule> = serde_json::from_str(RULES).unwrap();
    assert_eq!(policy.has_all(&user, "", &rules), Ok(()));
    let more = Rule { verbs: vec!["delete".into()], ..rules[0].clone() };
    let expected = "user \"alice\" (groups=[\"dev\" \"system:authenticated\"]) is attempting to grant RBAC permissions \
                    not currently held:\n{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}";
    assert_eq!(policy.has_all(&user, "", &[more]).unwrap_err().to_string(), expected);
}

#[test]
fn a_broken_object_grants_nothing_and_harms_no_other() {
    let alice = json!({"kind": "User", "name": "alice"});
    let good = [reader(), binding("ClusterRoleBinding", "", "ClusterRole/reader", alice)].map(|object| object.to_string());
    let all = [good[0].as_str(), "{", r#"{"kind":"ClusterRole","rules":"all"}"#, good[1].as_str()];
    let policy = Policy::read(all.iter().map(|text| text.as_bytes()));
    let alice = User::authenticated("alice", "", vec![]);
    assert!(policy.authorize(&alice, &get_pods("a")).is_allowed());
}
