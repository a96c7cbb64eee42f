//! The policies that the scenarios use.

/// Placement for what asks for PCI; Nowhere without a certified cluster.
pub(super) const PCI: &str = include_str!("policies/pci.rego");
/// The same as an annotation, and silence without a certified cluster.
pub(super) const PCI_IF_ANY: &str = include_str!("policies/pci_if_any.rego");
/// A cluster selector for what is labelled critical.
pub(super) const SELECTOR: &str = include_str!("policies/selector.rego");
/// The 2017 tutorial's, in Rego v0.
pub(super) const TUTORIAL_V0: &str = include_str!("policies/tutorial_v0.rego");
/// Refuses images without a version.
pub(super) const NO_LATEST: &str = include_str!("policies/no_latest.rego");
/// What names a zone goes to its clusters that are ready, or to the reserve.
pub(super) const ZONES: &str = include_str!("policies/zones.rego");
/// Deployments on one cluster by its name.
pub(super) const CALM: &str = include_str!("policies/calm.rego");
/// What names a zone goes everywhere.
pub(super) const TO_ALL_CLUSTERS: &str = include_str!("policies/to_all_clusters.rego");
/// What names a zone goes nowhere.
pub(super) const TO_NO_CLUSTER: &str = include_str!("policies/to_no_cluster.rego");
