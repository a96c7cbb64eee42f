//! The suites: which they are, how long they take, and which mutants they come by.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::cargo::Binary;
use crate::tree::{Tree, put};

/// Suites that are about the source, not about answers: `lines` counts it, `equivalent` looks for what mutants have changed.
const NOT_RUN: [&str; 2] = ["lines", "equivalent"];
/// A test that takes longer is a suite of its own: most mutants come by few of these. The others of a binary run together.
const LONG: Duration = Duration::from_millis(500);
/// How many times as long as without a mutant a suite may take.
const TIMES: u32 = 5;
/// No suite has less.
const LEAST: Duration = Duration::from_secs(60);
/// A suite has so long where there is no mutant.
const WITHOUT: Duration = Duration::from_secs(3600);
/// Address space of a suite, in KiB: real OPA, which some ask, reserves much.
const MEMORY: u64 = 12 << 20;
/// Of the sets of policies made at random a mutant is judged by as many as CI runs, up to the first that differs.
const SETS: [(&str, &str); 2] = [("DIFFERENTIAL_SETS", "500"), ("DIFFERENTIAL_ENOUGH", "1")];

/// Tests that run in one process.
pub struct Suite<'t> {
    /// That of the binary, with that of the test where it runs alone.
    pub name: String,
    /// How long it may take.
    pub limit: Duration,
    /// How long it takes.
    pub took: Duration,
    path: PathBuf,
    tests: Vec<String>,
    tree: &'t Tree,
    /// Mutants that it comes by; it cannot catch others.
    reached: BTreeSet<u32>,
}

/// The suites, the quickest first. Fails when one does not pass without a mutant.
pub fn all(tree: &Tree, binaries: Vec<Binary>) -> Result<Vec<Suite<'_>>> {
    let mut suites = Vec::new();
    for binary in binaries.into_iter().filter(|binary| !NOT_RUN.contains(&binary.name.as_str())) {
        let mut measured = Vec::new();
        for test in tests(&binary)? {
            measured.push(Suite::of(tree, &binary, test)?);
        }
        let (long, short): (Vec<_>, Vec<_>) = measured.into_iter().partition(|suite| suite.took > LONG);
        suites.extend(long);
        suites.extend(short.into_iter().reduce(Suite::with).map(|short| Suite { name: binary.name, ..short }));
    }
    suites.sort_by_key(|suite| suite.took);
    suites.iter().for_each(|suite| println!("{}: {:.1?}, comes by {}", suite.name, suite.took, suite.reached.len()));
    Ok(suites)
}

/// The names of the tests of a binary, without those that are ignored.
fn tests(binary: &Binary) -> Result<Vec<String>> {
    let listed = |which: &[&str]| -> Result<BTreeSet<String>> {
        let output = Command::new(&binary.path).args(["--list", "--format", "terse"]).args(which).output()?;
        ensure!(output.status.success(), "{} does not list its tests: {}", binary.name, output.status);
        let text = String::from_utf8(output.stdout)?;
        Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    };
    Ok(listed(&[])?.difference(&listed(&["--ignored"])?).cloned().collect())
}

impl<'t> Suite<'t> {
    /// Runs a test without a mutant: how long that takes, and which mutants it comes by.
    fn of(tree: &'t Tree, binary: &Binary, test: String) -> Result<Self> {
        let file = tree.target.with_file_name("reached");
        put(&file, b"")?;
        let (name, path) = (format!("{} {test}", binary.name), binary.path.clone());
        let (limit, took, tests, reached) = (WITHOUT, Duration::ZERO, vec![test], BTreeSet::new());
        let suite = Self { name, limit, took, path, tests, tree, reached };
        let begun = Instant::now();
        let status = suite.command(0).env("PLIMSOLL_MUTANTS_REACHED", &file).status()?;
        ensure!(status.success(), "{} fails without a mutant: {status}; run it by hand: {}", suite.name, suite.path.display());
        let took = begun.elapsed();
        let reached = std::fs::read_to_string(&file)?.lines().map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { limit: took.saturating_mul(TIMES).max(LEAST), took, reached, ..suite })
    }

    /// Both, in one process.
    fn with(mut self, mut other: Self) -> Self {
        self.tests.append(&mut other.tests);
        self.reached.append(&mut other.reached);
        let took = self.took.saturating_add(other.took);
        Self { took, limit: took.saturating_mul(TIMES).max(LEAST), ..self }
    }

    /// Whether it comes by a mutant.
    pub fn reaches(&self, mutant: u32) -> bool {
        self.reached.contains(&mutant)
    }

    /// Fails when a mutant, or 0 for none, lets one of the tests fail, or is not through in time.
    pub fn command(&self, mutant: u32) -> Command {
        let limit = self.limit.as_secs().to_string();
        let within = format!("ulimit -v {MEMORY} && exec \"$0\" --quiet --exact \"$@\"");
        let mut command = Command::new("timeout");
        command
            .args(["--signal=KILL", &limit, "sh", "-c", &within])
            .arg(&self.path)
            .args(&self.tests)
            .current_dir(self.tree.root.join("rego"));
        command.env("PLIMSOLL_MUTANT", mutant.to_string()).env("PLIMSOLL_E2E", "required").envs(SETS);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}
