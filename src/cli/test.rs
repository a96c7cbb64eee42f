//! `plimsoll test`: runs the tests beside policies, with the output and exit codes that users of `opa test` know.
//!
//! Exit code 0: all passed; 2: some did not, or too few lines were evaluated; 1: the policies could not be loaded.

mod coverage;
mod failures;
mod junit;
pub mod report;
#[cfg(feature = "dev")]
mod second_opinion;
mod watch;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use regex::Regex;

use super::explain::{self, Mode};
use super::failure::{self, Failure};
use super::material::{self, Material, Origin};
use super::subject::Subject;
use crate::policy_set::watch::WatchIntervals;
use crate::rego::testing::Test;
use crate::rego::trace::{Explain, Form, Steps};
use crate::rego::{Limits, Prepared};
use report::{Finished, Report};

/// The time limit of one test, the same as OPA's.
const TIME: Duration = Duration::from_secs(5);

/// Options of `plimsoll test`.
#[derive(Clone, Debug, clap::Args)]
#[command(args_override_self = true)]
pub struct Args {
    /// What is tested: files named `*_test.rego` are read like all others.
    #[command(flatten)]
    pub subject: Subject,
    /// Say every test, not only those that did not pass, and what they printed; of those that failed, how.
    #[arg(short, long)]
    pub verbose: bool,
    /// Which steps of the tests to show; implies `--verbose`. With `--verbose` alone: `fails` and `notes`.
    #[arg(long, value_enum, value_name = "MODE")]
    pub explain: Option<Mode>,
    /// Run only tests whose full name, `data.package.test_name`, matches this regular expression.
    #[arg(short, long, value_name = "REGEX")]
    pub run: Option<Regex>,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "pretty")]
    pub format: Format,
    /// Report which lines the tests evaluated, as JSON, instead of the tests.
    #[arg(short, long)]
    pub coverage: bool,
    /// Fail when fewer lines than this percentage were evaluated; implies `--coverage`.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percentage)]
    pub threshold: f64,
    /// Run the tests on regorus too, another implementation of Rego, and say which of them end otherwise there, or what it refuses: in
    /// the form for people after the tests, in the others on standard error. The exit code is that of the tests here.
    #[cfg(feature = "dev")]
    #[arg(long, conflicts_with_all = ["coverage", "threshold"])]
    pub second_opinion: bool,
    /// Stay, and run the tests again whenever a file changes.
    #[arg(short, long)]
    pub watch: bool,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Pretty,
    /// An array of all tests.
    Json,
    /// A report that build servers read.
    Junit,
}

impl Args {
    fn is_verbose(&self) -> bool {
        self.verbose || self.explain.is_some()
    }

    /// Returns which steps of a test are recorded: in the format for people those of failed tests, in JSON those of all.
    fn steps(&self, finished: &Finished) -> Option<Steps> {
        let explain = self.explain.map_or(Explain::NotesAndFails, Explain::from);
        let form = match (self.format, finished.word()) {
            (Format::Pretty, "FAIL") => Form::Lines,
            (Format::Json, "PASS" | "FAIL" | "ERROR") => Form::CommandLine,
            _ => return None,
        };
        self.is_verbose().then(|| explain::steps(explain, form))
    }
}

/// Why the value of `--threshold` is refused.
#[derive(Debug, thiserror::Error)]
enum ThresholdError {
    /// A text that is no number.
    #[error(transparent)]
    Number(#[from] std::num::ParseFloatError),
    /// A number outside 0 to 100.
    #[error("code coverage threshold must be between 0 and 100")]
    Range,
}

/// Reads a percentage from 0 to 100. Fails for anything else.
fn percentage(text: &str) -> Result<f64, ThresholdError> {
    let number = text.parse::<f64>()?;
    if (0.0..=100.0).contains(&number) { Ok(number) } else { Err(ThresholdError::Range) }
}

/// Runs the tests and prints a report; with `--watch` again after each change, until the process is ended. Fails when the output cannot
/// be written, or the policies cannot be prepared.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let err = &mut std::io::stderr();
    let mut seen = watch::Seen::of(&args.subject.paths, WatchIntervals::default());
    let code = once(args, out, err)?;
    if !args.watch {
        return Ok(code);
    }
    loop {
        writeln!(out, "{}\nWatching for changes ...", "*".repeat(80))?;
        out.flush()?;
        seen.wait();
        once(args, out, err)?;
    }
}

fn once(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let origin = args.subject.origin(false);
    match tested(args, &origin, err)? {
        Ok((report, program_lines)) if args.coverage || args.threshold > 0.0 => {
            coverage::print(report, program_lines, (args.threshold, args.is_verbose()), out, err)
        }
        Ok((report, _)) => {
            report.print(args.format, args.is_verbose(), out)?;
            #[cfg(feature = "dev")]
            if let Some(second) = &report.second {
                second.print(&report, if args.format == Format::Pretty { out } else { err })?;
            }
            Ok(report.exit_code())
        }
        Err(errors) => {
            failure::print(&errors, err)?;
            Ok(ExitCode::FAILURE)
        }
    }
}

type Tested = Result<(Report, crate::rego::coverage::Lines), Vec<Failure>>;

/// Loads the policies and runs the tests. Returns the report with the lines that were evaluated, or the errors of the policies. Fails
/// when the policies cannot be prepared, or `err` cannot be written.
fn tested(args: &Args, origin: &Origin, err: &mut dyn Write) -> anyhow::Result<Tested> {
    let material = match Material::load(origin) {
        Ok(material) => material,
        Err(errors) => return Ok(Err(errors)),
    };
    let program = match material.compile() {
        Ok(program) => program,
        Err(errors) => return Ok(Err(failure::all(errors))),
    };
    for note in material::versions_noted(&program, origin.rego) {
        writeln!(err, "{note}")?;
    }
    let prepared = program.prepare(material.value()).context("could not prepare the policies")?;
    let keys = material.modules.iter().map(|module| module.key.clone()).collect();
    let mut report = Report::new(keys);
    let mut lines = program.lines();
    let cover = args.coverage || args.threshold > 0.0;
    for test in program.tests().into_iter().filter(|test| is_wanted(test, args.run.as_ref())) {
        let mut finished = finish(&prepared, test, cover);
        finished.trace = args.steps(&finished).and_then(|steps| prepared.explain_test(&finished.test, &limits(), steps).ok());
        lines.extend(std::mem::take(&mut finished.run.covered));
        report.add(finished);
    }
    if let Some(pattern) = args.run.as_ref().filter(|_| report.finished.is_empty()) {
        writeln!(
            err,
            "note: no test matches `{pattern}`: it is a regular expression for names such as `data.package.test_name`"
        )?;
    }
    #[cfg(feature = "dev")]
    if args.second_opinion {
        report.second = Some(prepared.second_opinion(&limits()).into());
    }
    Ok(Ok((report, lines)))
}

fn is_wanted(test: &Test, pattern: Option<&Regex>) -> bool {
    pattern.is_none_or(|pattern| pattern.is_match(&test.to_string()))
}

fn limits() -> Limits {
    Limits { time: TIME, ..Limits::default() }
}

fn finish(prepared: &Prepared, test: Test, cover: bool) -> Finished {
    let limits = limits();
    let run = if cover { prepared.cover_test(&test, None, &limits) } else { prepared.run_test(&test, None, &limits) };
    Finished { test, took: run.took, run, trace: None }
}

#[cfg(test)]
mod tests;
