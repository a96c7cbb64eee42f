//! Which writes the engine is asked about. An existing object is never trapped (T2), and the control plane's own writes
//! never wait for the engine (T3).

use std::collections::BTreeSet;

use plimsoll_contract::exempt::{GROUPS, is_namespace_exempt};
use serde_json::Value as Json;

use super::ConfigError;
use crate::admission::{Attributes, Operation};

/// What the control plane writes for itself, and the fleet.
const RESOURCES: [&str; 6] =
    ["clusters.federation", "events", "events.events.k8s.io", "leases.coordination.k8s.io", "namespaces", "nodes"];

/// Fields that are no wish of the user's.
const NOT_INTENT: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// The resources that are asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    resources: BTreeSet<String>,
}

impl Scope {
    /// Refuses resources that are never placed.
    pub(super) fn new(resources: &[String]) -> Result<Self, ConfigError> {
        for name in resources {
            let (plural, group) = name.split_once('.').unwrap_or((name, ""));
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
            if plural.is_empty() || !name.chars().all(is_plain) {
                return Err(ConfigError::Resource(name.clone()));
            }
            if GROUPS.contains(&group) || RESOURCES.contains(&name.as_str()) {
                return Err(ConfigError::Exempt(name.clone()));
            }
        }
        Ok(Self { resources: resources.iter().cloned().collect() })
    }

    /// Whether the write needs a decision.
    pub(super) fn asks_about(&self, request: &Attributes) -> bool {
        self.includes(request)
            && match (request.operation, &request.object, &request.old) {
                (Operation::Create, ..) => true,
                (Operation::Update, Some(new), Some(old)) => !is_deleting(old) && changes_intent(old, new),
                (Operation::Update, ..) => true,
                (Operation::Delete | Operation::Connect, ..) => false,
            }
    }

    /// Whether the write changes an object that is being deleted.
    pub(super) fn freezes(&self, request: &Attributes) -> bool {
        self.includes(request) && request.operation == Operation::Update && request.old.as_deref().is_some_and(is_deleting)
    }

    fn includes(&self, request: &Attributes) -> bool {
        self.resources.contains(&request.resource.qualified())
            && request.subresource.is_empty()
            && !is_namespace_exempt(&request.namespace)
    }
}

/// Whether a stored object is being deleted. (A deletionTimestamp in the new object alone would be the user's own writing.)
fn is_deleting(old: &Json) -> bool {
    old.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null())
}

/// Whether labels, annotations, spec or another field of the kind's own differ.
fn changes_intent(old: &Json, new: &Json) -> bool {
    let differs = |pointer: &str| filled(old.pointer(pointer)) != filled(new.pointer(pointer));
    let fields = [old, new].into_iter().filter_map(Json::as_object).flat_map(|fields| fields.keys());
    let mut own = fields.filter(|name| !NOT_INTENT.contains(&name.as_str()));
    differs("/metadata/labels")
        || differs("/metadata/annotations")
        || own.any(|name| filled(old.get(name)) != filled(new.get(name)))
}

/// An empty map, `null` and an absent field are one.
fn filled(value: Option<&Json>) -> Option<&Json> {
    value.filter(|value| !value.is_null() && value.as_object().is_none_or(|map| !map.is_empty()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plimsoll_contract::exempt::POLICY_NAMESPACE;
    use serde_json::json;

    use super::*;
    use crate::admission::testing::{attributes, resource};

    fn scope() -> Scope {
        Scope::new(&["replicasets.apps".into(), "roles.example.com".into()]).unwrap()
    }

    fn create(resource_name: &str, namespace: &str) -> Attributes {
        let (plural, group) = resource_name.split_once('.').unwrap_or((resource_name, ""));
        let mut request = attributes(Operation::Create, json!({"metadata": {"name": "x"}}));
        request.resource = Arc::new(resource(group, "v1", "Any", plural));
        request.namespace = namespace.into();
        request
    }

    #[test]
    fn t03_only_listed_resources_outside_the_system_are_asked_about() {
        let table = [
            ("replicasets.apps", "shop", true),
            ("roles.example.com", "shop", true),
            ("replicasets.extensions", "shop", false),
            ("events", "shop", false),
            ("configmaps", "shop", false),
            ("replicasets.apps", "kube-system", false),
            ("replicasets.apps", "kube-public", false),
            ("replicasets.apps", POLICY_NAMESPACE, false),
            ("replicasets.apps", "kubernetes-things", true),
        ];
        for (name, namespace, expected) in table {
            assert_eq!(scope().asks_about(&create(name, namespace)), expected, "{name} in {namespace}");
        }
    }

    #[test]
    fn t03_what_is_never_placed_cannot_be_configured() {
        for name in
            ["events", "namespaces", "clusters.federation", "roles.rbac.authorization.k8s.io", "leases.coordination.k8s.io"]
        {
            assert!(matches!(Scope::new(&[name.into()]), Err(ConfigError::Exempt(_))), "{name}");
        }
        for name in ["", ".apps", "Deployments.apps", "*", "deployments/apps"] {
            assert!(matches!(Scope::new(&[name.into()]), Err(ConfigError::Resource(_))), "{name}");
        }
    }

    #[test]
    fn only_create_and_update_of_whole_objects_are_asked_about() {
        let mut request = create("replicasets.apps", "shop");
        for subresource in ["status", "scale"] {
            request.subresource = subresource.into();
            assert!(!scope().asks_about(&request), "{subresource}");
        }
        request.subresource.clear();
        request.operation = Operation::Delete;
        assert!(!scope().asks_about(&request));
        (request.operation, request.dry_run) = (Operation::Create, true);
        assert!(scope().asks_about(&request), "a dry run asks, too");
    }

    #[test]
    fn t02_what_changes_no_intent_is_never_trapped() {
        let old = json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"replicas": 1}, "status": {"replicas": 1},
            "metadata": {"labels": {"a": "b"}, "finalizers": ["f"], "resourceVersion": "1"},
        });
        let asks = |old: &Json, pointer: &str, value: Json| {
            let mut new = old.clone();
            let parent = new.pointer_mut(pointer.rsplit_once('/').unwrap().0).unwrap();
            parent[pointer.rsplit_once('/').unwrap().1] = value;
            let mut request = create("replicasets.apps", "shop");
            (request.operation, request.object, request.old) = (Operation::Update, Some(new), Some(Arc::new(old.clone())));
            (scope().asks_about(&request), scope().freezes(&request))
        };
        let table = [
            ("/status", json!({"replicas": 0}), false),
            ("/metadata/finalizers", json!([]), false),
            ("/metadata/ownerReferences", json!([{}]), false),
            ("/metadata/annotations", json!({}), false),
            ("/metadata/annotations", json!({"a": "b"}), true),
            ("/metadata/labels", json!(null), true),
            ("/spec/replicas", json!(2), true),
            ("/data", json!({"a": "b"}), true),
            ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"), false),
        ];
        for (pointer, value, expected) in table {
            assert_eq!(asks(&old, pointer, value.clone()), (expected, false), "{pointer} {value}");
        }
        let mut deleting = old.clone();
        deleting["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        assert_eq!(asks(&deleting, "/spec/replicas", json!(2)), (false, true), "not decided, but frozen");
    }
}
