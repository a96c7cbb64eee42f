//! The policies of a schedule, as Rego and, for the judge, once more.

use std::collections::BTreeMap;

/// What an object says of its clusters, with their weights; `None`: nothing.
pub(super) type Value = Option<BTreeMap<String, i64>>;

/// Cluster to whether it is certified; those with an even number are in `eu`.
pub(super) type Fleet = BTreeMap<String, bool>;

/// One policy set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Policy {
    weight: i64,
    eu_only: bool,
}

/// Those that follow each other.
pub(super) const POLICIES: [Policy; 3] =
    [Policy { weight: 1, eu_only: false }, Policy { weight: 2, eu_only: false }, Policy { weight: 1, eu_only: true }];

impl Policy {
    /// The module.
    pub(super) fn rego(self) -> String {
        let region = if self.eu_only { "\n\tcluster.spec.region == \"eu\"" } else { "" };
        format!(
            "package kubernetes.placement

placement := {{\"clusters\": {{name: {{\"weight\": {}}} | some name in certified}}, \"rebalance\": true}} if {{
	input.metadata.annotations[\"requires-pci\"] == \"true\"
}}

certified contains name if {{
	some name, cluster in data.kubernetes.clusters
	cluster.metadata.annotations[\"pci-certified\"] == \"true\"{region}
}}
",
            self.weight
        )
    }

    /// What it says of an object that asks for PCI, or does not.
    pub(super) fn value(self, fleet: &Fleet, asks: bool) -> Value {
        let fits = |name: &str, certified: bool| certified && (!self.eu_only || region(name) == "eu");
        let clusters = fleet.iter().filter(|(name, certified)| fits(name, **certified));
        asks.then(|| clusters.map(|(name, _)| (name.clone(), self.weight)).collect())
    }
}

/// Of a cluster, by its name.
pub(super) fn region(cluster: &str) -> &'static str {
    let number = cluster.trim_start_matches('c').parse::<u32>().unwrap_or_default();
    if number % 2 == 0 { "eu" } else { "us" }
}
