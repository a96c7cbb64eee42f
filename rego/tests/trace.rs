//! Traces beside those of OPA 1.22: `trace/cases` holds modules, `trace/record.sh` asks the real OPA.

#[path = "trace/case.rs"]
mod case;
#[path = "trace/ask.rs"]
mod ask;

use std::fmt::Write;

/// What differs first.
fn difference(ours: &str, theirs: &str) -> Option<String> {
    let mut lines = (ours.lines(), theirs.lines());
    for row in 1.. {
        match (lines.0.next(), lines.1.next()) {
            (None, None) => return None,
            (ours, theirs) if ours == theirs => {}
            (ours, theirs) => return Some(format!("row {row}\n  ours  {}\n  opa's {}", ours.unwrap_or("-"), theirs.unwrap_or("-"))),
        }
    }
    None
}

#[test]
fn traces_are_opas_line_by_line() {
    let (mut report, mut count, mut wrong) = (String::new(), 0, 0);
    for case in case::all() {
        for (mode, theirs) in &case.recorded {
            count += 1;
            let ours = ask::trace(&case, mode);
            if let Some(difference) = difference(&ours, theirs) {
                wrong += 1;
                writeln!(report, "{} {mode}: {difference}", case.name).unwrap();
            }
        }
    }
    assert!(count > 60, "{count} traces");
    assert_eq!(wrong, 0, "{wrong} of {count} traces differ\n{report}");
}

#[test]
fn answers_are_those_of_an_evaluation_without_a_trace() {
    for case in case::all() {
        assert_eq!(ask::traced(&case, "full").1, ask::untraced(&case), "{}", case.name);
    }
}
