//! Objects that users make.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value as Json, json};

pub(crate) const PREFERENCES: &str = "federation.kubernetes.io/replica-set-preferences";
pub(crate) const DEPLOYMENT_PREFERENCES: &str = "federation.kubernetes.io/deployment-preferences";
pub(crate) const SELECTOR: &str = "federation.alpha.kubernetes.io/cluster-selector";
pub(crate) const APPLIED: &str = "plimsoll.io/applied";
pub(crate) const HOLD: &str = "plimsoll.io/hold";
/// The target of the custom kind.
pub(crate) const JOB_PLACEMENT: &str = "batch.example.io/placement";

/// What a workload asks for, and what a cluster has, in the policies of these tests.
pub(crate) const REQUIRES_PCI: &str = "requires-pci";
pub(crate) const CERTIFIED: &str = "pci-certified";

/// A name that no other test uses.
pub(crate) fn unique(prefix: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{prefix}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A cluster of the fleet, certified or not.
pub(crate) fn cluster(name: &str, region: &str, certified: bool) -> Json {
    let cluster = json!({
        "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
        "metadata": {"name": name, "labels": {"region": region}},
        "spec": {"syncMode": "Push", "provider": "example", "region": region, "zones": [format!("{region}-a")]},
    });
    if certified { annotated(cluster, CERTIFIED, "true") } else { cluster }
}

fn workload(kind: &str, name: &str) -> Json {
    json!({
        "apiVersion": "apps/v1", "kind": kind,
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "main", "image": "registry.example/shop:1"}]},
            },
        },
    })
}

pub(crate) fn replica_set(name: &str) -> Json {
    workload("ReplicaSet", name)
}

pub(crate) fn deployment(name: &str) -> Json {
    workload("Deployment", name)
}

/// A ReplicaSet that the PCI policies are about.
pub(crate) fn pci_replica_set(name: &str) -> Json {
    annotated(replica_set(name), REQUIRES_PCI, "true")
}

pub(crate) fn federated_job(name: &str) -> Json {
    json!({
        "apiVersion": "batch.example.io/v1", "kind": "FederatedJob",
        "metadata": {"name": name, "annotations": {REQUIRES_PCI: "true"}},
        "spec": {"completions": 1, "image": "registry.example/report:1"},
    })
}

/// The object with one more annotation.
pub(crate) fn annotated(mut object: Json, key: &str, value: &str) -> Json {
    object["metadata"]["annotations"][key] = value.into();
    object
}

/// The object's annotation, if it has it.
pub(crate) fn annotation<'a>(object: &'a Json, key: &str) -> Option<&'a str> {
    object["metadata"]["annotations"].get(key)?.as_str()
}

/// The clusters that a preferences annotation names, sorted; `None` without one.
pub(crate) fn clusters_in(object: &Json, key: &str) -> Option<Vec<String>> {
    let preferences: Json = serde_json::from_str(annotation(object, key)?).unwrap();
    Some(preferences["clusters"].as_object().unwrap().keys().cloned().collect())
}

pub(crate) fn resource_version(object: &Json) -> String {
    object["metadata"]["resourceVersion"].as_str().unwrap().to_owned()
}
