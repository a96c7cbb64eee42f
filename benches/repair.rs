//! From a cluster's change to the patch on a real API server, with many placed objects there.
//!
//! `KUBEBUILDER_ASSETS=$(tests/tools/build) cargo bench --bench repair [-- OBJECTS]`

// The scenarios' own world: what is measured is what is tested.
#[path = "../tests/e2e"]
#[allow(dead_code, reason = "a benchmark needs a part of it")]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr, reason = "test support")]
mod e2e {
    mod support;

    pub(super) use support::fixtures::{CERTIFIED, PREFERENCES, pci_replica_set, replica_set};
    pub(super) use support::world::{Server, Setup, World};
}
#[path = "support.rs"]
mod tables;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use e2e::{CERTIFIED, PREFERENCES, Server, Setup, World, pci_replica_set, replica_set};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::apps::v1::ReplicaSet;
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Config};
use serde_json::{Value as Json, json};
use tables::{Outcome, human, median, p99, row, title};

const CLUSTERS: usize = 100;
const DEADLINE: Duration = Duration::from_secs(900);
/// What asks for it runs on certified clusters, everything else in its region.
const POLICY: &str = r#"package kubernetes.placement

placement := {"clusters": [name | some name, cluster in data.kubernetes.clusters; fits(cluster)]}

fits(cluster) if {
	input.metadata.annotations["requires-pci"] == "true"
	cluster.metadata.annotations["pci-certified"] == "true"
}

fits(cluster) if {
	not input.metadata.annotations["requires-pci"]
	cluster.metadata.labels.region == "eu-west"
}
"#;

fn main() -> Outcome<()> {
    let objects = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(1_000);
    let names: Vec<String> = (0..CLUSTERS).map(|n| format!("c{n:03}")).collect();
    let clusters: Vec<(&str, bool)> = names.iter().map(|name| (name.as_str(), name == "c000")).collect();
    let policies = [("placement.rego", POLICY)];
    let budget = "budget: {writesPerSecond: 100000, burst: 100000, inFlight: 64}";
    let setup = Setup { policies: &policies, clusters: &clusters, sidecar: budget, ..Setup::default() };
    let Some(world) = World::prepare(Server::Real, &setup) else { return Ok(()) };
    title(&format!("{objects} placed objects, {CLUSTERS} clusters, a real API server"))?;
    // Somebody else may have installed one; it is the only provider there is.
    drop(rustls::crypto::ring::default_provider().install_default());
    let runtime = tokio::runtime::Runtime::new()?;
    let fleet = Fleet::connect(&runtime, world.kubectl.kubeconfig(), &world.namespace)?;

    let started = Instant::now();
    runtime.block_on(fleet.create(objects))?;
    row("objects created, before Plimsoll was there", human(started.elapsed()))?;
    let started = Instant::now();
    let world = world.run();
    row("Plimsoll started, loaded and ready", human(started.elapsed()))?;
    runtime.block_on(fleet.repaired(objects, |clusters| !clusters.is_empty()))?;
    row("  and every object repaired", human(started.elapsed()))?;
    world.await_settled();

    runtime.block_on(one_affected(&fleet, objects))?;
    runtime.block_on(all_affected(&fleet, objects))?;
    row("patches in all", world.patches())
}

/// A certified cluster more, a certified cluster less, again and again: one object is affected.
async fn one_affected(fleet: &Fleet, objects: usize) -> Outcome<()> {
    // Each change decides every object again: many take minutes.
    let rounds = if objects > 1_000 { 9 } else { 101 };
    let mut times = Vec::with_capacity(rounds);
    for round in 0..rounds {
        let certified = round % 2 == 0;
        let metadata = json!({"annotations": {CERTIFIED: if certified { json!("true") } else { Json::Null }}});
        times.push(fleet.change_until("c001", metadata, 1, move |clusters| clusters.contains("c001") == certified).await?);
    }
    row(
        "a cluster's change to the patch of the one it affects",
        format!("{}, p99 of {rounds} {}", human(median(times.clone())), human(p99(times))),
    )
}

/// A cluster leaves the region: all but one object are affected.
async fn all_affected(fleet: &Fleet, objects: usize) -> Outcome<()> {
    let metadata = json!({"labels": {"region": "us-east"}});
    let time = fleet.change_until("c002", metadata, objects - 1, |clusters| !clusters.contains("c002")).await?;
    row("a cluster's change to the patch of the last of all others", human(time))
}

struct Fleet {
    clusters: Api<DynamicObject>,
    workloads: Api<ReplicaSet>,
}

impl Fleet {
    fn connect(runtime: &tokio::runtime::Runtime, kubeconfig: &Path, namespace: &str) -> Outcome<Self> {
        let _inside = runtime.enter();
        let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
        let config = runtime.block_on(Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()))?;
        let client = Client::try_from(config)?;
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("cluster.karmada.io", "v1alpha1", "Cluster"));
        Ok(Self { clusters: Api::all_with(client.clone(), &kind), workloads: Api::namespaced(client, namespace) })
    }

    /// One object that asks for certified clusters, and others that do not.
    async fn create(&self, objects: usize) -> Outcome<()> {
        let object = |n: usize| if n == 0 { pci_replica_set("special") } else { replica_set(&format!("w{n:05}")) };
        let create = |n: usize| async move {
            self.workloads.create(&PostParams::default(), &serde_json::from_value(object(n))?).await?;
            Outcome::Ok(())
        };
        stream::iter(0..objects).map(create).buffer_unordered(32).try_collect().await
    }

    /// Waits until so many objects have a placement that is `good`.
    async fn repaired(&self, objects: usize, good: impl Fn(&BTreeSet<String>) -> bool) -> Outcome<()> {
        let list = self.workloads.list(&Default::default()).await?;
        let mut done: BTreeSet<String> =
            list.items.iter().filter(|object| placed(object).is_some_and(|c| good(&c))).filter_map(name).collect();
        let mut since = list.metadata.resource_version.unwrap_or_default();
        let deadline = Instant::now() + DEADLINE;
        while done.len() < objects {
            if Instant::now() > deadline {
                return Err(format!("only {} of {objects} objects were repaired in {DEADLINE:?}", done.len()).into());
            }
            let mut events = self.workloads.watch(&WatchParams::default().timeout(30), &since).await?.boxed();
            while let Some(event) = events.try_next().await? {
                let WatchEvent::Modified(object) = event else { continue };
                since = object.metadata.resource_version.clone().unwrap_or_default();
                if placed(&object).is_some_and(|clusters| good(&clusters)) {
                    done.extend(name(&object));
                }
                if done.len() >= objects {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Time from sending a cluster's change until so many more objects were seen with a placement that is `good`.
    async fn change_until(
        &self,
        cluster: &str,
        metadata: Json,
        objects: usize,
        good: impl Fn(&BTreeSet<String>) -> bool,
    ) -> Outcome<Duration> {
        let since = self.workloads.list(&Default::default()).await?.metadata.resource_version.unwrap_or_default();
        let mut events = self.workloads.watch(&WatchParams::default().timeout(290), &since).await?.boxed();
        let started = Instant::now();
        let change = json!({ "metadata": metadata });
        self.clusters.patch(cluster, &PatchParams::default(), &Patch::Merge(&change)).await?;
        let mut done = BTreeSet::new();
        while let Some(event) = events.try_next().await? {
            if let WatchEvent::Modified(object) = event
                && placed(&object).is_some_and(|clusters| good(&clusters))
            {
                done.extend(name(&object));
            }
            if done.len() >= objects {
                return Ok(started.elapsed());
            }
        }
        Err(format!("only {} of {objects} objects were patched before the watch ended", done.len()).into())
    }
}

fn name(object: &ReplicaSet) -> Option<String> {
    object.metadata.name.clone()
}

/// The clusters that an object is placed on, if it is placed.
fn placed(object: &ReplicaSet) -> Option<BTreeSet<String>> {
    let text = object.metadata.annotations.as_ref()?.get(PREFERENCES)?;
    let preferences: Json = serde_json::from_str(text).ok()?;
    Some(preferences.get("clusters")?.as_object()?.keys().cloned().collect())
}
