//! Decisions beside two readers that loop, in one process: the ratio of latencies.
//!
//! `cargo bench --bench fairness`

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use plimsoll::decision::{Subject, Way, Writer, decide};
use plimsoll::rego::Limits;
use plimsoll::server::pool::{Deadline, Lane, Lanes};
use support::{Fleet, Outcome, POLICY, cluster, clusters, config, human, replica_set, replica_sets, row, title};

/// Does not end before its limit.
const ENDLESS: &str = "count([1 | some i in numbers.range(1, 3000); some j in numbers.range(1, 3000); i * j == -1]) == 1";
/// Of one reader's query.
const READING: Duration = Duration::from_millis(200);
const MEASURED: Duration = Duration::from_secs(4);

fn main() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let fleet = Fleet::new()?;
    fleet.policies(&[("placement.rego", POLICY)])?;
    fleet.sync(&fleet.replace(&replica_sets()?, std::iter::empty())?)?;
    fleet.sync(&fleet.replace(&clusters()?, (0..100).map(|n| cluster(n, true)))?)?;
    let lanes = Arc::new(Lanes::start(thread::available_parallelism()?.get(), config().limits.time)?);
    let fleet = Arc::new(fleet);
    title("decisions through their pool, 100 clusters")?;
    runtime.block_on(decisions(&fleet, &lanes))?;
    let idle = runtime.block_on(decisions(&fleet, &lanes))?;
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> =
        (0..2).map(|_| runtime.spawn(read(Arc::clone(&fleet), Arc::clone(&lanes), Arc::clone(&stop)))).collect();
    let beside = runtime.block_on(decisions(&fleet, &lanes))?;
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        row("queries that one reader had cut off meanwhile", runtime.block_on(reader)?.to_string())?;
    }
    for (name, at) in [("p50", 0.5), ("p99", 0.99)] {
        let (idle, beside) = (at_rank(&idle, at), at_rank(&beside, at));
        row(&format!("{name} alone"), human(idle))?;
        row(&format!("{name} beside two looping readers"), human(beside))?;
        row(&format!("{name} ratio"), format!("{:.2}", beside.as_secs_f64() / idle.as_secs_f64()))?;
    }
    Ok(())
}

/// Times of distinct objects, one after the other, sorted.
async fn decisions(fleet: &Arc<Fleet>, lanes: &Lanes) -> Outcome<Vec<Duration>> {
    let (mut times, started) = (Vec::new(), Instant::now());
    while started.elapsed() < MEASURED {
        let (object, kind, fleet) = (replica_set(times.len(), 100, 1), replica_sets()?, Arc::clone(fleet));
        let job = move || {
            decide(
                &fleet.store.load(),
                Subject { object: &object, kind: Some(&kind), way: Way::Stored, writer: Writer::Unknown, last: None },
                &config(),
            )
        };
        let asked = Instant::now();
        let limit = config().limits.time;
        let decision = lanes.pool(Lane::Decide).run(Some(Deadline::after(limit, limit)), job).await?;
        times.push(asked.elapsed());
        if decision.outcome.name() != "place" {
            return Err(format!("not placed: {}", decision.outcome).into());
        }
    }
    times.sort_unstable();
    Ok(times)
}

/// Asks again and again what ends at its limit only.
async fn read(fleet: Arc<Fleet>, lanes: Arc<Lanes>, stop: Arc<AtomicBool>) -> usize {
    let mut asked = 0;
    while !stop.load(Ordering::Relaxed) {
        let fleet = Arc::clone(&fleet);
        let limits = Limits { time: READING, ..Limits::default() };
        let query = move || fleet.store.load().query(ENDLESS, None, &limits).is_err();
        asked += usize::from(lanes.pool(Lane::Query).run(None, query).await == Ok(true));
    }
    asked
}

fn at_rank(sorted: &[Duration], rank: f64) -> Duration {
    // Counts are far below what a double counts exactly.
    let at = (sorted.len() as f64 * rank) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}
