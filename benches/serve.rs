//! Decisions over HTTP beside a real OPA, in one run: the same policies, clusters and objects.
//!
//! `just bench --bench serve`; OPA is the one of the tests' tools, in `$KUBEBUILDER_ASSETS`.
//!
//! `STYLES=policies,helpers` measures some styles of policy only, `CLUSTERS=100` some fleets.
//!
//! *seen*: 100,000 distinct objects in 1,000 classes, each class asked for before; *new*: each object is its own class.

mod support;

#[path = "serve/client.rs"]
mod client;
#[path = "serve/server.rs"]
mod server;

use std::time::Duration;

use client::{Load, Measured};
use serde_json::{Value as Json, json};
use server::{Server, Style};
use support::{Outcome, cluster, cluster_name, human, replica_set, row, title};

const PATH: &str = "/v0/data/kubernetes/placement";
/// Objects that differ, before they come again.
const OBJECTS: usize = 100_000;
const CLASSES: usize = 1_000;
const TIME: Duration = Duration::from_secs(4);

fn main() -> Outcome<()> {
    for style in Style::all() {
        for clusters in sizes() {
            beside_opa(&style, clusters)?;
        }
    }
    Ok(())
}

fn beside_opa(style: &Style, clusters: usize) -> Outcome<()> {
    let fleet: serde_json::Map<_, _> = (0..clusters).map(|n| (cluster_name(n), cluster(n, n % 4 != 3))).collect();
    let fleet = Json::Object(fleet).to_string();
    let (ours, opa) = (Server::plimsoll(style)?, Server::opa(style)?);
    for server in [&ours, &opa] {
        server.put("/v1/data/kubernetes/clusters", &fleet)?;
    }
    title(&format!("{clusters} clusters, {}, v0", style.0))?;
    let fixed = report("fixed answer (GET /health)", &Load::get("/health").measure(&ours, TIME)?)?;
    let seen = Load::post(PATH, OBJECTS, |n| object(n, n % CLASSES));
    seen.measure(&ours, TIME)?;
    let (seen_ours, seen_opa) = (seen.measure(&ours, TIME)?, seen.measure(&opa, TIME)?);
    let ours_per_second = report("seen", &seen_ours)?;
    report("  OPA", &seen_opa)?;
    ratios(&seen_ours, &seen_opa)?;
    row("  of the fixed answer's throughput", format!("{:.0} %", 100.0 * ours_per_second / fixed))?;
    let new = Load::post(PATH, OBJECTS, |n| object(n, n));
    let (new_ours, new_opa) = (new.measure(&ours, TIME)?, new.measure(&opa, TIME)?);
    report("new", &new_ours)?;
    report("  OPA", &new_opa)?;
    ratios(&new_ours, &new_opa)
}

/// As said by `CLUSTERS`, or all.
fn sizes() -> Vec<usize> {
    let said = std::env::var("CLUSTERS").unwrap_or_default();
    let said: Vec<_> = said.split(',').filter_map(|size| size.parse().ok()).collect();
    if said.is_empty() { vec![10, 100, 1_000] } else { said }
}

/// One workload; policy reads which weight its owner asks for.
fn object(n: usize, class: usize) -> String {
    let mut object = replica_set(n, 100, 1);
    let wanted = json!({"rebalance": true, "clusters": {"*": {"weight": class + 1}}}).to_string();
    let annotations = json!({
        "policy.plimsoll.io/jurisdiction": "eu",
        "federation.kubernetes.io/replica-set-preferences": wanted,
        "example.org/owner": format!("person-{n}@example.org"),
    });
    if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) {
        metadata.insert("annotations".into(), annotations);
    }
    object.to_string()
}

fn report(name: &str, measured: &Measured) -> Outcome<f64> {
    let Measured { per_second, p50, p99, processor, bytes, .. } = measured;
    row(name, format!("{per_second:.0}/s"))?;
    row("  latency, median and p99", format!("{}, {}", human(*p50), human(*p99)))?;
    row("  on the server's processor, each", format!("{} ({bytes} bytes)", human(*processor)))?;
    Ok(*per_second)
}

fn ratios(ours: &Measured, opa: &Measured) -> Outcome<()> {
    let times = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64().max(1e-9);
    row("  throughput, times OPA's", format!("{:.1}", ours.per_second / opa.per_second))?;
    row("  processor, OPA's times ours", format!("{:.1}", times(opa.processor, ours.processor)))?;
    row("  p99, OPA's times ours", format!("{:.1}", times(opa.p99, ours.p99)))
}
