//! Keys and constants, made once, as a policy has them.

use plimsoll_rego::value::Value;

macro_rules! words {
    ($($name:ident: $value:expr,)*) => {
        /// The keys and constants that the policies name.
        pub(super) struct Words {
            $(pub(super) $name: Value,)*
        }

        impl Default for Words {
            fn default() -> Self {
                Self { $($name: Value::from($value),)* }
            }
        }
    };
}

words! {
    annotations: "annotations",
    certified: "pci-certified",
    cluster: "cluster",
    clusters: "clusters",
    conditions: "conditions",
    empty: "",
    errors: "errors",
    jurisdiction: "policy.plimsoll.io/jurisdiction",
    kubernetes: "kubernetes",
    labels: "labels",
    long_max: "maxReplicas",
    long_min: "minReplicas",
    max: "max",
    metadata: "metadata",
    min: "min",
    no_array: Value::array([]),
    no_object: Value::object([]),
    not_certified: "not PCI certified",
    not_requested: "not requested",
    nothing: Value::Null,
    one: 1_i64,
    placement: "placement",
    preferences: "federation.kubernetes.io/replica-set-preferences",
    provider: "provider",
    ready: "ready",
    reason: "reason",
    rebalance: "rebalance",
    region: "region",
    rejected: "rejected",
    requires: "requires-pci",
    spec: "spec",
    star: "*",
    status: "status",
    topology: "topology.kubernetes.io/region",
    kind: "type",
    warnings: "warnings",
    weight: "weight",
    zero: 0_i64,
    zones: "zones",
}
