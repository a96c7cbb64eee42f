//! What servers are asked for: a fleet, and objects on it.

use serde_json::{Value as Json, json};

use crate::support::{self, cluster_name, replica_set};

/// A quarter of the clusters is where objects ask to be, by the lists of `policies/`.
const REGIONS: [&str; 4] = ["eu-central-1", "us-east-1", "ap-south-1", "sa-east-1"];

/// Objects that differ, before they come again.
pub(crate) const OBJECTS: usize = 100_000;
/// So many of them differ in what policy reads, where they are of classes that were seen.
pub(crate) const CLASSES: usize = 1_000;

/// As said by `CLUSTERS`, or all.
pub(crate) fn sizes() -> Vec<usize> {
    let said = std::env::var("CLUSTERS").unwrap_or_default();
    let said: Vec<_> = said.split(',').filter_map(|size| size.parse().ok()).collect();
    if said.is_empty() { vec![10, 100, 1_000] } else { said }
}

/// As said by `RUNS`, or five.
pub(crate) fn runs() -> usize {
    std::env::var("RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(5)
}

/// So many clusters by name, in JSON; a quarter of them is not certified.
pub(crate) fn fleet(clusters: usize) -> String {
    Json::Object((0..clusters).map(|n| (cluster_name(n), cluster(n, n % 4 != 3))).collect()).to_string()
}

/// A cluster of a provider whose regions policies know.
pub(crate) fn cluster(n: usize, certified: bool) -> Json {
    let mut cluster = support::cluster(n, certified);
    let region = REGIONS.get(n % REGIONS.len()).copied().unwrap_or_default();
    let spec = json!({
        "provider": "aws", "region": region, "zones": [format!("{region}a"), format!("{region}b")], "syncMode": "Push",
    });
    if let Some(cluster) = cluster.as_object_mut() {
        cluster.insert("spec".into(), spec);
    }
    cluster
}

/// One workload, in JSON; policy reads which weight its owner asks for.
pub(crate) fn object(n: usize, class: usize) -> String {
    let mut object = replica_set(n, 100, 1);
    let wanted = json!({"rebalance": true, "clusters": {"*": {"weight": class + 1}}}).to_string();
    let annotations = json!({
        "policy.plimsoll.io/jurisdiction": "eu",
        "federation.kubernetes.io/replica-set-preferences": wanted,
        "example.org/owner": format!("person-{n}@example.org"),
    });
    if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) {
        metadata.insert("annotations".into(), annotations);
    }
    object.to_string()
}
