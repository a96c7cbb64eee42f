//! What changes of state cost, and what decisions wait for beside them: over HTTP, 100,000 objects there, with the policies of `policies/`
//! and 100 clusters. OPA takes the same changes, below a path that no policy reads: where one does, each takes it seconds.
//!
//! `KUBEBUILDER_ASSETS=$(tests/tools/build) cargo bench --bench changes`; `RUNS=1` once instead of five times.

mod http;
mod support;

use std::time::Duration;

use http::client::{Load, Measured};
use http::server::{Server, Style};
use http::workload::{CLASSES, OBJECTS, cluster, fleet, object, runs};
use serde_json::{Map, Value as Json};
use support::{Outcome, cluster_name, human, line, replica_set, row, timed, title};

const DECISION: &str = "/v0/data/kubernetes/placement";
const CLUSTERS: usize = 100;
/// Of each measurement.
const TIME: Duration = Duration::from_secs(4);
/// Changes a second to objects, which no policy reads.
const OBJECT_CHANGES: f64 = 5_000.0;
/// Changes a second to clusters, which policies do read.
const CLUSTER_CHANGES: f64 = 20.0;
/// Decisions beside changes are asked for at this share of what the server can answer.
const LOAD: f64 = 0.2;

fn main() -> Outcome<()> {
    let runs = runs();
    let mut ratios = [Vec::new(), Vec::new()];
    for namespaces in [50, 1] {
        for _ in 0..runs {
            let found = round(namespaces)?;
            ratios.iter_mut().zip(found).for_each(|(all, one)| all.push(one));
        }
    }
    title("p99 of decisions beside changes, by that without, medians")?;
    for (name, mut all) in ["5,000/s to objects", "20/s to clusters"].into_iter().zip(ratios) {
        all.sort_by(f64::total_cmp);
        row(name, format!("{:.2} x", all.get(all.len() / 2).copied().unwrap_or_default()))?;
    }
    Ok(())
}

/// Returns how many times as long decisions take beside changes of objects, and of clusters.
fn round(namespaces: usize) -> Outcome<[f64; 2]> {
    title(&format!("{OBJECTS} objects in {namespaces} namespaces"))?;
    let style = Style("policies".to_owned());
    let (ours, opa) = (Server::plimsoll(&style)?, Server::opa(&style)?);
    let objects = all_objects(namespaces);
    for (name, server, root) in [("first load by PUT", &ours, "kubernetes"), ("  OPA", &opa, "inventory")] {
        server.put("/v1/data/kubernetes/clusters", &fleet(CLUSTERS))?;
        load(name, server, &format!("/v1/data/{root}/pods"), &objects)?;
    }
    let changes = changes_of_objects("kubernetes", namespaces);
    report("a change of an object", &changes.measure(&ours, TIME)?)?;
    report("  OPA", &changes_of_objects("inventory", namespaces).measure(&opa, TIME)?)?;
    report("  5,000/s", &changes.measure_at(&ours, TIME, OBJECT_CHANGES)?)?;
    let ratios = beside_changes(&ours, &changes)?;
    ours.has_placed_all()?;
    Ok(ratios)
}

fn load(name: &str, server: &Server, path: &str, body: &str) -> Outcome<()> {
    let (before, processor) = (server.memory()?, server.processor()?);
    let (loaded, time) = timed(|| server.put(path, body));
    loaded?;
    let (after, processor) = (server.memory()?, server.processor()?.saturating_sub(processor));
    let times = |bytes: u64| bytes.saturating_sub(before.resident) as f64 / body.len() as f64;
    line(&format!(
        "  {name:<40} {:>7.1} MB in {:>9}  processor {:>9}  memory {:.2} x, at its peak {:.2} x",
        body.len() as f64 / 1e6,
        human(time),
        human(processor),
        times(after.resident),
        times(after.peak)
    ))
}

fn beside_changes(server: &Server, objects: &Load) -> Outcome<[f64; 2]> {
    let decisions = Load::post(DECISION, OBJECTS, |n| object(n, n % CLASSES));
    decisions.warm_up(server, CLASSES)?;
    let rate = decisions.measure(server, TIME)?.per_second * LOAD;
    let idle = decisions.measure_at(server, TIME, rate)?;
    report("decisions at a fifth of the load", &idle)?;
    let clusters = Load::put(2 * CLUSTERS, |n| {
        let at = n % CLUSTERS;
        (format!("/v1/data/kubernetes/clusters/{}", cluster_name(at)), cluster(at, n < CLUSTERS).to_string())
    });
    let beside = |changes: &Load, changes_rate: f64| -> Outcome<f64> {
        let measured = std::thread::scope(|scope| {
            let changing = scope.spawn(|| changes.measure_at(server, TIME, changes_rate).map_err(|error| error.to_string()));
            let decided = decisions.measure_at(server, TIME, rate)?;
            let changed = changing.join().map_err(|_| "a client panicked")??;
            report(&format!("beside {changes_rate:.0} changes/s"), &decided)?;
            report("  the changes", &changed)?;
            Ok::<_, Box<dyn std::error::Error>>(decided)
        })?;
        Ok(measured.p99.as_secs_f64() / idle.p99.as_secs_f64().max(1e-9))
    };
    Ok([beside(objects, OBJECT_CHANGES)?, beside(&clusters, CLUSTER_CHANGES)?])
}

/// By namespace and name, in JSON.
fn all_objects(namespaces: usize) -> String {
    let mut all = Map::new();
    for n in 0..OBJECTS {
        let object = replica_set(n, namespaces, 1);
        let (namespace, name) = place(&object);
        if let Json::Object(members) = all.entry(namespace).or_insert_with(|| Json::Object(Map::new())) {
            members.insert(name, object);
        }
    }
    Json::Object(all).to_string()
}

fn changes_of_objects(root: &str, namespaces: usize) -> Load {
    // Far apart, so that what comes one after the other lies nowhere near.
    Load::put(20_000, |n| {
        let object = replica_set(n * 7_919 % OBJECTS, namespaces, n + 2);
        let (namespace, name) = place(&object);
        (format!("/v1/data/{root}/pods/{namespace}/{name}"), object.to_string())
    })
}

fn place(object: &Json) -> (String, String) {
    let text = |pointer| object.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
    (text("/metadata/namespace"), text("/metadata/name"))
}

fn report(name: &str, Measured { per_second, p50, p99, processor, .. }: &Measured) -> Outcome<()> {
    line(&format!(
        "  {name:<40} {per_second:>9.0}/s  median {:>9}  p99 {:>9}  processor {:>9}",
        human(*p50),
        human(*p99),
        human(*processor)
    ))
}
