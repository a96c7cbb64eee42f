//! The policies of this repository, over a fleet.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::case::{Case, Outcome};

const REGIONS: [&str; 8] =
    ["eu-central-1", "eu-west-1", "us-east-1", "us-west-2", "ap-south-1", "eu-north-1", "sa-east-1", "eu-west-3"];

/// At 100 and at 1,000 clusters.
pub(crate) fn cases() -> Outcome<Vec<Case>> {
    let texts = policies(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies"))?;
    let one = vec![("placement.rego".to_owned(), include_str!("policies/placement.rego").to_owned())];
    let mut cases = Vec::new();
    for clusters in [100, 1_000] {
        for (name, texts, prepared) in
            [("one policy", &one, false), ("policies/", &texts, false), ("prepared policies/", &texts, true)]
        {
            cases.push(Case {
                name: format!("{name}, {clusters} clusters"),
                texts: texts.clone(),
                prepared,
                path: "data.kubernetes.placement".to_owned(),
                data: json!({"kubernetes": {"clusters": (0..clusters).map(cluster).collect::<serde_json::Map<_, _>>()}})
                    .to_string(),
                input: workload().to_string(),
            });
        }
    }
    Ok(cases)
}

/// All but the tests, in folders.
fn policies(folder: &Path) -> Outcome<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            texts.extend(policies(&path)?.into_iter().map(|(below, text)| (format!("{name}-{below}"), text)));
        } else if name.ends_with(".rego") && !name.ends_with("_test.rego") {
            texts.push((name, std::fs::read_to_string(path)?));
        }
    }
    texts.sort();
    Ok(texts)
}

fn cluster(n: usize) -> (String, Json) {
    let region = REGIONS.get(n % REGIONS.len()).copied().unwrap_or_default();
    let certified = if n % 4 == 3 { "false" } else { "true" };
    let name = format!("cluster-{n:04}");
    let value = json!({
        "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
        "metadata": {
            "name": name, "uid": format!("cluster-{n:08}"), "resourceVersion": "1",
            "labels": {"region": region, "env": "production", "tier": format!("t{}", n % 3)},
            "annotations": {"pci-certified": certified, "example.org/contact": format!("team-{}@example.org", n % 17)},
        },
        "spec": {"provider": "aws", "region": region, "zones": [format!("{region}a"), format!("{region}b")], "syncMode": "Push"},
        "status": {
            "kubernetesVersion": "v1.36.3",
            "conditions": [{"type": "Ready", "status": "True", "reason": "ClusterReady", "message": "cluster is healthy"}],
            "nodeSummary": {"readyNum": 20, "totalNum": 20},
        },
    });
    (name, value)
}

fn workload() -> Json {
    let labels = json!({"app": "checkout", "team": "payments"});
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {
            "name": "checkout", "namespace": "shop", "labels": labels,
            "annotations": {
                "example.org/region": "eu-central-1",
                "requires-pci": "true",
                "policy.plimsoll.io/jurisdiction": "eu",
                "federation.kubernetes.io/replica-set-preferences":
                    r#"{"rebalance": true, "clusters": {"*": {"weight": 1}, "cluster-0000": {"weight": 5, "minReplicas": 2}}}"#,
            },
        },
        "spec": {
            "replicas": 9, "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": "registry.example.org/checkout:1.1"}]},
            },
        },
    })
}
