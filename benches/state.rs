//! What a state update costs, and what a state of 100,000 objects weighs.
//!
//! `cargo bench --bench state [-- OBJECTS]`

mod support;

use std::fs::File;
use std::time::Duration;

use support::{
    Cost, Fleet, Outcome, cost, human, median, peak, replica_set, replica_sets, reset_peak, resident, row, rows, timed, title,
};

const ROUNDS: usize = 201;

fn main() -> Outcome<()> {
    let objects = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(100_000);
    for namespaces in [100, 1] {
        measure(objects, namespaces)?;
    }
    Ok(())
}

fn measure(objects: usize, namespaces: usize) -> Outcome<()> {
    title(&format!("{objects} objects in {namespaces} namespaces"))?;
    let fleet = Fleet::new()?;
    let mut body = fleet.replace_file(&replica_sets()?, (0..objects).map(|n| replica_set(n, namespaces, 1)))?;
    first_load(&fleet, &mut body, objects)?;
    second_load(&fleet, &mut body)?;
    rows("one update, until published", &updates(&fleet, objects, namespaces, 1)?)?;
    rows("100 updates in one body, until published", &updates(&fleet, objects, namespaces, 100)?)?;
    let at_once = at_once(&fleet, objects, namespaces)?;
    row("100 updates by 4 writers at once, until all published", human(median(at_once.clone())))?;
    row("  each", human(median(at_once) / 100))
}

fn first_load(fleet: &Fleet, body: &mut File, objects: usize) -> Outcome<()> {
    let bytes = body.metadata()?.len() as f64;
    let before = resident();
    let (loaded, Cost { wall, cpu }) = cost(|| fleet.sync_file(body));
    loaded?;
    row("NDJSON body", format!("{:.1} MB", bytes / 1e6))?;
    row("first load, until published", human(wall))?;
    row("  on the processor", human(cpu))?;
    if let (Some(before), Some(after)) = (before, resident()) {
        let grown = after.saturating_sub(before) as f64;
        row("memory per object", format!("{:.0} bytes", grown / objects as f64))?;
        row("  by bytes sent", format!("{:.2} x", grown / bytes))?;
    }
    Ok(())
}

/// A sidecar that starts anew sends what is there already.
fn second_load(fleet: &Fleet, body: &mut File) -> Outcome<()> {
    let (steady, measured) = (resident(), reset_peak());
    let (loaded, Cost { wall, cpu }) = cost(|| fleet.sync_file(body));
    loaded?;
    row("the same again, until published", human(wall))?;
    row("  on the processor", human(cpu))?;
    if let (Some(steady), Some(()), Some(peak)) = (steady, measured, peak()) {
        row("  peak memory by steady memory", format!("{:.2} x", peak as f64 / steady as f64))?;
    }
    Ok(())
}

/// Costs of bodies with `together` updates each.
fn updates(fleet: &Fleet, objects: usize, namespaces: usize, together: usize) -> Outcome<Vec<Cost>> {
    let kind = replica_sets()?;
    let mut costs = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let changed = (0..together).map(|n| replica_set((round * 7_919 + n * 104_729) % objects, namespaces, round + 2));
        let body = fleet.delta(&kind, changed)?;
        let (synced, cost) = cost(|| fleet.sync(&body));
        synced?;
        costs.push(cost);
    }
    Ok(costs)
}

/// Times of four writers with 25 bodies each, one update a body.
fn at_once(fleet: &Fleet, objects: usize, namespaces: usize) -> Outcome<Vec<Duration>> {
    let kind = replica_sets()?;
    let mut times = Vec::new();
    for round in 0..11 {
        let changed = |n: usize| replica_set((round * 7_919 + n * 104_729) % objects, namespaces, round + 900);
        let bodies: Vec<Vec<u8>> = (0..100).map(|n| fleet.delta(&kind, std::iter::once(changed(n)))).collect::<Outcome<_>>()?;
        let write = |bodies: &[Vec<u8>]| bodies.iter().all(|body| fleet.sync(body).is_ok());
        let (done, time) = timed(|| {
            std::thread::scope(|scope| {
                let writers: Vec<_> = bodies.chunks(25).map(|bodies| scope.spawn(move || write(bodies))).collect();
                writers.into_iter().all(|writer| writer.join().unwrap_or(false))
            })
        });
        if !done {
            return Err("an update was refused".into());
        }
        times.push(time);
    }
    Ok(times)
}
