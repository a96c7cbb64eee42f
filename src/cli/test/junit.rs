//! The report of a test run in JUnit's XML, with a suite for each package.

use std::collections::BTreeMap;
use std::io::Write;

use super::report::{Finished, Report};

/// Prints the report. Fails when the output cannot be written.
pub(super) fn print(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let mut suites: BTreeMap<&str, Vec<&Finished>> = BTreeMap::new();
    for finished in &report.finished {
        suites.entry(&finished.test.package).or_default().push(finished);
    }
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>")?;
    for (package, tests) in suites {
        let count = |word: &str| tests.iter().filter(|test| test.word() == word).count();
        let time: f64 = tests.iter().map(|test| test.took.as_secs_f64()).sum();
        writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{time:.6}\">",
            escaped(package),
            tests.len(),
            count("FAIL"),
            count("ERROR"),
            count("SKIPPED")
        )?;
        tests.iter().try_for_each(|test| case(report, test, out))?;
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn case(report: &Report, finished: &Finished, out: &mut dyn Write) -> std::io::Result<()> {
    let (test, location) = (&finished.test, &finished.test.location);
    write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\" time=\"{:.6}\">",
        escaped(&test.package),
        escaped(&test.name),
        escaped(&location.file),
        location.row,
        finished.took.as_secs_f64()
    )?;
    match finished.word() {
        "FAIL" => write!(out, "<failure message=\"the rule is not true\"/>")?,
        "ERROR" => write!(out, "<error message=\"{}\"/>", escaped(&finished.error().unwrap_or_default()))?,
        "SKIPPED" => write!(out, "<skipped/>")?,
        _ => {}
    }
    let output = report.output(finished);
    if !output.is_empty() {
        write!(out, "<system-out>{}</system-out>", escaped(&output))?;
    }
    writeln!(out, "</testcase>")
}

/// Returns a text escaped for XML, without control characters: XML has no form for most of them.
fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
