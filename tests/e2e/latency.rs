//! Measures, never asserts: from a cluster's change on the API server to the patch there. `just latency`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::policies;
use super::support::fixtures::{cluster, pci_replica_set, replica_set};
use super::support::world::{Server, Setup, World};

const ROUNDS: usize = 100;

/// Lines of `kubectl get --watch`, each with the time at which it came.
fn watch(world: &World, arguments: &[&str]) -> (Child, Receiver<(Instant, String)>) {
    let mut command = Command::new(world.kubectl.binary());
    command.args(arguments).arg("--watch").env("KUBECONFIG", world.kubectl.kubeconfig());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, receiver) = channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send((Instant::now(), line))));
    (child, receiver)
}

/// The time at which a line with `text` came.
fn seen(lines: &Receiver<(Instant, String)>, text: &str) -> Instant {
    loop {
        let (at, line) = lines.recv_timeout(Duration::from_secs(60)).unwrap();
        if line.contains(text) {
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
    world.create(&serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items}));
    world.create(&pci_replica_set("web"));
    world.await_settled();

    let columns = r"-o=jsonpath={.metadata.annotations}{'\n'}";
    let (mut fleet, clusters) = watch(&world, &["get", "cluster/beta", columns]);
    let (mut workload, patches) = watch(&world, &["get", "-n", &world.namespace, "rs/web", columns]);
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|round| {
            let change = format!("pci-certified={}", if round % 2 == 0 { "true" } else { "false" });
            world.kubectl.run(&["annotate", "--overwrite", "cluster/beta", &change, &format!("round=r{round}.")]);
            let changed = seen(&clusters, &format!("r{round}."));
            let expected = if round % 2 == 0 { r#"\"alpha\":{\"weight\":1},\"beta\""# } else { r#"{\"alpha\":{\"weight\":1}}"# };
            seen(&patches, expected).saturating_duration_since(changed)
        })
        .collect();
    let _ = (fleet.kill(), workload.kill(), fleet.wait(), workload.wait());
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let text = format!("cluster change to patch, {objects} objects, 100 clusters, {ROUNDS} rounds");
    writeln!(std::io::stderr(), "{text}: p50 {:?}, p90 {:?}, p99 {:?}", at(50), at(90), at(99)).unwrap();
}
