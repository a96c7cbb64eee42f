//! What a state update costs, and what a state of 100,000 objects weighs.
//!
//! `cargo bench --bench state [-- OBJECTS]`

mod support;

use std::time::Duration;

use support::{Fleet, Outcome, human, median, p99, peak, replica_set, replica_sets, resident, row, timed, title};

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
    let fleet = first_load(objects, namespaces)?;
    let one = updates(&fleet, objects, namespaces, 1)?;
    row("one update, until published: median", human(median(one.clone())))?;
    row("one update, until published: p99", human(p99(one)))?;
    let hundred = updates(&fleet, objects, namespaces, 100)?;
    row("100 updates in one body, until published: median", human(median(hundred.clone())))?;
    row("  each", human(median(hundred) / 100))?;
    row("100 updates from 4 writers at once, each: median", human(median(at_once(&fleet, objects, namespaces)?)))
}

fn first_load(objects: usize, namespaces: usize) -> Outcome<Fleet> {
    let fleet = Fleet::new()?;
    let body = fleet.replace(&replica_sets()?, (0..objects).map(|n| replica_set(n, namespaces, 1)))?;
    let before = resident();
    let (loaded, time) = timed(|| fleet.sync(&body));
    loaded?;
    row("NDJSON body", format!("{:.1} MB", body.len() as f64 / 1e6))?;
    row("first load, until published", human(time))?;
    if let (Some(before), Some(after)) = (before, resident()) {
        let grown = after.saturating_sub(before) as f64;
        row("memory per object", format!("{:.0} bytes", grown / objects as f64))?;
        row("  by bytes sent", format!("{:.2} x", grown / body.len() as f64))?;
    }
    let (loaded, time) = timed(|| fleet.sync(&body));
    loaded?;
    row("the same load again", human(time))?;
    if let (Some(steady), Some(peak)) = (resident(), peak()) {
        row("peak memory by memory now (body included)", format!("{:.2} x", peak as f64 / steady as f64))?;
    }
    Ok(fleet)
}

/// Times of bodies with `together` updates each.
fn updates(fleet: &Fleet, objects: usize, namespaces: usize, together: usize) -> Outcome<Vec<Duration>> {
    let kind = replica_sets()?;
    let mut times = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let changed = (0..together).map(|n| replica_set((round * 7_919 + n * 104_729) % objects, namespaces, round + 2));
        let body = fleet.delta(&kind, changed)?;
        let (synced, time) = timed(|| fleet.sync(&body));
        synced?;
        times.push(time);
    }
    Ok(times)
}

/// Four writers with 25 updates each, one update a body: time of the whole by updates.
fn at_once(fleet: &Fleet, objects: usize, namespaces: usize) -> Outcome<Vec<Duration>> {
    let kind = replica_sets()?;
    let mut times = Vec::new();
    for round in 0..11 {
        let body = |n: usize| {
            fleet.delta(&kind, std::iter::once(replica_set((round * 7_919 + n * 104_729) % objects, namespaces, round + 900)))
        };
        let bodies: Vec<Vec<u8>> = (0..100).map(body).collect::<Outcome<_>>()?;
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
        times.push(time / 100);
    }
    Ok(times)
}
