//! Measures, never asserts: from a cluster's change on the API server to the patch there. `just latency`.

use std::io::Write;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::policies;
use super::support::api::Request;
use super::support::fixtures::{PREFERENCES, cluster, pci_replica_set, replica_set};
use super::support::world::{Server, Setup, World};

const ROUNDS: usize = 100;
const CLUSTERS: &str = "/apis/cluster.karmada.io/v1alpha1/clusters";

/// The objects of a watch, each with the time at which it came. In this process: a kubectl for each would take from the same processors what is
/// measured.
fn watch(world: &World, path: String) -> Receiver<(Instant, Json)> {
    let (sender, receiver) = channel();
    let api = world.api();
    thread::spawn(move || api.watch(&path, |event| sender.send((Instant::now(), event["object"].clone())).is_ok()));
    receiver
}

/// The time at which the one that is waited for came.
fn seen(objects: &Receiver<(Instant, Json)>, is_wanted: impl Fn(&Json) -> bool) -> Instant {
    loop {
        let (at, object) = objects.recv_timeout(Duration::from_secs(60)).unwrap();
        if is_wanted(&object) {
            return at;
        }
    }
}

#[test]
#[ignore = "a measurement: run `just latency` on an idle machine"]
fn from_a_cluster_change_to_the_patch() {
    let Some(world) = World::start(Server::Real, &Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() }) else {
        return;
    };
    let objects: usize = std::env::var("OBJECTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000);
    let mut items: Vec<_> = (0..objects).map(|number| replica_set(&format!("free-{number}"))).collect();
    items.extend((0..97).map(|number| cluster(&format!("more-{number}"), "us-east", false)));
    world.create(&json!({"apiVersion": "v1", "kind": "List", "items": items}));
    world.create(&pci_replica_set("web"));
    world.await_settled();

    let fleet = watch(&world, format!("{CLUSTERS}?watch=1&fieldSelector=metadata.name=beta"));
    let workload = watch(
        &world,
        format!("/apis/apps/v1/namespaces/{}/replicasets?watch=1&fieldSelector=metadata.name=web", world.namespace),
    );
    let api = world.api();
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|round| {
            let (certified, mark) = ((round % 2 == 0).to_string(), format!("r{round}"));
            let body = json!({"metadata": {"annotations": {"pci-certified": certified, "round": mark}}});
            let path = format!("{CLUSTERS}/beta");
            let change = Request { method: Method::PATCH, path, content_type: "application/merge-patch+json", body };
            assert_eq!(api.call(&change).code, 200);
            let annotation = |object: &Json, key: &str| object["metadata"]["annotations"][key].as_str().map(ToOwned::to_owned);
            let changed = seen(&fleet, |cluster| annotation(cluster, "round").as_ref() == Some(&mark));
            let is_there =
                |object: &Json| annotation(object, PREFERENCES).is_some_and(|text| text.contains("beta") == (round % 2 == 0));
            seen(&workload, is_there).saturating_duration_since(changed)
        })
        .collect();
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let text = format!("cluster change to patch, {objects} objects, 100 clusters, {ROUNDS} rounds");
    writeln!(std::io::stderr(), "{text}: p50 {:?}, p90 {:?}, p99 {:?}", at(50), at(90), at(99)).unwrap();
}
