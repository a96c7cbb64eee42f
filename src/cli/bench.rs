//! `plimsoll bench`: what one evaluation of a query costs, in the formats of `opa bench`.
//!
//! Exit code 0: measured; 1: an error, or an undefined result without `--fail=false`.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::ValueEnum;
use serde_json::{Map, Value as Json, json};

use super::eval::{Prepared, Question, Table};
use super::failure::{self, Failure, Failures};
use crate::rego::Limits;

/// How long one benchmark goes on evaluating.
const RUN: Duration = Duration::from_secs(1);
/// The most evaluations of one benchmark: each leaves a duration of eight bytes in memory.
const SAMPLES: usize = 1_000_000;
/// OPA's name for the histogram of evaluation times, in nanoseconds; each figure is printed with this prefix.
const TIMER: &str = "histogram_timer_rego_query_eval_ns";

/// Options of `plimsoll bench`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    args_override_self = true,
    override_usage = "plimsoll bench [OPTIONS] <QUERY>\n       plimsoll bench [OPTIONS] --stdin"
)]
pub struct Args {
    /// What to ask, and of what.
    #[command(flatten)]
    pub question: Question,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "pretty")]
    pub format: Format,
    /// Fail when the result is undefined.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true")]
    #[arg(require_equals = true)]
    pub fail: bool,
    /// How often to measure.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub count: usize,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table.
    Pretty,
    /// One JSON document a run.
    Json,
    /// Go's benchmark format, for `benchstat`.
    Gobench,
}

/// The measurements of one benchmark: the durations of its evaluations in nanoseconds, in ascending order, at least one.
#[derive(Debug)]
struct Run {
    sorted: Vec<u64>,
    took: Duration,
}

/// Runs the benchmarks and prints one report for each. Exit code 1: the query cannot be compiled or evaluated, or is undefined under
/// `--fail`. Fails when the report cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    bench(args, RUN, &mut std::io::stdin().lock(), out, &mut std::io::stderr())
}

fn bench(
    args: &Args,
    time: Duration,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let prepared = match args.question.prepare(stdin) {
        Ok(prepared) => prepared,
        Err(errors) => return refused(args.format, &errors, out, err),
    };
    for _ in 0..args.count {
        match measure(&prepared, time, args.fail) {
            Ok(run) => run.print(args.format, out)?,
            Err(error) => return refused(args.format, &[*error], out, err),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn refused(format: Format, errors: &[Failure], out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match format {
        Format::Json => failure::json(&Failures { errors }, out)?,
        _ => errors.iter().try_for_each(|error| writeln!(err, "error: {error}"))?,
    }
    Ok(ExitCode::FAILURE)
}

/// Evaluates the query again and again for `time`, at least once and at most [`SAMPLES`] times. Fails when an evaluation does, or when
/// its result is undefined and `fail` is set.
fn measure(prepared: &Prepared, time: Duration, fail: bool) -> Result<Run, Box<Failure>> {
    let limits = Limits { time: Duration::from_secs(600), output: 256 << 20, ..Limits::default() };
    let (began, mut sorted) = (Instant::now(), Vec::new());
    while sorted.is_empty() || (began.elapsed() < time && sorted.len() < SAMPLES) {
        let started = Instant::now();
        let rows = prepared.ask(&limits).map_err(Failure::from)?;
        sorted.push(nanoseconds(started.elapsed()));
        if rows.is_empty() && fail {
            return Err(Failure::plain("undefined result").into());
        }
    }
    sorted.sort_unstable();
    Ok(Run { sorted, took: began.elapsed() })
}

impl Run {
    fn print(&self, format: Format, out: &mut dyn Write) -> anyhow::Result<()> {
        match format {
            Format::Pretty => Ok(self.table().print(out)?),
            Format::Json => {
                let extra: Map<_, _> = self.figures().into_iter().map(|(name, value)| (name, json!(value))).collect();
                let took = nanoseconds(self.took);
                failure::json(&json!({ "N": self.sorted.len(), "T": took, "Bytes": 0, "Extra": Json::Object(extra) }), out)
            }
            Format::Gobench => {
                let figures = self.figures().into_iter().map(|(name, value)| format!("\t{value:>10} {name}"));
                let (n, each) = (self.sorted.len(), self.mean());
                writeln!(out, "BenchmarkOPAEval\t{n:>8}\t{each:>10} ns/op{}", figures.collect::<String>())
                    .context("could not print")
            }
        }
    }

    fn table(&self) -> Table {
        let mut table = Table::of_numbers();
        let head = [("samples".to_owned(), self.sorted.len().to_string()), ("ns/op".to_owned(), self.mean().to_string())];
        let figures = self.figures().into_iter().map(|(name, value)| (name, value.to_string()));
        head.into_iter().chain(figures).for_each(|(name, value)| table.row([name, value]));
        table
    }

    /// Returns the percentiles and other statistics of the durations, in nanoseconds, under the names that `opa bench` prints.
    fn figures(&self) -> Vec<(String, u64)> {
        let part = |per_10_000: usize| {
            let at = (self.sorted.len() * per_10_000).div_ceil(10_000).saturating_sub(1);
            self.sorted.get(at).copied().unwrap_or_default()
        };
        let mut figures: Vec<_> =
            [("75%", 7_500), ("90%", 9_000), ("95%", 9_500), ("99%", 9_900), ("99.9%", 9_990), ("99.99%", 9_999)]
                .into_iter()
                .map(|(name, at)| (format!("{TIMER}_{name}"), part(at)))
                .collect();
        let named = [
            ("count", self.sorted.len() as u64),
            ("max", part(10_000)),
            ("mean", self.mean()),
            ("median", part(5_000)),
            ("min", self.sorted.first().copied().unwrap_or_default()),
            ("stddev", self.deviation()),
        ];
        figures.extend(named.map(|(name, value)| (format!("{TIMER}_{name}"), value)));
        figures
    }

    fn mean(&self) -> u64 {
        self.sorted.iter().sum::<u64>().checked_div(self.sorted.len() as u64).unwrap_or_default()
    }

    fn deviation(&self) -> u64 {
        let (mean, count) = (self.mean(), self.sorted.len().max(1) as f64);
        let squares: f64 = self.sorted.iter().map(|value| (value.abs_diff(mean) as f64).powi(2)).sum();
        (squares / count).sqrt() as u64
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_sorted_durations() {
        let run = Run { sorted: (1..=100).collect(), took: Duration::from_secs(1) };
        let figures: std::collections::BTreeMap<_, _> = run.figures().into_iter().collect();
        let of = |name: &str| figures.get(&format!("{TIMER}_{name}")).copied();
        let table =
            [("median", 50), ("75%", 75), ("99%", 99), ("99.99%", 100), ("min", 1), ("max", 100), ("count", 100), ("stddev", 28)];
        for (name, expected) in table {
            assert_eq!(of(name), Some(expected), "{name}");
        }
    }
}
