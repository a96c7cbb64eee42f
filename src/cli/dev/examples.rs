//! The objects of a new federation: eight clusters and the example policies, loaded through the API as a user would.

use anyhow::Context;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Client, Error};
use plimsoll_contract::exempt::POLICY_NAMESPACE;
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// An example workload, for the user to try: a ReplicaSet as YAML.
pub(super) const PAYMENTS: &str = include_str!("../../../examples/workloads/payments.yaml");
const CLUSTERS: &str = include_str!("../../../examples/federation/clusters.yaml");
/// The example policies: names of ConfigMaps, with their keys and texts. Libraries come before the policies that import them.
const POLICIES: &[(&str, &[(&str, &str)])] = &[
    (
        "lib",
        &[
            ("clusters.rego", include_str!("../../../policies/lib/clusters.rego")),
            ("placement.rego", include_str!("../../../policies/lib/placement.rego")),
            ("rules.rego", include_str!("../../../policies/lib/rules.rego")),
        ],
    ),
    (
        "placement",
        &[
            ("compliance.rego", include_str!("../../../policies/placement/compliance.rego")),
            ("jurisdiction.rego", include_str!("../../../policies/placement/jurisdiction.rego")),
            ("requested.rego", include_str!("../../../policies/placement/requested.rego")),
        ],
    ),
];

/// Creates the policy namespace and, if `examples` is set, the example clusters and policies. Returns whether it did: a federation that
/// has the namespace already is left as it is. Fails when the API server refuses an object.
pub(super) async fn load(client: &Client, examples: bool) -> anyhow::Result<bool> {
    let namespaces = api(client, "", "v1", "Namespace", None);
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": POLICY_NAMESPACE}});
    if !create(&namespaces, &namespace).await? {
        return Ok(false);
    }
    if !examples {
        return Ok(true);
    }
    clusters(client).await?;
    let maps = api(client, "", "v1", "ConfigMap", Some(POLICY_NAMESPACE));
    for (name, keys) in POLICIES {
        let data: serde_json::Map<String, Json> = keys.iter().map(|(key, text)| ((*key).to_owned(), (*text).into())).collect();
        create(&maps, &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})).await?;
    }
    Ok(true)
}

/// Creates the example clusters and writes the status that their controllers would report.
async fn clusters(client: &Client) -> anyhow::Result<()> {
    let clusters = api(client, "federation", "v1beta1", "Cluster", None);
    for document in yaml_serde::Deserializer::from_str(CLUSTERS) {
        let cluster = Json::deserialize(document).context("the example clusters cannot be read")?;
        create(&clusters, &cluster).await?;
        let name = cluster.pointer("/metadata/name").and_then(Json::as_str).unwrap_or_default();
        let status = Patch::Merge(json!({"status": cluster.get("status")}));
        let patched = clusters.patch_status(name, &PatchParams::default(), &status).await;
        patched.with_context(|| format!("could not write the status of the example cluster `{name}`"))?;
    }
    Ok(())
}

/// Creates an object. Returns whether it did: false if one of its name exists already.
async fn create(to: &Api<DynamicObject>, object: &Json) -> anyhow::Result<bool> {
    let typed = serde_json::from_value(object.clone()).context("an example cannot be read")?;
    match to.create(&PostParams::default(), &typed).await {
        Ok(_) => Ok(true),
        Err(Error::Api(status)) if status.code == 409 => Ok(false),
        Err(error) => Err(error).with_context(|| format!("could not load {}", named(object))),
    }
}

fn named(object: &Json) -> String {
    let text = |path: &str| object.pointer(path).and_then(Json::as_str).unwrap_or_default().to_owned();
    format!("the {} `{}`", text("/kind"), text("/metadata/name"))
}

fn api(client: &Client, group: &str, version: &str, kind: &str, namespace: Option<&str>) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_eight_clusters_and_each_has_a_region() {
        let read = |document| Json::deserialize(document).unwrap();
        let clusters: Vec<Json> = yaml_serde::Deserializer::from_str(CLUSTERS).map(read).collect();
        assert_eq!(clusters.len(), 8);
        assert!(clusters.iter().all(|cluster| cluster["status"]["region"].is_string()));
    }
}
