//! The suites: which they are, how long they take, and what they say of a mutant.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::cargo::Binary;
use crate::mutant::Mutant;
use crate::tree::{Tree, put};

/// Suites that are not about answers: `lines` counts lines, and here are more of them.
const NOT_RUN: [&str; 1] = ["lines"];
/// How many times as long as without a mutant a suite may take.
const TIMES: u32 = 5;
/// No suite has less.
const LEAST: Duration = Duration::from_secs(60);
/// Address space of a suite, in KiB: real OPA, which some ask, reserves much.
const MEMORY: u64 = 12 << 20;
/// Sets of policies made at random, for each mutant.
const SETS: &str = "40";

/// Tests that run in one process.
pub struct Suite<'t> {
    binary: Binary,
    tree: &'t Tree,
    /// How long it may take.
    limit: Duration,
    /// How long it takes.
    took: Duration,
    /// Mutants that it comes by; it cannot catch others.
    reached: BTreeSet<u32>,
}

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

/// The suites, the quickest first: most mutants are caught at once. Fails when one does not pass without a mutant.
pub fn all(tree: &Tree, binaries: Vec<Binary>) -> Result<Vec<Suite<'_>>> {
    let mut suites = Vec::new();
    for binary in binaries.into_iter().filter(|binary| !NOT_RUN.contains(&binary.name.as_str())) {
        let limit = Duration::from_secs(3600);
        let mut suite = Suite { binary, tree, limit, took: Duration::ZERO, reached: BTreeSet::new() };
        suite.measure()?;
        println!("{}: {:.1?}, comes by {}", suite.binary.name, suite.took, suite.reached.len());
        suites.push(suite);
    }
    suites.sort_by_key(|suite| suite.took);
    Ok(suites)
}

impl Suite<'_> {
    /// Runs without a mutant: how long that takes, and which mutants it comes by.
    fn measure(&mut self) -> Result<()> {
        let file = self.tree.target.with_file_name("reached");
        put(&file, b"")?;
        let begun = Instant::now();
        let status = self.command(0).env("PLIMSOLL_MUTANTS_REACHED", &file).status()?;
        if !status.success() {
            bail!("{} fails without a mutant: {status}; run it by hand: {}", self.binary.name, self.binary.path.display());
        }
        self.took = begun.elapsed();
        self.limit = self.took.saturating_mul(TIMES).max(LEAST);
        self.reached = std::fs::read_to_string(&file)?.lines().map(str::parse).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn command(&self, mutant: u32) -> Command {
        let limit = self.limit.as_secs().to_string();
        let within = format!("ulimit -v {MEMORY} && exec \"$0\" --quiet");
        let mut command = Command::new("timeout");
        command
            .args(["--signal=KILL", &limit, "sh", "-c", &within])
            .arg(&self.binary.path)
            .current_dir(self.tree.root.join("rego"));
        command.env("PLIMSOLL_MUTANT", mutant.to_string()).env("PLIMSOLL_E2E", "required").env("DIFFERENTIAL_SETS", SETS);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

/// What becomes of each mutant, as many at a time as there are processors.
pub fn run(suites: &[Suite], mutants: &[Mutant]) -> Result<Vec<Outcome>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some((at, mutant)) = take(&next, mutants) {
            let outcome = judge(suites, mutant)?;
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

fn judge(suites: &[Suite], mutant: &Mutant) -> Result<Outcome> {
    let reaching = || suites.iter().filter(|suite| suite.reached.contains(&mutant.number));
    for suite in reaching() {
        let begun = Instant::now();
        let status = suite.command(mutant.number).status().with_context(|| format!("running {}", suite.binary.name))?;
        if status.success() {
            continue;
        }
        // `timeout` kills itself with what it started.
        let late = status.signal().is_some() && begun.elapsed() >= suite.limit;
        let name = suite.binary.name.clone();
        return Ok(if late { Outcome::TimedOut(name) } else { Outcome::Caught(name) });
    }
    Ok(Outcome::Survived(reaching().count()))
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
