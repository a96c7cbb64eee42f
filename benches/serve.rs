//! Decisions over HTTP beside a real OPA, in one run: the same policies, clusters and objects.
//!
//! `just bench --bench serve`; OPA is the one of the tests' tools, in `$KUBEBUILDER_ASSETS`.
//!
//! `STYLES=policies,helpers` measures some styles of policy only, `CLUSTERS=100` some fleets, `RUNS=1` once instead of five times.
//! At the end there is one table of the medians, in Markdown: `docs/speed.md` keeps it.
//!
//! *seen*: 100,000 distinct objects in 1,000 classes, each class asked for before; *new*: each object is its own class, and none of
//! these.

mod http;
mod support;

#[path = "serve/table.rs"]
mod table;

use std::time::Duration;

use http::client::{Load, Measured};
use http::server::{Server, Style};
use http::workload::{CLASSES, OBJECTS, fleet, object, runs, sizes};
use support::{Outcome, human, line, row, title};
use table::{Pair, Round, Row};

const PATH: &str = "/v0/data/kubernetes/placement";
/// Decisions that policy was not evaluated for.
const CACHED: &str = "cached=\"true\"";
/// Of each measurement.
const TIME: Duration = Duration::from_secs(1);
/// Latencies are compared at this share of what OPA answers: both are offered the same, and neither is full.
const OFFERED: f64 = 0.5;

fn main() -> Outcome<()> {
    let runs = runs();
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
    let fleet = fleet(clusters);
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
    let before = kept(style, &ours)?;
    let new = Load::post(PATH, OBJECTS, |n| object(OBJECTS + n, CLASSES + n));
    let new = pair("new", &new, &ours, &opa)?;
    ours.has_placed_all()?;
    match ours.decisions(CACHED)? - before {
        0 => Ok(Round { fixed, seen, new }),
        cached => Err(format!("{cached} decisions of new classes were made before").into()),
    }
}

/// Returns how many decisions so far policy was not evaluated for. Fails unless that is nearly all of those behind the warm-up, except
/// with `walk`, to which no two objects are alike.
fn kept(style: &Style, ours: &Server) -> Outcome<u64> {
    let (cached, all) = (ours.decisions(CACHED)?, ours.decisions("")?);
    row("  of plimsoll's so far from what is kept", format!("{cached} of {all}"))?;
    let is_kept = style.0 == "walk" || cached * 100 >= all.saturating_sub(CLASSES as u64) * 99;
    if is_kept { Ok(cached) } else { Err(format!("{cached} of {all} decisions of seen classes were made before").into()) }
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

fn report(name: &str, measured: &Measured) -> Outcome<()> {
    let Measured { per_second, p50, p99, processor, bytes } = measured;
    row(name, format!("{per_second:.0}/s"))?;
    row("  latency, median and p99", format!("{}, {}", human(*p50), human(*p99)))?;
    row("  on the server's processor, each", format!("{} ({bytes} bytes)", human(*processor)))
}
