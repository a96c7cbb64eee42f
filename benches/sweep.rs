//! First load, sweep and re-sweep of many placed objects.
//!
//! `cargo bench --bench sweep [-- OBJECTS CLUSTERS]`

mod support;

use std::sync::Arc;
use std::time::Duration;

use plimsoll::placements::{Filter, PassReport, Reconciler, Trigger};
use support::{
    Fleet, Outcome, POLICY, cluster, clusters, config, human, median, replica_set, replica_sets, resident, row, timed, title,
};

fn main() -> Outcome<()> {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse().ok());
    let (objects, fleet_size) = (numbers.next().unwrap_or(10_000), numbers.next().unwrap_or(100));
    title(&format!("{objects} placed objects, {fleet_size} clusters"))?;
    let fleet = load(objects, fleet_size)?;
    let epoch = Arc::clone(&fleet.store.load().epoch);
    let mut reconciler = Reconciler::new(epoch, Arc::new(config()));
    let (report, time) = pass(&mut reconciler, &fleet, Trigger::Published);
    told("first sweep", report, time)?;
    let (report, time) = pass(&mut reconciler, &fleet, Trigger::Resync);
    told("periodic pass, nothing changed", report, time)?;
    one_object(&mut reconciler, &fleet)?;
    one_cluster(&mut reconciler, &fleet)?;
    heartbeats(&mut reconciler, &fleet)?;
    if let Some(bytes) = resident() {
        row("resident", format!("{} MiB", bytes >> 20))?;
    }
    let (list, time) = timed(|| reconciler.table().list(&Filter::default()));
    row("list", format!("{} in {}", list.items.len(), human(time)))
}

fn load(objects: usize, fleet_size: usize) -> Outcome<Fleet> {
    let fleet = Fleet::new()?;
    fleet.policies(&[("placement.rego", POLICY)])?;
    let body = fleet.replace(&clusters()?, (0..fleet_size).map(|n| cluster(n, true)))?;
    fleet.sync(&body)?;
    let body = fleet.replace(&replica_sets()?, (0..objects).map(|n| replica_set(n, 100, 1)))?;
    let (synced, time) = timed(|| fleet.sync(&body));
    synced?;
    row("first load, until published", human(time))?;
    Ok(fleet)
}

fn pass(reconciler: &mut Reconciler, fleet: &Fleet, trigger: Trigger) -> (PassReport, Duration) {
    timed(|| reconciler.pass(&fleet.store.load(), trigger, &|| false))
}

fn told(name: &str, report: PassReport, time: Duration) -> Outcome<()> {
    row(name, human(time))?;
    row("  decided / events", format!("{} / {}", report.decided, report.changed))?;
    let each = time.checked_div(u32::try_from(report.decided)?).unwrap_or_default();
    row("  each decision, all cores", human(each))
}

/// From the published update to its event.
fn one_object(reconciler: &mut Reconciler, fleet: &Fleet) -> Outcome<()> {
    let kind = replica_sets()?;
    let mut times = Vec::new();
    for round in 0..21 {
        fleet.sync(&fleet.delta(&kind, std::iter::once(replica_set(round, 100, round + 2)))?)?;
        times.push(pass(reconciler, fleet, Trigger::Published).1);
    }
    row("pass after one object changed: median", human(median(times)))
}

/// One cluster loses its certification and gets it back.
fn one_cluster(reconciler: &mut Reconciler, fleet: &Fleet) -> Outcome<()> {
    let kind = clusters()?;
    for (name, certified) in [("a cluster loses its certification", false), ("and gets it back", true)] {
        let body = fleet.delta(&kind, std::iter::once(cluster(0, certified)))?;
        let (synced, update) = timed(|| fleet.sync(&body));
        synced?;
        let (report, time) = pass(reconciler, fleet, Trigger::Published);
        told(name, report, time)?;
        row("  its update, until published", human(update))?;
    }
    Ok(())
}

/// A cluster's status changes, which policy does not read.
fn heartbeats(reconciler: &mut Reconciler, fleet: &Fleet) -> Outcome<()> {
    let kind = clusters()?;
    let (mut times, mut decided) = (Vec::new(), 0);
    for beat in 0..21 {
        let mut cluster = cluster(1, true);
        if let Some(status) = cluster.get_mut("status") {
            *status = serde_json::json!({"beat": beat});
        }
        fleet.sync(&fleet.delta(&kind, std::iter::once(cluster))?)?;
        let (report, time) = pass(reconciler, fleet, Trigger::Published);
        decided += report.decided;
        times.push(time);
    }
    row("pass after a heartbeat: median", human(median(times)))?;
    row("  decided in all of them", decided)
}
