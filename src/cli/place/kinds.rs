//! The table of kinds without an API server: from the sidecar's configuration, or guessed from the manifests as `kubectl` guesses.

use std::collections::BTreeMap;

use plimsoll_contract::kind::{Gvr, Kind, Target};

use super::read::Manifest;

/// Kubernetes' own kinds that live in no namespace.
const CLUSTER_SCOPED: [&str; 12] = [
    "APIService",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "IngressClass",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "StorageClass",
    "ValidatingWebhookConfiguration",
];

/// The kind of the clusters, in any API group.
const FLEET: &str = "Cluster";

/// Returns the rows with the kind names and scopes that the sidecar gets from discovery, guessed from the manifests.
pub(super) fn complete(rows: Vec<Kind>, manifests: &[&Manifest]) -> Vec<Kind> {
    let guessed = guess(manifests);
    let same = |row: &Kind, guess: &Kind| if row.kind.is_empty() { row.gvr == guess.gvr } else { is_same(row, guess) };
    let complete = |row: Kind| match guessed.iter().find(|guess| same(&row, guess)) {
        Some(guess) => Kind { kind: guess.kind.clone(), namespaced: guess.namespaced, ..row },
        None => row,
    };
    rows.into_iter().map(complete).collect()
}

fn is_same(a: &Kind, b: &Kind) -> bool {
    a.kind == b.kind && a.gvr.api_version() == b.gvr.api_version()
}

/// Returns a row for every kind of the manifests. Clusters are the fleet; ReplicaSets and Deployments, the kinds of federation v1, are
/// placed.
pub(super) fn guess(manifests: &[&Manifest]) -> Vec<Kind> {
    let mut kinds: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for manifest in manifests {
        let has_namespace = !manifest.text("/metadata/namespace").is_empty();
        *kinds.entry((manifest.text("/apiVersion"), manifest.text("/kind"))).or_default() |= has_namespace;
    }
    for kind in ["ReplicaSet", "Deployment"] {
        kinds.entry(("apps/v1", kind)).or_insert(true);
    }
    kinds.into_iter().map(|((api_version, kind), has_namespace)| row(api_version, kind, has_namespace)).collect()
}

fn row(api_version: &str, kind: &str, has_namespace: bool) -> Kind {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let gvr = Gvr { group: group.into(), version: version.into(), resource: plural(kind) };
    let built_in = !group.contains('.') || group.ends_with(".k8s.io");
    let namespaced = has_namespace || (built_in && kind != FLEET && !CLUSTER_SCOPED.contains(&kind));
    Kind { namespaced, fleet: kind == FLEET, place: Target::of_kind(kind).is_some(), ..Kind::new(gvr, kind) }
}

/// Returns the plural of a kind, as `kubectl` guesses it.
pub(in crate::cli) fn plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match kind.strip_suffix('y') {
        _ if kind.ends_with("endpoints") => kind,
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manifest(api_version: &str, kind: &str, namespace: &str) -> Manifest {
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", "namespace": namespace}});
        Manifest { object, place: String::new() }
    }

    #[test]
    fn kinds_are_guessed_as_kubectl_does() {
        let cases = [
            ("cluster.karmada.io/v1alpha1", "Cluster", "", "cluster.karmada.io/v1alpha1/clusters", false),
            ("federation/v1beta1", "Cluster", "", "federation/v1beta1/clusters", false),
            ("v1", "ConfigMap", "", "v1/configmaps", true),
            ("v1", "Namespace", "", "v1/namespaces", false),
            ("networking.k8s.io/v1", "NetworkPolicy", "", "networking.k8s.io/v1/networkpolicies", true),
            ("networking.k8s.io/v1", "Ingress", "n", "networking.k8s.io/v1/ingresses", true),
            ("v1", "Endpoints", "n", "v1/endpoints", true),
            ("example.com/v1", "Customer", "", "example.com/v1/customers", false),
            ("example.com/v1", "Customer", "n", "example.com/v1/customers", true),
        ];
        for (api_version, kind, namespace, gvr, namespaced) in cases {
            let rows = guess(&[&manifest(api_version, kind, namespace)]);
            let row = rows.iter().find(|row| row.kind == kind).unwrap();
            assert_eq!((row.gvr.to_string().as_str(), row.namespaced, row.fleet), (gvr, namespaced, kind == "Cluster"));
        }
    }

    #[test]
    fn a_configured_row_gets_what_discovery_would_say() {
        let rows = vec![Kind { kind: String::new(), ..Kind::new(Gvr::try_from("v1/namespaces".to_owned()).unwrap(), "") }];
        let complete = complete(rows, &[&manifest("v1", "Namespace", "")]);
        assert_eq!((complete[0].kind.as_str(), complete[0].namespaced), ("Namespace", false));
    }
}
