//! What the suites say of each mutant.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::mutant::Mutant;
use crate::suite::Suite;

/// What became of a mutant.
#[derive(Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A suite failed.
    Caught(String),
    /// A suite did not end in time.
    TimedOut(String),
    /// All suites passed; with how many of them come by it.
    Survived(usize),
}

/// Of each suite and room: how many mutants it was asked about, and how many it caught.
#[derive(Default)]
struct Told<'s>(Mutex<BTreeMap<(&'s str, &'s str), (f64, f64)>>);

/// What becomes of each mutant, as many at a time as there are processors.
pub fn run(suites: &[Suite], mutants: &[Mutant]) -> Result<Vec<Outcome>> {
    let (next, told) = (AtomicUsize::new(0), Told::default());
    let work = || {
        let mut found = Vec::new();
        while let Some((at, mutant)) = take(&next, mutants) {
            let outcome = judge(suites, mutant, &told)?;
            println!("{} of {}: {}", at.saturating_add(1), mutants.len(), outcome.shown(mutant));
            found.push((at, outcome));
        }
        Ok(found)
    };
    let workers = std::thread::available_parallelism().map_or(1, Into::into);
    let found: Vec<Result<Vec<_>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| bail!("a worker panicked"))).collect()
    });
    let mut outcomes = found.into_iter().collect::<Result<Vec<_>>>()?.concat();
    outcomes.sort_by_key(|(at, _)| *at);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

fn take<'m>(next: &AtomicUsize, mutants: &'m [Mutant]) -> Option<(usize, &'m Mutant)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    mutants.get(at).map(|mutant| (at, mutant))
}

/// Asks the suites until one fails.
fn judge<'s>(suites: &'s [Suite], mutant: &'s Mutant, told: &Told<'s>) -> Result<Outcome> {
    let mut reaching: Vec<_> = suites.iter().filter(|suite| suite.reaches(mutant.number)).collect();
    told.order(&mut reaching, mutant);
    for suite in &reaching {
        let begun = Instant::now();
        let status = suite.command(mutant.number).status().with_context(|| format!("running {}", suite.name))?;
        told.add(suite, mutant, !status.success());
        if status.success() {
            continue;
        }
        // `timeout` kills itself with what it started.
        let late = status.signal().is_some() && begun.elapsed() >= suite.limit;
        let name = suite.name.clone();
        return Ok(if late { Outcome::TimedOut(name) } else { Outcome::Caught(name) });
    }
    Ok(Outcome::Survived(reaching.len()))
}

impl<'s> Told<'s> {
    fn add(&self, suite: &'s Suite, mutant: &'s Mutant, caught: bool) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (asked, found) = told.entry((&suite.name, mutant.room())).or_default();
        *asked += 1.0;
        *found += f64::from(u8::from(caught));
    }

    /// Those first that likely catch most in a second; as long as nothing is told, the quickest.
    fn order(&self, suites: &mut [&'s Suite], mutant: &'s Mutant) {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let each_second = |suite: &&Suite| {
            let (asked, caught) = told.get(&(suite.name.as_str(), mutant.room())).copied().unwrap_or_default();
            (caught + 1.0) / (asked + 2.0) / suite.took.as_secs_f64()
        };
        suites.sort_by(|a, b| each_second(b).total_cmp(&each_second(a)));
    }
}

impl Outcome {
    fn shown(&self, mutant: &Mutant) -> String {
        match self {
            Self::Caught(by) => format!("caught by {by}"),
            Self::TimedOut(by) => format!("timed out in {by}"),
            Self::Survived(suites) => format!("SURVIVED {suites} suites that come by: {}", mutant.shown()),
        }
    }
}
