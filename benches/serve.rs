//! Decisions over HTTP beside a real OPA, in one run: the same policies, clusters and objects.
//!
//! `just bench --bench serve`; OPA is the one of the tests' tools, in `$KUBEBUILDER_ASSETS`.
//!
//! `STYLES=policies,helpers` measures some styles of policy only, `CLUSTERS=100` some fleets, `RUNS=1` once instead of five times.
//! At the end there is one table of the medians, in Markdown: `docs/speed.md` keeps it.
//!
//! *seen*: 100,000 distinct objects in 1,000 classes, each class asked for before; *new*: each object is its own class.

mod support;

#[path = "serve/client.rs"]
mod client;
#[path = "serve/server.rs"]
mod server;
#[path = "serve/table.rs"]
mod table;

use std::time::Duration;

use client::{Load, Measured};
use serde_json::{Value as Json, json};
use server::{Server, Style};
use support::{Outcome, cluster, cluster_name, human, line, replica_set, row, title};
use table::{Pair, Round, Row};

const PATH: &str = "/v0/data/kubernetes/placement";
/// Objects that differ, before they come again.
const OBJECTS: usize = 100_000;
const CLASSES: usize = 1_000;
/// Of each measurement.
const TIME: Duration = Duration::from_secs(1);
/// Latencies are compared at this share of what OPA answers: both are offered the same, and neither is full.
const OFFERED: f64 = 0.5;

fn main() -> Outcome<()> {
    let runs = std::env::var("RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    let mut rows = Vec::new();
    for style in Style::all() {
        for clusters in sizes() {
            let rounds = (0..runs).map(|_| beside_opa(&style, clusters)).collect::<Outcome<Vec<_>>>()?;
            rows.push(Row { style: style.0.clone(), clusters, rounds });
        }
    }
    title(&format!("medians of {runs}"))?;
    table::lines(&rows).iter().try_for_each(|text| line(text))
}

fn beside_opa(style: &Style, clusters: usize) -> Outcome<Round> {
    let fleet: serde_json::Map<_, _> = (0..clusters).map(|n| (cluster_name(n), cluster(n, n % 4 != 3))).collect();
    let fleet = Json::Object(fleet).to_string();
    let (ours, opa) = (Server::plimsoll(style)?, Server::opa(style)?);
    for server in [&ours, &opa] {
        server.put("/v1/data/kubernetes/clusters", &fleet)?;
    }
    title(&format!("{clusters} clusters, {}, v0", style.0))?;
    let fixed = Load::get("/health").measure(&ours, TIME)?;
    report("fixed answer (GET /health)", &fixed)?;
    let seen = Load::post(PATH, OBJECTS, |n| object(n, n % CLASSES));
    seen.warm_up(&ours, CLASSES)?;
    let seen = pair("seen", &seen, &ours, &opa)?;
    let new = pair("new", &Load::post(PATH, OBJECTS, |n| object(n, n)), &ours, &opa)?;
    Ok(Round { fixed, seen, new })
}

fn pair(name: &str, load: &Load, ours: &Server, opa: &Server) -> Outcome<Pair> {
    let (full, opa_full) = (load.measure(ours, TIME)?, load.measure(opa, TIME)?);
    let rate = opa_full.per_second * OFFERED;
    let (offered, opa_offered) = (load.measure_at(ours, TIME, rate)?, load.measure_at(opa, TIME, rate)?);
    report(name, &full)?;
    report("  OPA", &opa_full)?;
    report(&format!("  at {rate:.0}/s"), &offered)?;
    report("  OPA", &opa_offered)?;
    Ok(Pair { full, opa_full, offered, opa_offered })
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

fn report(name: &str, measured: &Measured) -> Outcome<()> {
    let Measured { per_second, p50, p99, processor, bytes } = measured;
    row(name, format!("{per_second:.0}/s"))?;
    row("  latency, median and p99", format!("{}, {}", human(*p50), human(*p99)))?;
    row("  on the server's processor, each", format!("{} ({bytes} bytes)", human(*processor)))
}
