//! What a decision depends on, as text for people.

use std::io::Write;

use plimsoll_contract::status::Reads;

/// Prints the paths below `input` and `data` that a document reads, where it reads one of them as a whole or several clusters together, and
/// whether its results are kept. Fails when the output cannot be written.
pub(super) fn print(reads: &Reads, out: &mut dyn Write) -> std::io::Result<()> {
    let mut label = "reads";
    for path in reads.input.iter().chain(&reads.data) {
        writeln!(out, "  {label:<7}{path}")?;
        label = "";
    }
    for whole in &reads.whole {
        let what = if whole.document == "input" { "no two objects are alike" } else { "every change counts" };
        writeln!(out, "  all of {} is read at {}: {what}", whole.document, whole.location)?;
    }
    if let Some(location) = &reads.together {
        writeln!(
            out,
            "  several clusters are looked at together at {location}: each cluster's change asks again for all objects"
        )?;
    }
    if !reads.kept {
        writeln!(out, "  answers are not kept: they depend on the clock, on randomness, or on how the process was started")?;
    }
    Ok(())
}
