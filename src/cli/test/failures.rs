//! How tests failed, step by step, as `opa test -v` tells it (`v1/tester/reporter.go` of its sources).

use std::io::{self, Write};

use super::report::{Finished, word};
use crate::rego::testing::{Case, Cases};
use crate::rego::trace::Trace;

/// Tells it of each test.
pub(super) fn print<'r>(failed: impl Iterator<Item = &'r Finished>, out: &mut dyn Write) -> io::Result<()> {
    let line = "-".repeat(80);
    writeln!(out, "{line}\nFAILURES\n{line}")?;
    for finished in failed {
        writeln!(out, "{}: {} ({:?})\n", finished.test, finished.word(), finished.took)?;
        if let Some(trace) = &finished.trace {
            steps(trace, out)?;
        }
        if !finished.run.cases.is_empty() {
            writeln!(out)?;
            cases(&finished.run.cases, &mut Vec::new(), out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// OPA indents each column, and what follows the last one.
fn steps(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    trace.rows().iter().try_for_each(|(place, step)| writeln!(out, "  {place}  {step}  "))?;
    match trace.left_out {
        0 => Ok(()),
        more => writeln!(out, "  {more} more steps are left out"),
    }
}

/// Each case without cases of its own that failed, below those that it is a case of.
fn cases<'c>(all: &'c Cases, above: &mut Vec<&'c str>, out: &mut dyn Write) -> io::Result<()> {
    for Case { name, fail, cases: below } in all.values() {
        above.push(name);
        if *fail && below.is_empty() {
            for (depth, name) in (1..).zip(above.iter()) {
                writeln!(out, "{}{name}: {}", "  ".repeat(depth), word(*fail))?;
            }
        }
        cases(below, above, out)?;
        above.pop();
    }
    Ok(())
}
