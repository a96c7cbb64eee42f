//! One decision at 10, 100 and 1,000 clusters.
//!
//! `cargo bench --bench decide`

mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use plimsoll::decision::{Subject, Way, Writer, decide};
use support::{Fleet, Outcome, POLICY, cluster, clusters, config, human, median, replica_set, replica_sets, row, timed, title};

fn main() -> Outcome<()> {
    for fleet_size in [10, 100, 1_000] {
        title(&format!("one decision, {fleet_size} clusters"))?;
        let fleet = Fleet::new()?;
        fleet.policies(&[("placement.rego", POLICY)])?;
        fleet.sync(&fleet.replace(&replica_sets()?, std::iter::empty())?)?;
        let body = fleet.replace(&clusters()?, (0..fleet_size).map(|n| cluster(n, true)))?;
        let (synced, load) = timed(|| fleet.sync(&body));
        synced?;
        row("clusters loaded, until published", human(load))?;
        let time = decisions(&fleet)?;
        row("plimsoll, in process, one thread: median", human(time))?;
    }
    Ok(())
}

/// Distinct objects one after the other, for a second.
fn decisions(fleet: &Fleet) -> Outcome<Duration> {
    let (snapshot, kind, config) = (fleet.store.load(), replica_sets()?, config());
    let (mut times, started) = (Vec::new(), Instant::now());
    while started.elapsed() < Duration::from_secs(1) || times.len() < 5 {
        let object = replica_set(times.len(), 100, 1);
        let subject = Subject { object: &object, kind: Some(&kind), way: Way::Stored, writer: Writer::Unknown, last: None };
        let (decision, time) = timed(|| decide(&snapshot, subject, &config));
        if decision.outcome.name() != "place" {
            return Err(format!("not placed: {}", decision.outcome).into());
        }
        black_box(decision);
        times.push(time);
    }
    Ok(median(times))
}
