//! Who is exempt: the system, the fleet, what is on its way out, and children by who writes them.

use plimsoll_contract::exempt::POLICY_NAMESPACE;
use plimsoll_contract::source::Declare;
use serde_json::json;

use super::*;
use crate::decision::Previous;
use crate::decision::testing::{config, row, state_of, state_with};
use crate::snapshot::{Store, StoreOptions};

fn by(writer: Writer, way: Way<'_>, state: &State, object: &Json) -> Option<Exempt> {
    exempt(Subject { object, kind: None, way, writer, last: None }, state, &config())
}

fn check(state: &State, object: &Json) -> Option<Exempt> {
    by(Writer::Unknown, Way::Stored, state, object)
}

#[test]
fn t02_the_fix_of_a_policy_is_never_decided() {
    let policy = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": POLICY_NAMESPACE, "name": "p"}});
    assert_eq!(check(&State::default(), &policy), Some(Exempt::Namespace(POLICY_NAMESPACE.into())));
}

#[test]
fn t03_what_the_control_plane_writes_for_itself_is_never_decided() {
    for (api_version, kind) in [
        ("v1", "Event"),
        ("events.k8s.io/v1", "Event"),
        ("v1", "Namespace"),
        ("v1", "Node"),
        ("coordination.k8s.io/v1", "Lease"),
        ("federation/v1beta1", "Cluster"),
        ("cluster.karmada.io/v1alpha1", "Cluster"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
        ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("apiregistration.k8s.io/v1", "APIService"),
        ("authentication.k8s.io/v1", "TokenReview"),
        ("authorization.k8s.io/v1", "SubjectAccessReview"),
    ] {
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"namespace": "shop"}});
        assert_eq!(check(&State::default(), &object), Some(Exempt::Kind(kind.into())), "{api_version} {kind}");
    }
    for namespace in ["kube-system", "kube-public", "ops"] {
        let object = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"namespace": namespace}});
        assert_eq!(check(&State::default(), &object), Some(Exempt::Namespace(namespace.into())));
    }
}

#[test]
fn a_workload_of_a_team_is_decided_even_if_its_kind_is_named_like_one_of_the_system() {
    for (api_version, kind) in [("apps/v1", "ReplicaSet"), ("example.com/v1", "Node"), ("v1", "ConfigMap")] {
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"namespace": "shop", "name": "x"}});
        assert_eq!(check(&State::default(), &object), None, "{api_version} {kind}");
    }
}

#[test]
fn the_declared_fleet_kind_is_exempt_in_every_version() {
    let state = state_with(vec![row("fleet.example.com/v1/members", "Member", |row| row.fleet = true)]);
    let object = json!({"apiVersion": "fleet.example.com/v2", "kind": "Member", "metadata": {"name": "a"}});
    assert_eq!(check(&state, &object), Some(Exempt::Fleet("Member".into())));
}

#[test]
fn an_object_that_is_being_deleted_is_left_alone() {
    let mut object = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"deletionTimestamp": null}});
    assert_eq!(check(&State::default(), &object), None);
    object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert_eq!(check(&State::default(), &object), Some(Exempt::Deleting));
}

#[test]
fn only_an_api_server_says_that_an_object_is_being_deleted() {
    let plain = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {}});
    let mut deleting = plain.clone();
    deleting["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let state = State::default();
    assert_eq!(by(Writer::Other, Way::Create, &state, &deleting), None);
    let (stored, leaving) = (plain.to_string(), deleting.to_string());
    let (stored, leaving) = (Previous::read(stored.as_bytes()).unwrap(), Previous::read(leaving.as_bytes()).unwrap());
    assert_eq!(by(Writer::Other, Way::Update(&stored), &state, &deleting), None);
    assert_eq!(by(Writer::Other, Way::Update(&leaving), &state, &plain), Some(Exempt::Deleting));
}

fn child(controller: bool, uid: &str) -> Json {
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"namespace": "shop", "ownerReferences": [
        {"apiVersion": "apps/v1beta1", "kind": "Deployment", "name": "web", "uid": uid, "controller": controller}]}})
}

#[test]
fn a_child_is_exempt_by_who_writes_it() {
    let state = state_with(vec![row("apps/v1/deployments", "Deployment", |row| row.place = true)]);
    let owned = Some(Exempt::Owned("Deployment `web`".into()));
    let write = |writer, object: &Json| by(writer, Way::Create, &state, object);
    assert_eq!(write(Writer::Controller, &child(true, "u")), owned, "whatever the mirror knows");
    assert_eq!(write(Writer::Controller, &child(false, "u")), None);
    assert_eq!(write(Writer::Other, &child(true, "u")), None);
    assert_eq!(write(Writer::Unknown, &child(true, "u")), None, "the owner is not there");
    let mirrored = state_with(vec![row("apps/v1/deployments", "Deployment", |_| ())]);
    assert_eq!(by(Writer::Controller, Way::Create, &mirrored, &child(true, "u")), None, "not placed");
}

#[test]
fn where_the_writer_is_not_known_the_owner_must_be_there() {
    let rows = vec![row("apps/v1/deployments", "Deployment", |row| row.place = true)];
    let web =
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": "shop", "name": "web", "uid": "u"}});
    let state = state_of(rows, &[web]);
    let check = |object: &Json| by(Writer::Unknown, Way::Stored, &state, object);
    let owned = Some(Exempt::Owned("Deployment `web`".into()));
    assert_eq!(check(&child(true, "u")), owned);
    assert_eq!(check(&child(true, "other")), None, "another uid");
    let mut elsewhere = child(true, "u");
    elsewhere["metadata"]["namespace"] = json!("bank");
    assert_eq!(check(&elsewhere), None, "another namespace");
    let with_record = |kind: &str| {
        let record = Applied { kind: kind.into(), ..Applied::default() }.encode();
        let mut child = child(true, "u");
        child["metadata"]["annotations"] = json!({APPLIED: record});
        child
    };
    assert_eq!(check(&with_record("Deployment")), owned, "a controller's copy is nobody's");
    assert_eq!(check(&with_record("")), owned, "a copy made before records named their kind");
    assert_eq!(check(&with_record("ReplicaSet")), None, "policy placed it");
}

#[test]
fn a_source_exempts_namespaces_for_its_own_kinds_alone() {
    let store = Store::new(StoreOptions::default()).unwrap();
    let declare = |name: &str, gvr: &str, kind: &str, exempt: &[&str]| {
        let exempt_namespaces = exempt.iter().map(|name| (*name).to_owned()).collect();
        let kinds = vec![row(gvr, kind, |row| row.place = true)];
        store.declare(name, Declare { kinds, exempt_namespaces, ..Declare::default() }).unwrap();
    };
    declare("one", "apps/v1/replicasets", "ReplicaSet", &["cilium", "shop"]);
    declare("two", "apps/v1/deployments", "Deployment", &["calico-system"]);
    let is_exempt = |api_version: &str, kind: &str, namespace: &str| {
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"namespace": namespace, "name": "x"}});
        check(&store.load().state, &object) == Some(Exempt::Namespace(namespace.into()))
    };
    let cases = [
        ("apps/v1", "ReplicaSet", "cilium", true),
        ("apps/v1", "ReplicaSet", "shop", true),
        ("apps/v1", "ReplicaSet", "calico-system", false),
        ("apps/v1", "ReplicaSet", "cilium-2", false),
        ("apps/v1", "Deployment", "cilium", false),
        ("apps/v1", "Deployment", "calico-system", true),
        ("example.com/v1", "ReplicaSet", "cilium", false),
        ("batch/v1", "Job", "cilium", false),
        ("batch/v1", "Job", "ops", true),
        ("batch/v1", "Job", "kube-system", true),
    ];
    for (api_version, kind, namespace, expected) in cases {
        assert_eq!(is_exempt(api_version, kind, namespace), expected, "{api_version} {kind} {namespace}");
    }
    declare("one", "apps/v1/replicasets", "ReplicaSet", &[]);
    assert!(!is_exempt("apps/v1", "ReplicaSet", "cilium"), "as it is declared now");
}
