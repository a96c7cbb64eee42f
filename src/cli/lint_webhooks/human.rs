//! The findings as text for people.

use std::io::{self, Write};

use super::finding::Finding;
use crate::printable;

/// Prints each finding with the change below it, then the notes and the number of findings.
pub(super) fn print(findings: &[Finding], notes: &[String], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        let Finding { rule, place, configuration, hook, message, change, set: _ } = finding;
        let of = if hook.is_empty() { configuration.clone() } else { format!("{configuration}/{hook}") };
        writeln!(out, "{}", clean(&format!("{place}: {rule}: {of}: {message}")))?;
        writeln!(out, "  change: {}", clean(change))?;
    }
    notes.iter().try_for_each(|note| writeln!(out, "note: {}", clean(note)))?;
    match findings.len() {
        0 => writeln!(out, "nothing found"),
        1 => writeln!(out, "1 finding"),
        count => writeln!(out, "{count} findings"),
    }
}

fn clean(text: &str) -> String {
    printable::lines(text).replace('\n', " ")
}
