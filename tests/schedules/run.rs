//! Schedule after schedule, in a few worlds at once.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::chance::Chance;
use super::judge::{self, Truth, Violations};
use super::play::play;
use super::script;
use super::stage::Stage;

#[test]
fn two_pairs_converge_and_never_say_what_is_not_so() {
    let (count, seed, worlds) = (number("SCHEDULES", 10), number("SCHEDULES_SEED", 1), number("SCHEDULES_WORLDS", 3));
    let next = AtomicU64::new(seed);
    let failures: Vec<String> = thread::scope(|scope| {
        let worlds: Vec<_> = (0..worlds.min(count)).map(|_| scope.spawn(|| world(&next, seed + count))).collect();
        worlds.into_iter().flat_map(|world| world.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{} of {count} schedules failed:\n{}", failures.len(), failures.join("\n\n"));
}

/// One world, until all schedules have been taken; the first that fails is its last.
fn world(next: &AtomicU64, end: u64) -> Vec<String> {
    let take = || Some(next.fetch_add(1, Ordering::AcqRel)).filter(|seed| *seed < end);
    let Some(mut seed) = take() else { return Vec::new() };
    let Some(stage) = Stage::set(&mut Chance::new(seed, 1)) else { return Vec::new() };
    loop {
        if let Err(failure) = schedule(&stage, seed) {
            return vec![failure];
        }
        match take() {
            Some(next) => seed = next,
            None => return Vec::new(),
        }
    }
}

fn schedule(stage: &Stage, seed: u64) -> Result<(), String> {
    let (started, mut chance) = (Instant::now(), Chance::new(seed, 2));
    stage.fill(&mut chance);
    let over = AtomicBool::new(false);
    let (log, found, settled) = thread::scope(|scope| {
        let sampler = scope.spawn(|| {
            let mut truth = Truth::default();
            stage.facts.watch(&over, |began, samples| stage.history.look(|past| truth.hear(past, began, samples)));
            truth.found()
        });
        let log = play(stage, &script::write(seed), &mut chance);
        let settled = judge::settle(stage).and_then(|time| judge::stays(stage).map(|()| time));
        over.store(true, Ordering::Release);
        (log, sampler.join().unwrap(), settled)
    });
    let mut violations: Violations = settled.as_ref().err().cloned().into_iter().chain(found).collect();
    stage.history.look(|past| {
        violations.extend([judge::order(past), judge::freshness(past), judge::values(past)].concat());
        violations.extend(judge::events(past, started));
    });
    let time = settled.unwrap_or(Duration::ZERO);
    let versions = stage.history.look(|past| past.objects.values().map(Vec::len).sum::<usize>());
    say(&format!(
        "schedule {seed}: {} acts, settled after {time:.1?}, {versions} versions so far, {} violations, {:.1?}",
        log.len(),
        violations.len(),
        started.elapsed()
    ));
    if violations.is_empty() { Ok(()) } else { Err(report(stage, seed, &log, &violations)) }
}

fn report(stage: &Stage, seed: u64, log: &[String], violations: &[String]) -> String {
    let mut text = format!(
        "--- schedule {seed}: SCHEDULES=1 SCHEDULES_SEED={seed}\n{}\n--- what was done\n{}\n",
        violations.join("\n"),
        log.join("\n")
    );
    for pair in stage.pairs.lock().iter() {
        let logs = [Some(pair.engine.log()), pair.sidecar.as_ref().map(super::super::e2e::Sidecar::log)];
        for log in logs.into_iter().flatten() {
            let lines: Vec<&str> = log.lines().collect();
            let tail = lines[lines.len().saturating_sub(60)..].join("\n");
            write!(text, "--- a log of {}, at the end\n{tail}\n", pair.name()).unwrap();
        }
    }
    text
}

/// Not by `println!`: the harness would keep it from whoever should know.
fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").unwrap();
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}
