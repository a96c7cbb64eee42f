//! Objects that are never decided: of the system, of the fleet, on their way out, or somebody else's children.

use plimsoll_contract::exempt::{GROUPS, is_namespace_exempt};
use plimsoll_contract::kind::Target;
use serde_json::Value as Json;

use super::Config;
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
pub fn exempt(object: &Json, state: &State, config: &Config) -> Option<Exempt> {
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
    if object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null()) {
        return Some(Exempt::Deleting);
    }
    placed_owner(object, state).map(Exempt::Owned)
}

/// Whether objects of a namespace are never decided.
pub fn exempt_namespace(namespace: &str, config: &Config) -> bool {
    is_namespace_exempt(namespace) || config.exempt_namespaces.contains(namespace)
}

fn placed_owner(object: &Json, state: &State) -> Option<String> {
    let owners = object.pointer("/metadata/ownerReferences")?.as_array()?;
    let owner = owners.iter().find(|owner| owner.get("controller") == Some(&Json::Bool(true)))?;
    let (kind, group) = (text(owner, "/kind"), group_of(text(owner, "/apiVersion")));
    is_placed(state, group, kind).then(|| format!("{kind} `{}`", text(owner, "/name")))
}

/// Without any declared kind, the kinds that federation v1 placed are taken to be placed.
fn is_placed(state: &State, group: &str, kind: &str) -> bool {
    let mut rows = state.sources.values().flat_map(|source| &source.kinds).map(|row| &row.kind).peekable();
    if rows.peek().is_none() {
        return Target::of_kind(kind).is_some() && matches!(group, "apps" | "extensions");
    }
    rows.any(|row| row.place && row.kind == kind && row.gvr.group == group)
}

fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::exempt::POLICY_NAMESPACE;
    use serde_json::json;

    use super::*;
    use crate::decision::testing::{config, row, state_with};

    fn check(state: &State, object: &Json) -> Option<Exempt> {
        exempt(object, state, &config())
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
    fn children_follow_a_placed_owner() {
        let child = |controller: bool| {
            json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "controller": controller}]}})
        };
        let owned = Some(Exempt::Owned("Deployment `web`".into()));
        assert_eq!(check(&State::default(), &child(true)), owned, "no kinds declared: federation v1's");
        assert_eq!(check(&State::default(), &child(false)), None);
        let placed = state_with(vec![row("apps/v1/deployments", "Deployment", |row| row.place = true)]);
        assert_eq!(check(&placed, &child(true)), owned);
        let mirrored = state_with(vec![row("apps/v1/deployments", "Deployment", |_| ())]);
        assert_eq!(check(&mirrored, &child(true)), None);
    }
}
