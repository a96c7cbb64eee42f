//! Which requests webhooks and admission policies are called for: never more than the table of kinds places.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::kind::Kind;
use serde_json::{Value as Json, json};

/// Which requests for a placed resource a rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Those for the objects themselves, `deployments`. Subresources never match, because none is named.
    Objects,
    /// Those for all of their subresources, `deployments/*`.
    Subresources,
    /// Those for objects and for subresources.
    All,
}

impl Part {
    fn of(self, resource: &str) -> Vec<String> {
        let below = format!("{resource}/*");
        match self {
            Self::Objects => vec![resource.into()],
            Self::Subresources => vec![below],
            Self::All => vec![resource.into(), below],
        }
    }
}

/// Returns one rule for each API group and version with a placed kind.
pub fn rules(kinds: &[Kind], part: Part, operations: &[&str]) -> Vec<Json> {
    let mut placed: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for kind in kinds.iter().filter(|kind| kind.place) {
        placed.entry((&kind.gvr.group, &kind.gvr.version)).or_default().extend(part.of(&kind.gvr.resource));
    }
    placed
        .into_iter()
        .map(|((group, version), resources)| {
            json!({
                "apiGroups": [group], "apiVersions": [version], "resources": resources,
                "operations": operations, "scope": "*",
            })
        })
        .collect()
}

/// Returns the selector of all namespaces but the exempt ones. It uses the label that the API server sets itself, so that nobody can
/// leave it by relabelling a namespace.
pub fn namespace_selector(own: &str, others: &[String]) -> Json {
    json!({"matchExpressions": [{
        "key": "kubernetes.io/metadata.name",
        "operator": "NotIn",
        "values": exempt_namespaces(own, others),
    }]})
}

/// Returns the exempt namespaces: `own`, so that Plimsoll can always be repaired, those of the system, so that the cluster can, and
/// `others` from `exemptNamespaces`.
pub fn exempt_namespaces<'a>(own: &'a str, others: &'a [String]) -> BTreeSet<&'a str> {
    let always = ["kube-node-lease", "kube-public", "kube-system", own];
    always.into_iter().chain(others.iter().map(String::as_str)).collect()
}

#[cfg(test)]
pub mod testing {
    //! A table of kinds for the tests of the generators.

    use plimsoll_contract::kind::Gvr;

    use super::*;

    /// Returns a row for each kind, with whether the kind is placed or only mirrored.
    pub fn table(rows: &[(&str, bool)]) -> Vec<Kind> {
        let row = |(gvr, place): &(&str, bool)| {
            let mut kind = Kind::new(Gvr::try_from((*gvr).to_owned()).unwrap(), "");
            kind.place = *place;
            kind
        };
        rows.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<Kind> {
        testing::table(&[
            ("apps/v1/replicasets", true),
            ("apps/v1/deployments", true),
            ("batch.example.io/v1/federatedjobs", true),
            ("v1/pods", false),
        ])
    }

    #[test]
    fn t3_rules_name_placed_kinds_only_and_no_subresource() {
        assert_eq!(
            json!(rules(&table(), Part::Objects, &["CREATE", "UPDATE"])),
            json!([
                {"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments", "replicasets"],
                 "operations": ["CREATE", "UPDATE"], "scope": "*"},
                {"apiGroups": ["batch.example.io"], "apiVersions": ["v1"], "resources": ["federatedjobs"],
                 "operations": ["CREATE", "UPDATE"], "scope": "*"},
            ])
        );
    }

    #[test]
    fn subresources_are_meant_whatever_they_are_called() {
        let resources = |part| rules(&table(), part, &["UPDATE"])[0]["resources"].clone();
        assert_eq!(resources(Part::Subresources), json!(["deployments/*", "replicasets/*"]));
        assert_eq!(resources(Part::All), json!(["deployments", "deployments/*", "replicasets", "replicasets/*"]));
    }

    #[test]
    fn t2_the_own_and_the_system_namespaces_are_exempt() {
        let expression = &namespace_selector("policy", &[])["matchExpressions"][0];
        assert_eq!((&expression["key"], &expression["operator"]), (&json!("kubernetes.io/metadata.name"), &json!("NotIn")));
        assert_eq!(expression["values"], json!(["kube-node-lease", "kube-public", "kube-system", "policy"]));
    }

    #[test]
    fn further_exempt_namespaces_are_named_once_and_in_order() {
        let others = ["cert-manager", "policy", "cilium"].map(str::to_owned);
        let expression = &namespace_selector("policy", &others)["matchExpressions"][0];
        let names = ["cert-manager", "cilium", "kube-node-lease", "kube-public", "kube-system", "policy"];
        assert_eq!(expression["values"], json!(names));
    }
}
