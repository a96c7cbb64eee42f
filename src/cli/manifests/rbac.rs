//! The rights of the sidecar: to read what it replicates, to patch what it places, and the few for its own objects.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::kind::Kind;
use serde_json::{Value as Json, json};

use super::NAME;
use super::policies::HOLD;

const API: &str = "rbac.authorization.k8s.io/v1";
const GROUP: &str = "rbac.authorization.k8s.io";
const READ: [&str; 3] = ["get", "list", "watch"];

/// Returns ClusterRole and Role of the sidecar, each with its binding to the ServiceAccount in `namespace`. An initializer also gets the
/// verb by which it sees objects that are not initialized.
pub fn documents(namespace: &str, kinds: &[Kind], brake: &str, initializer: bool) -> Vec<Json> {
    let subjects = json!([{"kind": "ServiceAccount", "name": NAME, "namespace": namespace}]);
    let reference = |kind: &str| json!({"apiGroup": GROUP, "kind": kind, "name": NAME});
    let here = json!({"name": NAME, "namespace": namespace});
    vec![
        json!({"apiVersion": API, "kind": "ClusterRole", "metadata": {"name": NAME}, "rules": cluster_rules(kinds, initializer)}),
        json!({
            "apiVersion": API, "kind": "ClusterRoleBinding", "metadata": {"name": NAME},
            "roleRef": reference("ClusterRole"), "subjects": subjects,
        }),
        json!({"apiVersion": API, "kind": "Role", "metadata": here, "rules": own_rules(brake)}),
        json!({
            "apiVersion": API, "kind": "RoleBinding", "metadata": here,
            "roleRef": reference("Role"), "subjects": subjects,
        }),
    ]
}

/// Returns the ClusterRole with the verb `hold` on everything that is placed. It is bound to nobody and aggregated into no other role. No
/// built-in role has the verb, so that only administrators may hold objects until they grant it.
pub fn hold_role(kinds: &[Kind]) -> Json {
    let mut placed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for kind in kinds.iter().filter(|kind| kind.place) {
        placed.entry(&kind.gvr.group).or_default().insert(&kind.gvr.resource);
    }
    let rule = |(group, resources)| json!({"apiGroups": [group], "resources": resources, "verbs": ["hold"]});
    let rules: Vec<Json> = placed.into_iter().map(rule).collect();
    json!({"apiVersion": API, "kind": "ClusterRole", "metadata": {"name": HOLD}, "rules": rules})
}

/// Returns the sidecar's rights in all namespaces: one rule for each API group and set of verbs, then one for Events, which belong in the
/// namespace of the object that they are about, and one for the Namespace whose uid identifies the cluster.
fn cluster_rules(kinds: &[Kind], initializer: bool) -> Vec<Json> {
    let mut rules: BTreeMap<(&str, bool), BTreeSet<&str>> = BTreeMap::new();
    for kind in kinds.iter().filter(|kind| kind.replicate || kind.place) {
        rules.entry((&kind.gvr.group, kind.place)).or_default().insert(&kind.gvr.resource);
    }
    let mut rendered: Vec<Json> = rules
        .into_iter()
        .map(|((group, place), resources)| {
            let written = place.then_some("patch").into_iter().chain((place && initializer).then_some("initialize"));
            let verbs: Vec<&str> = READ.into_iter().chain(written).collect();
            json!({"apiGroups": [group], "resources": resources, "verbs": verbs})
        })
        .collect();
    rendered.push(json!({"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]}));
    // Its uid tells this cluster from all others.
    rendered.push(json!({"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]}));
    rendered
}

/// Returns the ConfigMap of the brake's record, empty: the sidecar may update this one, and create none.
pub fn record(namespace: &str, brake: &str) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": brake, "namespace": namespace}})
}

/// Returns the sidecar's rights in the policy namespace: it reads policies, holds the Lease, and writes the brake's record. RBAC cannot
/// limit `create` to a name.
fn own_rules(brake: &str) -> Vec<Json> {
    let leases = |verbs: &[&str]| json!({"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": verbs});
    let mut held = leases(&["get", "update"]);
    if let Some(rule) = held.as_object_mut() {
        rule.insert("resourceNames".into(), json!([NAME]));
    }
    let written = json!({"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [brake], "verbs": ["update"]});
    vec![json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": READ}), written, leases(&["create"]), held]
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Gvr;

    use super::*;

    fn kind(gvr: &str, place: bool) -> Kind {
        let mut kind = Kind::new(Gvr::try_from(gvr.to_owned()).unwrap(), "");
        kind.place = place;
        kind
    }

    #[test]
    fn only_placed_kinds_may_be_patched_and_nothing_is_a_wildcard() {
        let table = [
            kind("apps/v1/replicasets", true),
            kind("apps/v1/deployments", true),
            kind("cluster.karmada.io/v1alpha1/clusters", false),
        ];
        assert_eq!(
            cluster_rules(&table, false),
            [
                json!({"apiGroups": ["apps"], "resources": ["deployments", "replicasets"], "verbs": ["get", "list", "watch", "patch"]}),
                json!({"apiGroups": ["cluster.karmada.io"], "resources": ["clusters"], "verbs": ["get", "list", "watch"]}),
                json!({"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]}),
                json!({"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]}),
            ]
        );
        assert!(!json!(documents("policy", &table, "brake", false)).to_string().contains('*'));
    }

    #[test]
    fn the_role_to_hold_has_one_verb_on_placed_kinds_and_goes_to_nobody() {
        let role = hold_role(&[kind("apps/v1/replicasets", true), kind("v1/pods", false), kind("apps/v1/deployments", true)]);
        assert_eq!(role["metadata"], json!({"name": "plimsoll-hold"}), "no label that another role would collect");
        assert_eq!(
            role["rules"],
            json!([{"apiGroups": ["apps"], "resources": ["deployments", "replicasets"], "verbs": ["hold"]}])
        );
        let sidecars = json!(documents("policy", &[kind("apps/v1/replicasets", true)], "brake", false)).to_string();
        assert!(!sidecars.contains("hold"), "{sidecars}");
    }

    #[test]
    fn one_group_with_placed_and_replicated_kinds_gets_two_rules() {
        let rules = cluster_rules(&[kind("apps/v1/replicasets", true), kind("apps/v1/daemonsets", false)], true);
        assert_eq!(rules.len(), 4);
        assert_eq!(rules[0]["resources"], json!(["daemonsets"]));
        assert_eq!(rules[0]["verbs"], json!(READ));
        assert_eq!(rules[1]["verbs"], json!(["get", "list", "watch", "patch", "initialize"]), "of an initializer");
    }

    #[test]
    fn a_kind_that_is_neither_replicated_nor_placed_needs_no_right() {
        let mut unused = kind("v1/pods", false);
        unused.replicate = false;
        assert_eq!(cluster_rules(&[unused], false).len(), 2, "only Events and the cluster's identity");
    }
}
