//! What is created through each generation, and what policies make of it.

use serde_json::{Value as Json, json};

use super::ways::Setting;
use crate::e2e::policies;
use crate::e2e::support::fixtures::{
    APPLIED, HOLD, PREFERENCES, REQUIRES_PCI, SELECTOR, annotated, pci_replica_set, replica_set,
};
use crate::e2e::support::world::Setup;

/// What policies may write on a ReplicaSet.
pub(super) const MANAGED: [&str; 2] = [PREFERENCES, SELECTOR];
/// In whatever words a generation says that policy refuses.
pub(super) const REFUSAL: &str = "reason(s): container main: name a version other than latest";

const ON_ALPHA: &str = r#"{"clusters":{"alpha":{"weight":1}},"rebalance":true}"#;
const NOWHERE: &str = r#"{"clusters":{},"rebalance":true}"#;
const IN_REGION: &str = r#"[{"key":"region","operator":"in","values":["eu-west"]}]"#;

/// Takes a cluster selector away.
const UNSELECTED: &str = r#"package kubernetes.placement

annotations["federation.alpha.kubernetes.io/cluster-selector"] := null if input.metadata.labels.unselected
"#;

/// All of them in force at once.
pub(super) const SETUP: Setup<'static> = Setup {
    policies: &[
        ("pci.rego", policies::PCI),
        ("latest.rego", policies::NO_LATEST),
        ("selector.rego", policies::SELECTOR),
        ("nowhere.rego", policies::TO_NO_CLUSTER),
        ("unselected.rego", UNSELECTED),
    ],
    clusters: &[("alpha", true), ("beta", false)],
    kinds: crate::e2e::support::world::KINDS,
    engine: &["--hold=anyone"],
    sidecar: "",
};

/// One of them.
pub(super) struct Object {
    pub(super) name: &'static str,
    /// Of a namespace where nothing is placed.
    pub(super) exempt: bool,
    write: fn(&str) -> Json,
    /// Policy once placed it, and has no opinion any more.
    was_placed: bool,
    /// An annotation is taken away.
    pub(super) removes: bool,
    /// What it has of [`MANAGED`] at the end; `None`: it is refused.
    pub(super) wanted: Option<Json>,
}

pub(super) fn table() -> [Object; 10] {
    let object =
        |name, write, wanted| Object { name, exempt: false, write, was_placed: false, removes: false, wanted: Some(wanted) };
    [
        object("placed", pci_replica_set, json!({PREFERENCES: ON_ALPHA})),
        object("selected", |name| labelled(name, "critical"), json!({SELECTOR: IN_REGION})),
        object("nowhere", |name| labelled(name, "zone"), json!({PREFERENCES: NOWHERE})),
        Object { wanted: None, ..object("denied", without_version, Json::Null) },
        object("no-opinion", replica_set, json!({})),
        object("right-already", |name| annotated(pci_replica_set(name), PREFERENCES, ON_ALPHA), json!({PREFERENCES: ON_ALPHA})),
        Object {
            removes: true,
            ..object("removed", |name| annotated(labelled(name, "unselected"), SELECTOR, IN_REGION), json!({}))
        },
        object("held", |name| annotated(pci_replica_set(name), HOLD, "true"), json!({PREFERENCES: ON_ALPHA})),
        Object { exempt: true, ..object("exempt", pci_replica_set, json!({})) },
        Object { was_placed: true, removes: true, ..object("let-go", replica_set, json!({})) },
    ]
}

fn labelled(name: &str, label: &str) -> Json {
    let mut object = replica_set(name);
    object["metadata"]["labels"][label] = "true".into();
    object
}

fn without_version(name: &str) -> Json {
    let mut object = replica_set(name);
    object["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/shop:latest".into();
    object
}

impl Object {
    /// As its user sends it.
    pub(super) fn written(&self, setting: &Setting) -> Json {
        let mut object = (self.write)(self.name);
        if self.was_placed {
            // What `kubectl get -o yaml` showed while it asked for PCI.
            let mut before = object.clone();
            before["metadata"]["annotations"][REQUIRES_PCI] = "true".into();
            let decided = setting.decided(&before);
            for key in [PREFERENCES, APPLIED] {
                object["metadata"]["annotations"][key] = decided[key].clone();
            }
        }
        object
    }
}
