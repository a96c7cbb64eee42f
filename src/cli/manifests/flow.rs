//! How the API server queues the sidecar's requests when it is busy (API Priority and Fairness, Kubernetes 1.29 and later).
//!
//! Two FlowSchemas, and no priority level: those that every API server has are the right ones. The Lease goes to
//! `leader-election`, as those of the control plane do: a flood of other requests must not make replicas lose it in turn. All else
//! stays with other controllers' in `workload-low`, in a flow of its own: relists and patches wait behind each other, not before
//! other people's requests. A level of its own would take its share from everybody all the time.

use serde_json::{Value as Json, json};

use super::NAME;

const API: &str = "flowcontrol.apiserver.k8s.io/v1";
/// Precedence of the Lease's schema: after the API server's own schemas for the control plane (100 to 900), before its `service-accounts`
/// (9000).
const LEASE: u32 = 1000;
/// Precedence of the schema for all other requests: after that of the Lease.
const REST: u32 = 1001;

/// Returns the FlowSchema of the Lease, and that of all other requests of the sidecar's account in `namespace`.
pub fn documents(namespace: &str) -> [Json; 2] {
    let lease = json!({
        "apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "namespaces": [namespace], "verbs": ["get", "create", "update"],
    });
    let anything = json!({"apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true, "verbs": ["*"]});
    let paths = json!({"nonResourceURLs": ["*"], "verbs": ["*"]});
    [
        schema(&format!("{NAME}-lease"), namespace, ("leader-election", LEASE), json!({"resourceRules": [lease]})),
        schema(NAME, namespace, ("workload-low", REST), json!({"resourceRules": [anything], "nonResourceRules": [paths]})),
    ]
}

fn schema(name: &str, namespace: &str, (level, precedence): (&str, u32), mut rule: Json) -> Json {
    if let Some(rule) = rule.as_object_mut() {
        let account = json!({"name": NAME, "namespace": namespace});
        rule.insert("subjects".into(), json!([{"kind": "ServiceAccount", "serviceAccount": account}]));
    }
    json!({
        "apiVersion": API, "kind": "FlowSchema", "metadata": {"name": name},
        "spec": {
            "priorityLevelConfiguration": {"name": level},
            "matchingPrecedence": precedence,
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [rule],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lease_goes_before_all_else_and_nobody_elses_requests_are_meant() {
        let [lease, rest] = documents("policy");
        let precedence = |document: &Json| document["spec"]["matchingPrecedence"].as_u64().unwrap();
        assert!(precedence(&lease) < precedence(&rest) && precedence(&rest) < 9000);
        assert_eq!(lease["spec"]["priorityLevelConfiguration"]["name"], "leader-election");
        assert_eq!(lease["spec"]["rules"][0]["resourceRules"][0]["namespaces"], json!(["policy"]));
        for document in [lease, rest] {
            let rules = document["spec"]["rules"].as_array().unwrap();
            let account = json!([{"kind": "ServiceAccount", "serviceAccount": {"name": "plimsoll", "namespace": "policy"}}]);
            assert!(rules.iter().all(|rule| rule["subjects"] == account), "{rules:?}");
        }
    }
}
