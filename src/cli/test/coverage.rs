//! The coverage of the tests: which rows and columns they evaluated, as `opa test --coverage` reports it.

use std::io::Write;
use std::process::ExitCode;

use super::Format;
use super::report::Report;
use crate::cli::failure;
use crate::rego::coverage::{self, Lines};

/// Prints the coverage; where tests have failed, those alone instead. `goal` is the threshold in percent, and whether lines that were
/// not evaluated are listed when it is missed. Returns the exit code. Fails when the output cannot be written.
pub(super) fn print(
    mut report: Report,
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
        report.finished.retain(|finished| finished.word() == "FAIL");
        report.print(Format::Pretty, verbose, out)?;
        return Ok(ExitCode::FAILURE);
    }
    let coverage = lines.report();
    if coverage.coverage < threshold {
        writeln!(err, "Code coverage threshold not met: got {:.2} instead of {threshold:.2}", coverage.coverage)?;
        if verbose {
            missed(&coverage, err)?;
        }
        return Ok(ExitCode::from(2));
    }
    failure::json(&coverage, out)?;
    Ok(report.exit_code())
}

fn missed(coverage: &coverage::Report, err: &mut dyn Write) -> std::io::Result<()> {
    writeln!(err, "Lines not covered:")?;
    for (name, file) in &coverage.files {
        for (first, last) in file.missed_rows() {
            match first == last {
                true => writeln!(err, "\t{name}:{first}")?,
                false => writeln!(err, "\t{name}:{first}-{last}")?,
            }
        }
    }
    Ok(())
}
