//! How tests failed, step by step, as `opa test -v` reports it (`v1/tester/reporter.go` of its sources).

use std::io::{self, Write};

use super::report::{Finished, word};
use crate::rego::testing::{Case, Cases};
use crate::rego::trace::Trace;

/// Prints the steps and the failed cases of each test. Fails when the output cannot be written.
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

/// Prints the steps of a test. OPA indents each column and each further line of a note, and leaves two blanks behind the last column.
fn steps(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let further = |step: &str| step.replace('\n', "\n  ");
    trace.rows().iter().try_for_each(|(place, step)| writeln!(out, "  {place}  {}  ", further(step)))?;
    match trace.left_out {
        0 => Ok(()),
        more => writeln!(out, "  {more} more steps are left out"),
    }
}

/// Prints each failed case that has no cases of its own, below the cases that it belongs to.
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
