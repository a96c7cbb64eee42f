//! The report as text for people.

use std::io::{self, Write};

use super::line::{Certainty, Line, Report};
use crate::printable;

/// Prints the request, a table of hooks in their order with the reasons below each, then policies and notes. Fails when the output cannot
/// be written.
pub(super) fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let name = [report.namespace.as_str(), report.name.as_str()].into_iter().filter(|part| !part.is_empty());
    let name = name.collect::<Vec<_>>().join("/");
    let user = report.user.as_deref().map(|user| format!(" as {user}")).unwrap_or_default();
    writeln!(out, "{}", clean(&format!("{} {} {name}{user}", report.operation, report.resource)))?;
    if report.lines.is_empty() {
        writeln!(out, "no hook is registered in the API")?;
    } else {
        table(&report.lines, out)?;
    }
    for policy in &report.policies {
        let text = format!(
            "{} {} (bound by {}): looks at the resource; not predicted",
            policy.kind,
            policy.name,
            policy.bindings.join(", ")
        );
        writeln!(out, "{}", clean(&text))?;
    }
    report.notes.iter().try_for_each(|note| writeln!(out, "note: {}", clean(note)))
}

fn table(lines: &[Line], out: &mut dyn Write) -> io::Result<()> {
    let hook = |line: &Line| clean(&format!("{}/{}", line.configuration, line.hook));
    let width = lines.iter().map(|line| hook(line).chars().count()).max().unwrap_or_default();
    writeln!(out, "\n{:3} {:11}  {:width$}  {:10}  IF IT IS DOWN", "", "PHASE", "HOOK", "CALLED")?;
    for (at, line) in lines.iter().enumerate() {
        writeln!(
            out,
            "{:3} {}  {:width$}  {:10}  {}",
            at + 1,
            format_args!("{:11}", line.phase),
            hook(line),
            called(line),
            line.if_down
        )?;
        for text in &line.depends_on {
            let word = if line.certainty == Certainty::Unknown { "unknown" } else { "depends on" };
            writeln!(out, "      {word}: {}", clean(text))?;
        }
        line.why.iter().try_for_each(|text| writeln!(out, "      {}", clean(text)))?;
        if let Some(again) = line.again {
            writeln!(out, "      called again {again}")?;
        }
    }
    writeln!(out)
}

fn called(line: &Line) -> &'static str {
    match (line.certainty, line.called) {
        _ if line.refuses => "refused",
        (Certainty::Certain, Some(true)) => "yes",
        (Certainty::Certain, _) => "no",
        (Certainty::Depends, _) => "depends",
        (Certainty::Unknown, _) => "unknown",
    }
}

fn clean(text: &str) -> String {
    printable::lines(text).replace('\n', " ")
}
