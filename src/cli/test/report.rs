//! The report of a test run, in the formats of `opa test` (`v1/tester/reporter.go` of its sources).

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plimsoll_contract::policy::Location;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Format, failures, junit};
use crate::cli::failure::{self, Failure};
use crate::cli::material;
use crate::rego::testing::{Case, Cases, Run, Test, Verdict};
use crate::rego::trace::Trace;

/// A test that has run.
#[derive(Debug)]
pub struct Finished {
    /// The test.
    pub test: Test,
    /// Its verdict, its cases and what it printed.
    pub run: Run,
    /// How long it took.
    pub took: Duration,
    /// The steps of its evaluation, if they are shown.
    pub trace: Option<Trace>,
}

/// The tests of a run that have ended.
#[derive(Debug, Default)]
pub struct Report {
    /// The tests, in the order of modules and lines.
    pub finished: Vec<Finished>,
    /// Keys of the modules: each line that `print` writes begins with one.
    keys: Vec<String>,
    /// What regorus makes of the tests, with `--second-opinion`.
    #[cfg(feature = "dev")]
    pub(super) second: Option<super::second_opinion::Second>,
}

/// A test in the JSON report.
#[derive(Serialize)]
struct Entry<'r> {
    location: &'r Location,
    package: String,
    name: &'r str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fail: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    skip: bool,
    duration: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Box<RawValue>>,
    /// What it printed, in base64, as Go encodes bytes.
    #[serde(skip_serializing_if = "String::is_empty")]
    output: String,
    #[serde(rename = "sub_results", skip_serializing_if = "Cases::is_empty")]
    cases: &'r Cases,
}

impl Report {
    /// Returns an empty report on the tests in modules with these keys.
    pub fn new(keys: Vec<String>) -> Self {
        Self { keys, ..Self::default() }
    }

    /// Adds a test that has ended.
    pub fn add(&mut self, finished: Finished) {
        self.finished.push(finished);
    }

    /// Returns exit code 0 if every test has passed, else 2. A skipped test has not passed, as in OPA.
    pub fn exit_code(&self) -> ExitCode {
        if self.count("PASS") == self.finished.len() { ExitCode::SUCCESS } else { ExitCode::from(2) }
    }

    /// Prints the tests and their numbers; the format for people lists all tests if `verbose`, else those that did not pass. Fails when
    /// the output cannot be written.
    pub fn print(&self, format: Format, verbose: bool, out: &mut dyn Write) -> anyhow::Result<()> {
        match format {
            Format::Pretty => Ok(self.pretty(verbose, out)?),
            Format::Junit => Ok(junit::print(self, out)?),
            Format::Json => failure::json(&self.finished.iter().map(|finished| self.entry(finished)).collect::<Vec<_>>(), out),
        }
    }

    /// Returns how many tests have ended with `word`, such as `PASS`.
    pub fn count(&self, word: &str) -> usize {
        self.finished.iter().filter(|finished| finished.word() == word).count()
    }

    /// Returns what a test printed, one line each, without the places where it did.
    pub fn output(&self, finished: &Finished) -> String {
        let keys = || self.keys.iter().map(String::as_str);
        finished.run.prints.iter().map(|line| format!("{}\n", material::printed(keys(), line))).collect()
    }

    fn pretty(&self, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
        let shown: Vec<_> = self.finished.iter().filter(|finished| verbose || finished.word() != "PASS").collect();
        let mut file: Option<&str> = None;
        for finished in &shown {
            let here = finished.test.location.file.as_str();
            if file.replace(here).is_some_and(|file| file != here) {
                writeln!(out)?;
            }
            self.test(finished, verbose, out)?;
        }
        if verbose && self.results("FAIL") > 0 {
            failures::print(self.finished.iter().filter(|finished| finished.word() == "FAIL"), out)?;
        }
        if !shown.is_empty() {
            writeln!(out, "{}", "-".repeat(80))?;
        }
        let words = ["PASS", "FAIL", "SKIPPED", "ERROR"];
        let total: usize = words.iter().map(|word| self.results(word)).sum();
        for word in words {
            match self.results(word) {
                0 => {}
                count => writeln!(out, "{word}: {count}/{total}")?,
            }
        }
        Ok(())
    }

    /// Returns how many results are `word`; each case of a test is a result, and so is a test without cases.
    fn results(&self, word: &str) -> usize {
        self.finished.iter().map(|finished| finished.results(word)).sum()
    }

    fn test(&self, finished: &Finished, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
        let Finished { test, took, .. } = finished;
        writeln!(out, "{}:{}:", test.location.file, test.location.row)?;
        match finished.word() {
            "SKIPPED" => writeln!(out, "{test}: SKIPPED")?,
            word => writeln!(out, "{test}: {word} ({took:?})")?,
        }
        cases(&finished.run.cases, 1, verbose, out)?;
        let output = self.output(finished);
        if !output.is_empty() {
            writeln!(out)?;
            output.trim().lines().try_for_each(|line| writeln!(out, "  {line}"))?;
            writeln!(out)?;
        }
        finished.error().map_or(Ok(()), |error| writeln!(out, "  {error}"))?;
        if !finished.run.stack.is_empty() {
            writeln!(out, "  Traceback:")?;
        }
        finished.run.stack.iter().try_for_each(|frame| writeln!(out, "    {frame}"))
    }

    fn entry<'r>(&self, finished: &'r Finished) -> Entry<'r> {
        let skip = finished.word() == "SKIPPED";
        // What did not run took no time.
        let took = if skip { Duration::ZERO } else { finished.took };
        Entry {
            location: &finished.test.location,
            package: finished.test.package.clone(),
            name: &finished.test.name,
            fail: finished.word() == "FAIL",
            error: match &finished.run.verdict {
                Verdict::Error(error) => Some(Failure { stack_trace: finished.run.stack.clone(), ..Failure::from(error) }),
                _ => None,
            },
            skip,
            duration: u64::try_from(took.as_nanos()).unwrap_or(u64::MAX),
            trace: finished.trace.as_ref().filter(|trace| !trace.is_empty()).map(|trace| trace.for_command_line("    ")),
            output: STANDARD.encode(self.output(finished)),
            cases: &finished.run.cases,
        }
    }
}

/// Prints the cases of a test, indented below the cases that they belong to: all of them, or those that failed.
fn cases(cases: &Cases, depth: usize, all: bool, out: &mut dyn Write) -> io::Result<()> {
    for Case { name, fail, cases: below } in cases.values() {
        if all || *fail {
            writeln!(out, "{}{name}: {}", "  ".repeat(depth), word(*fail))?;
        }
        self::cases(below, depth.saturating_add(1), all, out)?;
    }
    Ok(())
}

pub(super) fn word(fail: bool) -> &'static str {
    if fail { "FAIL" } else { "PASS" }
}

/// Returns how many cases without cases of their own ended with `word`.
fn leaves(cases: &Cases, word: &str) -> usize {
    let of =
        |case: &Case| if case.cases.is_empty() { usize::from(self::word(case.fail) == word) } else { leaves(&case.cases, word) };
    cases.values().map(of).sum()
}

impl Finished {
    /// Returns how many cases of the test ended with `word`. A test without cases counts as one.
    fn results(&self, word: &str) -> usize {
        if self.run.cases.is_empty() { usize::from(self.word() == word) } else { leaves(&self.run.cases, word) }
    }

    /// Returns the word for how the test ended: `PASS`, `FAIL`, `ERROR` or `SKIPPED`.
    pub fn word(&self) -> &'static str {
        match self.run.verdict {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::Error(_) => "ERROR",
            Verdict::Skip => "SKIPPED",
        }
    }

    /// Returns why the test could not be evaluated; `None` if it was.
    pub fn error(&self) -> Option<String> {
        match &self.run.verdict {
            Verdict::Error(error) => Some(error.to_string()),
            _ => None,
        }
    }
}
