//! Decisions as text for people: the outcome, the clusters, why not the others, and what changes.

use std::io::Write;

use plimsoll_contract::kind::Target;
use plimsoll_contract::outcome::{Outcome, Unavailable};

use super::report::Report;
use super::{Lacks, marked};

/// The note on a decision from files without clusters: what was left out of the command line.
pub(in crate::cli) const NO_FLEET: &str = "there is no cluster in the state: give the fleet's manifests with --state";

/// Prints every decision. Fails when the output cannot be written.
pub(super) fn print(reports: &[Report], lacks: Lacks, out: &mut dyn Write) -> anyhow::Result<()> {
    for (index, report) in reports.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        one(report, lacks, out)?;
    }
    Ok(())
}

fn one(report: &Report, lacks: Lacks, out: &mut dyn Write) -> anyhow::Result<()> {
    let decision = &report.decision;
    writeln!(out, "{} ({}): {}", report.manifest.title(), report.manifest.place, headline(report))?;
    block(out, "error", errors(report))?;
    block(out, "clusters", decision.clusters().iter().cloned())?;
    block(out, "rejected", decision.rejected().iter().map(|(cluster, reason)| format!("{cluster}: {reason}")))?;
    block(out, "warning", decision.warnings.iter().cloned())?;
    block(out, "note", hint(report, lacks).map(str::to_owned))?;
    if decision.patch.is_empty() {
        let is_refused = matches!(decision.outcome, Outcome::Denied { .. });
        let what = if is_refused { "it is refused; one that exists stays as it is" } else { "the object stays as it is" };
        writeln!(out, "  {what}")?;
        return Ok(());
    }
    writeln!(out)?;
    for line in marked::lines(&report.manifest.object, &decision.patch)? {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// Returns a note on options that were left out, if the outcome may come of that.
fn hint(report: &Report, lacks: Lacks) -> Option<&'static str> {
    let has_target = || Target::of_kind(report.manifest.text("/kind")).is_some();
    match &report.decision.outcome {
        Outcome::Nowhere | Outcome::Denied { .. } if lacks.fleet => Some(NO_FLEET),
        Outcome::Unavailable { reason: Unavailable::Invalid, .. } if lacks.table && !has_target() => {
            Some("the table of kinds is taken from the manifests: give the sidecar's with --config sync.yaml")
        }
        _ => None,
    }
}

fn headline(report: &Report) -> String {
    let decision = &report.decision;
    match &decision.outcome {
        Outcome::Place => "placed".into(),
        Outcome::Nowhere => "nowhere: no cluster may run it".into(),
        Outcome::NoOpinion if decision.kept => "no opinion: policy says nothing of it any more, what was written is kept".into(),
        Outcome::NoOpinion => "no opinion: policy says nothing of it".into(),
        Outcome::Denied { .. } => "denied".into(),
        Outcome::Unarmed => "unarmed: no policy defines the placement path".into(),
        Outcome::Exempt => match &report.exempt {
            Some(why) => format!("exempt: {why}"),
            None => "exempt".into(),
        },
        Outcome::Undefined => "no decision: the placement path is undefined for it".into(),
        Outcome::Unavailable { reason, .. } => match reason {
            Unavailable::NotReady => "no decision: not ready".into(),
            Unavailable::Stale => "no decision: the state is too old".into(),
            Unavailable::Failed => "no decision: evaluation failed".into(),
            Unavailable::Invalid => "no decision: the object, or what policy says of it, cannot be used".into(),
        },
    }
}

fn errors(report: &Report) -> Vec<String> {
    match &report.decision.outcome {
        Outcome::Denied { errors } => errors.clone(),
        Outcome::Unavailable { reason: Unavailable::NotReady, .. } if !report.diagnostics.is_empty() => {
            report.diagnostics.clone()
        }
        Outcome::Unavailable { message, .. } => vec![message.clone()],
        _ => Vec::new(),
    }
}

/// Prints lines with a label before the first of them, the others indented below it.
fn block(out: &mut dyn Write, label: &str, texts: impl IntoIterator<Item = String>) -> std::io::Result<()> {
    let mut label = label;
    for text in texts {
        for line in text.lines() {
            writeln!(out, "  {label:<10}{line}")?;
            label = "";
        }
    }
    Ok(())
}
