//! Which lines the tests evaluated, in the shape of `opa test --coverage`; ranges are whole lines.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value as Json;

use super::Format;
use super::report::Report;
use crate::cli::failure;
use crate::rego::coverage::Lines;

#[derive(Debug, Serialize)]
struct Coverage {
    files: BTreeMap<String, File>,
    covered_lines: usize,
    not_covered_lines: usize,
    coverage: Json,
}

#[derive(Debug, Serialize)]
struct File {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    covered: Vec<Range>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_covered: Vec<Range>,
    #[serde(skip_serializing_if = "is_zero")]
    covered_lines: usize,
    #[serde(skip_serializing_if = "is_zero")]
    not_covered_lines: usize,
    #[serde(skip_serializing_if = "is_nothing")]
    coverage: Json,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Range {
    start: Row,
    end: Row,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Row {
    row: u32,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn is_nothing(number: &Json) -> bool {
    number.as_u64() == Some(0)
}

/// Prints the coverage; failures instead, if there are any. `goal` is the threshold, and whether to name lines below it.
pub(super) fn print(
    report: &Report,
    lines: Lines,
    goal: (f64, bool),
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let (threshold, verbose) = goal;
    if let Some(error) = report.finished.iter().find_map(|finished| finished.error()) {
        writeln!(err, "{error}")?;
        return Ok(ExitCode::FAILURE);
    }
    if report.count("FAIL") > 0 {
        report.print(Format::Pretty, verbose, out)?;
        return Ok(ExitCode::FAILURE);
    }
    let coverage = coverage(report, lines);
    let reached = percent(coverage.covered_lines, coverage.not_covered_lines);
    if reached < threshold {
        writeln!(err, "Code coverage threshold not met: got {reached:.2} instead of {threshold:.2}")?;
        if verbose {
            missed(&coverage, err)?;
        }
        return Ok(ExitCode::from(2));
    }
    failure::json(&coverage, out)?;
    Ok(report.exit_code())
}

fn coverage(report: &Report, lines: Lines) -> Coverage {
    let mut evaluated = Lines::default();
    report.finished.iter().for_each(|finished| evaluated.extend(finished.run.covered.clone()));
    let files = lines.0.into_iter().map(|(name, lines)| {
        let covered = evaluated.0.get(&name).cloned().unwrap_or_default();
        (name, file(&lines, &covered))
    });
    let files: BTreeMap<_, _> = files.collect();
    let (covered_lines, not_covered_lines) =
        files.values().fold((0, 0), |(yes, no), file| (yes + file.covered_lines, no + file.not_covered_lines));
    Coverage { files, covered_lines, not_covered_lines, coverage: figure(covered_lines, not_covered_lines) }
}

fn file(lines: &BTreeSet<u32>, evaluated: &BTreeSet<u32>) -> File {
    let (covered, not_covered): (Vec<u32>, Vec<u32>) = lines.iter().copied().partition(|line| evaluated.contains(line));
    File {
        covered_lines: covered.len(),
        not_covered_lines: not_covered.len(),
        coverage: figure(covered.len(), not_covered.len()),
        covered: ranges(&covered),
        not_covered: ranges(&not_covered),
    }
}

fn percent(covered: usize, not_covered: usize) -> f64 {
    if covered + not_covered == 0 { 0.0 } else { 100.0 * covered as f64 / (covered + not_covered) as f64 }
}

/// As Go writes it: without a fraction when there is none.
fn figure(covered: usize, not_covered: usize) -> Json {
    let percent = percent(covered, not_covered);
    if percent.fract() == 0.0 { Json::from(percent as u64) } else { Json::from(percent) }
}

/// Lines that follow one another are one range.
fn ranges(lines: &[u32]) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for row in lines.iter().copied() {
        match ranges.last_mut().filter(|range| range.end.row + 1 == row) {
            Some(range) => range.end.row = row,
            None => ranges.push(Range { start: Row { row }, end: Row { row } }),
        }
    }
    ranges
}

fn missed(coverage: &Coverage, err: &mut dyn Write) -> std::io::Result<()> {
    writeln!(err, "Lines not covered:")?;
    for (name, file) in &coverage.files {
        for Range { start, end } in &file.not_covered {
            match start.row == end.row {
                true => writeln!(err, "\t{name}:{}", start.row)?,
                false => writeln!(err, "\t{name}:{}-{}", start.row, end.row)?,
            }
        }
    }
    Ok(())
}
