//! How large the fleet is, what it is made of, and where policy wants it.

use std::ops::Range;

use serde_json::{Value as Json, json};

use super::super::support::fixtures::{deployment, replica_set};
use super::observer::Stands;
use super::rows::{Aim, Zones};

/// Objects that no row is about.
pub(super) const CALM: usize = 4;

/// How much there is of everything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Spread over the clusters, each with a zone of its own.
    pub(super) objects: usize,
    pub(super) clusters: usize,
    /// Every row with every death.
    pub(super) all_deaths: bool,
}

impl Size {
    /// `BRAKE_FLEET=300x20` says how many objects there are on how many clusters, and asks for every death in every row; a small
    /// fleet, and one death for each row, otherwise.
    pub(super) fn of_environment() -> Self {
        let Ok(text) = std::env::var("BRAKE_FLEET") else { return Self { objects: 24, clusters: 6, all_deaths: false } };
        let (objects, clusters) = text.split_once('x').unwrap();
        let size = Self { objects: objects.parse().unwrap(), clusters: clusters.parse().unwrap(), all_deaths: true };
        assert!(
            size.clusters > 4 && size.objects.is_multiple_of(size.clusters),
            "as many objects for each of more than four clusters"
        );
        size
    }

    /// Two clusters' objects may always move, and three clusters' not.
    pub(super) fn floor(self) -> usize {
        2 * self.objects / self.clusters
    }

    /// So many objects of the namespace may move.
    pub(super) fn limit(self) -> usize {
        self.floor().max(self.objects / 10)
    }

    pub(super) fn range(self, zones: Zones) -> Range<usize> {
        zones.0..zones.1.min(self.clusters)
    }

    pub(super) fn objects(self) -> Vec<Json> {
        (0..self.objects).map(|number| object(&format!("web-{number:03}"), number % self.clusters)).collect()
    }

    /// Where an object of a zone is wanted.
    pub(super) fn wanted(self, aim: Aim, zone: usize) -> Stands {
        let on_reserve = match aim {
            Aim::Unplaced => return None,
            Aim::Nowhere => return Some(Vec::new()),
            Aim::Everywhere => return Some((0..self.clusters).map(cluster_name).collect()),
            Aim::Home => false,
            Aim::Reserve(zones) => self.range(zones).contains(&zone),
        };
        Some(vec![cluster_name(if on_reserve { 0 } else { zone })])
    }
}

pub(super) fn cluster_name(number: usize) -> String {
    format!("c{number:02}")
}

pub(super) fn zone_name(number: usize) -> String {
    format!("z{number:02}")
}

/// A ReplicaSet that asks for a zone.
pub(super) fn object(name: &str, zone: usize) -> Json {
    let mut object = replica_set(name);
    object["metadata"]["labels"]["zone"] = zone_name(zone).into();
    object
}

pub(super) fn calm_objects() -> Vec<Json> {
    (0..CALM).map(|number| deployment(&format!("calm-{number}"))).collect()
}

/// A cluster as it is before and after each row; the first is the reserve.
pub(super) fn cluster(number: usize) -> Json {
    let reserve = (number == 0).to_string();
    json!({
        "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
        "metadata": {"name": cluster_name(number), "labels": {"zone": zone_name(number), "reserve": reserve}},
        "spec": {"syncMode": "Push", "provider": "example"},
    })
}

/// What a federation's control plane says of a cluster that answers, or does not.
pub(super) fn status(ready: bool) -> Json {
    let (status, reason) = if ready { ("True", "ClusterReady") } else { ("Unknown", "ClusterStatusUnknown") };
    json!({"status": {"conditions": [{"type": "Ready", "status": status, "reason": reason}]}})
}
