//! First load, sweep and re-sweep of many placed objects, and how they grow.
//!
//! `cargo bench --bench sweep [-- OBJECTS CLUSTERS]`; `-- growth` measures 1,000 to 100,000 objects on 100 clusters and 10,000 objects on
//! 10 to 1,000 clusters, and prints tables in Markdown with the exponent of each row: 0 does not grow, 1 grows as the size does.
//! `docs/speed.md` keeps them. `-- own [OBJECTS CLUSTERS]` measures objects each of which is a class of its own, `-- moves [written] [OBJECTS CLUSTERS]`
//! one cluster that comes and goes for so long that a profiler sees nothing else; `written`, after all decisions were written to the objects.

mod support;

#[path = "sweep/growth.rs"]
mod growth;
#[path = "sweep/moves.rs"]
mod moves;

use std::sync::Arc;
use std::time::Duration;

use plimsoll::placements::{Filter, PassReport, Reconciler, Trigger};
use support::{
    Fleet, Outcome, POLICY, cluster, clusters, config, human, median, replica_set, replica_sets, resident, row, timed, title,
};

/// Changes of one kind, of which the median counts.
const CHANGES: usize = 21;

/// Reads of an object what no other one has, so that each is a class of its own.
const OWN: &str = r#"
warnings contains "the namesake of an application" if {
	some cluster in data.kubernetes.clusters
	cluster.metadata.labels.app == input.metadata.labels.app
}
"#;

/// The name of each measurement and how long it took, in the order of measuring.
type Figures = Vec<(&'static str, Duration)>;

fn main() -> Outcome<()> {
    if std::env::args().any(|argument| argument == "growth") {
        return growth::measure();
    }
    let mut numbers = std::env::args().filter_map(|argument| argument.parse().ok());
    if std::env::args().any(|argument| argument == "moves") {
        let written = std::env::args().any(|argument| argument == "written");
        return moves::measure(numbers.next().unwrap_or(100_000), numbers.next().unwrap_or(100), written);
    }
    let policy = if std::env::args().any(|argument| argument == "own") { format!("{POLICY}{OWN}") } else { POLICY.to_owned() };
    measure(numbers.next().unwrap_or(10_000), numbers.next().unwrap_or(100), &policy)?;
    Ok(())
}

fn measure(objects: usize, fleet_size: usize, policy: &str) -> Outcome<Figures> {
    title(&format!("{objects} placed objects, {fleet_size} clusters"))?;
    let (fleet, loaded) = load(objects, fleet_size, policy)?;
    let epoch = Arc::clone(&fleet.store.load().epoch);
    let mut reconciler = Reconciler::new(epoch, Arc::new(config()));
    in_use()?;
    let first = pass(&mut reconciler, &fleet, Trigger::Published);
    told("first sweep", first)?;
    in_use()?;
    let again = pass(&mut reconciler, &fleet, Trigger::Resync);
    told("periodic pass, nothing changed", again)?;
    let object = one_object(&mut reconciler, &fleet)?;
    let cluster = one_cluster(&mut reconciler, &fleet)?;
    let heartbeat = heartbeats(&mut reconciler, &fleet)?;
    in_use()?;
    if let Some(bytes) = resident() {
        row("resident", format!("{} MiB", bytes >> 20))?;
    }
    let (list, listed) = timed(|| reconciler.table().list(&Filter::default()));
    row("list", format!("{} in {}", list.items.len(), human(listed)))?;
    Ok(vec![
        ("first load, until published", loaded),
        ("first sweep", first.1),
        ("periodic pass, nothing changed", again.1),
        ("one object changed", object),
        ("a cluster loses its certification", cluster),
        ("a heartbeat", heartbeat),
        ("the table, listed", listed),
    ])
}

fn load(objects: usize, fleet_size: usize, policy: &str) -> Outcome<(Fleet, Duration)> {
    let fleet = Fleet::new()?;
    fleet.policies(&[("placement.rego", policy)])?;
    let body = fleet.replace(&clusters()?, (0..fleet_size).map(|n| cluster(n, true)))?;
    fleet.sync(&body)?;
    let body = fleet.replace(&replica_sets()?, (0..objects).map(|n| replica_set(n, 100, 1)))?;
    let (synced, time) = timed(|| fleet.sync(&body));
    synced?;
    row("first load, until published", human(time))?;
    Ok((fleet, time))
}

/// Prints the bytes that are allocated; the allocator may hold more.
fn in_use() -> Outcome<()> {
    row("in use", format!("{} MiB", plimsoll::budget::in_use() >> 20))
}

fn pass(reconciler: &mut Reconciler, fleet: &Fleet, trigger: Trigger) -> (PassReport, Duration) {
    timed(|| reconciler.pass(&fleet.store.load(), trigger, &|| false))
}

fn told(name: &str, (report, time): (PassReport, Duration)) -> Outcome<()> {
    row(name, human(time))?;
    row("  decided / events", format!("{} / {}", report.decided, report.changed))?;
    let each = time.checked_div(u32::try_from(report.decided)?).unwrap_or_default();
    row("  each decision, all cores", human(each))
}

/// From the published update to its event.
fn one_object(reconciler: &mut Reconciler, fleet: &Fleet) -> Outcome<Duration> {
    let kind = replica_sets()?;
    let mut times = Vec::new();
    for round in 0..CHANGES {
        fleet.sync(&fleet.delta(&kind, std::iter::once(replica_set(round, 100, round + 2)))?)?;
        times.push(pass(reconciler, fleet, Trigger::Published).1);
    }
    let time = median(times);
    row("pass after one object changed: median", human(time))?;
    Ok(time)
}

/// One cluster loses its certification and gets it back; returns how long the pass over those that it concerns takes.
fn one_cluster(reconciler: &mut Reconciler, fleet: &Fleet) -> Outcome<Duration> {
    let kind = clusters()?;
    let mut times = Vec::new();
    for (name, certified) in [("a cluster loses its certification", false), ("and gets it back", true)] {
        let body = fleet.delta(&kind, std::iter::once(cluster(0, certified)))?;
        let (synced, update) = timed(|| fleet.sync(&body));
        synced?;
        let done = pass(reconciler, fleet, Trigger::Published);
        told(name, done)?;
        row("  its update, until published", human(update))?;
        times.push(done.1);
    }
    Ok(times.first().copied().unwrap_or_default())
}

/// A cluster's status changes, which policy does not read.
fn heartbeats(reconciler: &mut Reconciler, fleet: &Fleet) -> Outcome<Duration> {
    let kind = clusters()?;
    let (mut times, mut decided) = (Vec::new(), 0);
    for beat in 0..CHANGES {
        let mut cluster = cluster(1, true);
        if let Some(status) = cluster.get_mut("status") {
            *status = serde_json::json!({"beat": beat});
        }
        fleet.sync(&fleet.delta(&kind, std::iter::once(cluster))?)?;
        let (report, time) = pass(reconciler, fleet, Trigger::Published);
        decided += report.decided;
        times.push(time);
    }
    let time = median(times);
    row("pass after a heartbeat: median", human(time))?;
    row("  decided in all of them", decided)?;
    Ok(time)
}
