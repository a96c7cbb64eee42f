//! Objects that are never decided: of the system, of the fleet, on their way out, or somebody else's children.

use plimsoll_contract::annotations::{APPLIED, Applied};
use plimsoll_contract::exempt::{GROUPS, is_namespace_exempt};
use serde_json::Value as Json;

use super::owner::{self, Owner, Presence};
use super::{Config, Subject, Way, Writer};
use crate::state::State;

/// Group and kind of what the control plane writes for itself, and of clusters when no source names a fleet kind.
const KINDS: [(&str, &str); 7] = [
    ("", "Event"),
    ("", "Namespace"),
    ("", "Node"),
    ("cluster.karmada.io", "Cluster"),
    ("coordination.k8s.io", "Lease"),
    ("events.k8s.io", "Event"),
    ("federation", "Cluster"),
];

/// Why an object is never decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Exempt {
    /// The policy namespace, a system namespace or one that the configuration exempts.
    #[error("namespace `{0}` is exempt from placement")]
    Namespace(String),
    /// A kind of the system.
    #[error("kind `{0}` is never placed")]
    Kind(String),
    /// The clusters themselves.
    #[error("kind `{0}` is the fleet itself")]
    Fleet(String),
    /// Moving what is being deleted would only delay it.
    #[error("the object is being deleted")]
    Deleting,
    /// The owner is placed; its children follow it.
    #[error("the object belongs to {0}, which is placed itself")]
    Owned(String),
}

/// Says why the object is never decided, or nothing if it is to be decided.
pub fn exempt(subject: Subject<'_>, state: &State, config: &Config) -> Option<Exempt> {
    let object = subject.object;
    let kind = text(object, "/kind");
    let group = group_of(text(object, "/apiVersion"));
    if state.fleet().is_some_and(|fleet| fleet.kind == kind && fleet.gvr.group == group) {
        return Some(Exempt::Fleet(kind.into()));
    }
    if GROUPS.contains(&group) || KINDS.contains(&(group, kind)) {
        return Some(Exempt::Kind(kind.into()));
    }
    let namespace = text(object, "/metadata/namespace");
    if exempt_namespace(namespace, config) {
        return Some(Exempt::Namespace(namespace.into()));
    }
    if is_deleting(subject) {
        return Some(Exempt::Deleting);
    }
    match owner::owner(object, state)? {
        // What an object says of its owner is user-writable; who writes it is not.
        owner if subject.writer == Writer::Controller => Some(Exempt::Owned(owner.to_string())),
        owner if subject.writer == Writer::Unknown && follows(subject, &owner) => Some(Exempt::Owned(owner.to_string())),
        _ => None,
    }
}

/// Where nobody says who wrote it. A stored child whose owner no mirror would show may be a controller's, which would fight.
fn follows(subject: Subject<'_>, owner: &Owner) -> bool {
    let is_believed = match owner.presence {
        Presence::There => true,
        Presence::Unseen => matches!(subject.way, Way::Stored),
        Presence::Absent => false,
    };
    is_believed && !has_own_record(subject.object)
}

/// Only an API server says so: in a new object, or a new version of one, a deletionTimestamp is the user's own writing.
fn is_deleting(subject: Subject<'_>) -> bool {
    match subject.way {
        Way::Create => false,
        Way::Update(stored) => stored.is_deleting(),
        Way::Stored => subject.object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null()),
    }
}

/// Whether objects of a namespace are never decided.
pub fn exempt_namespace(namespace: &str, config: &Config) -> bool {
    is_namespace_exempt(namespace) || config.exempt_namespaces.contains(namespace)
}

/// Whether the object carries a record of its own kind: policy placed it, so it does not just follow an owner. The copy that the
/// deployment controller makes of a Deployment's annotations names the Deployment.
pub fn has_own_record(object: &Json) -> bool {
    let record = object.pointer("/metadata/annotations").and_then(|annotations| annotations.get(APPLIED)?.as_str());
    let record = record.and_then(|text| Applied::parse(text).ok());
    record.is_some_and(|record| !record.kind.is_empty() && record.kind == text(object, "/kind"))
}

pub(super) fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

pub(super) fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::exempt::POLICY_NAMESPACE;
    use serde_json::json;

    use super::*;
    use crate::decision::Previous;
    use crate::decision::testing::{config, row, state_of, state_with};

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
}
