//! Explanations as text for people: a line for the fleet, a table of clusters, and what keeps each of them out.

use std::io::Write;

use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::why::{Alternative, ClusterWhy, Condition, Reached, Why};

use crate::cli::place::NO_FLEET;
use crate::cli::reads;
use crate::printable;

/// What is printed beside the explanation of each cluster.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    /// Whether to print what the decision depends on.
    pub(super) reads: bool,
    /// Whether the clusters are those that were asked for, and not the whole fleet.
    pub(super) only_asked: bool,
    /// Whether files are asked, and not an engine.
    pub(super) offline: bool,
}

/// Prints the explanations. Fails when the output cannot be written.
pub(super) fn print(all: &[Why], shown: Shown, out: &mut dyn Write) -> std::io::Result<()> {
    for (number, why) in all.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        one(why, shown, out)?;
        if let Some(found) = why.reads.as_ref().filter(|_| shown.reads) {
            reads::print(found, out)?;
        }
    }
    Ok(())
}

fn one(why: &Why, shown: Shown, out: &mut dyn Write) -> std::io::Result<()> {
    let object = if why.namespace.is_empty() { why.name.clone() } else { format!("{}/{}", why.namespace, why.name) };
    writeln!(out, "{} {}: {}", why.kind, clean(&object), headline(&why.outcome))?;
    let ages = why.sources.iter().map(|source| match source.age_seconds {
        Some(age) => format!("{} {age:.1} s old", source.name),
        None => format!("{} never seen", source.name),
    });
    let known: Vec<_> = std::iter::once(format!("revision {}", why.revision)).chain(ages).collect();
    writeln!(out, "  {}", known.join(", "))?;
    let is_placed = why.outcome == Outcome::Place;
    for said in why.said.iter().filter(|said| said.message.is_some() || !is_placed) {
        let message = said.message.as_ref().map(|message| format!(": {}", clean(message))).unwrap_or_default();
        writeln!(out, "  {}{message}", said.rule)?;
        said.alternatives.iter().try_for_each(|alternative| body(alternative, 2, out))?;
    }
    // Without an opinion no cluster is out.
    if why.outcome != Outcome::NoOpinion {
        fleet(&why.clusters, shown, out)?;
    }
    let is_out = matches!(why.outcome, Outcome::Nowhere | Outcome::Denied { .. });
    if is_out && shown.offline && why.clusters.is_empty() {
        writeln!(out, "  note: {NO_FLEET}")?;
    }
    why.warnings.iter().chain(&why.notes).try_for_each(|note| writeln!(out, "  note: {}", clean(note)))
}

fn headline(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Place => "placed".to_owned(),
        Outcome::Nowhere => "nowhere: no cluster may run it".to_owned(),
        Outcome::NoOpinion => "no opinion: policy says nothing of it".to_owned(),
        Outcome::Denied { .. } => "denied".to_owned(),
        Outcome::Exempt => "exempt: its kind, namespace or owner is never decided, or it is being deleted".to_owned(),
        Outcome::Unarmed => "unarmed: no policy in force defines the placement path".to_owned(),
        other => format!("{}: {}", other.name(), clean(&other.to_string())),
    }
}

/// Prints a row with a mark for each cluster, then a line for each cluster with the conditions that keep it out below.
fn fleet(clusters: &[ClusterWhy], shown: Shown, out: &mut dyn Write) -> std::io::Result<()> {
    if clusters.is_empty() {
        return Ok(());
    }
    let marks: String = clusters.iter().map(|cluster| if cluster.is_in { '■' } else { '□' }).collect();
    let inside = clusters.iter().filter(|cluster| cluster.is_in).count();
    let of = clusters.len();
    if shown.only_asked {
        writeln!(out, "  asked {marks}  in {inside} of the {of} asked")?;
    } else {
        writeln!(out, "  fleet {marks}  in {inside} of {of}")?;
    }
    let width = clusters.iter().map(|cluster| clean(&cluster.name).chars().count()).max().unwrap_or_default();
    for cluster in clusters {
        let (mark, name) = (if cluster.is_in { "■ in " } else { "□ out" }, clean(&cluster.name));
        let first = cluster.alternatives.first();
        let said = match (&cluster.rejected, first) {
            (Some(reason), _) => clean(reason),
            (None, Some(body)) if cluster.is_in => format!("by {}", title(body)),
            (None, None) if cluster.cut_short => "not found out".to_owned(),
            (None, None) if cluster.is_in => "by what cannot be told apart".to_owned(),
            (None, None) => "no rule names it".to_owned(),
            (None, Some(_)) => String::new(),
        };
        writeln!(out, "{}", format!("  {mark} {name:width$}  {said}").trim_end())?;
        if !cluster.is_in {
            cluster.alternatives.iter().try_for_each(|alternative| body(alternative, 4, out))?;
        }
    }
    Ok(())
}

fn title(body: &Alternative) -> String {
    let title = body.title.as_ref().map(|title| format!(" \"{}\"", clean(title))).unwrap_or_default();
    format!("{} {}{title}", body.location, body.rule)
}

/// Prints one body of a rule: all of its conditions if it holds, else those that do not hold.
fn body(alternative: &Alternative, indent: usize, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{:indent$}{}", "", title(alternative))?;
    let told = |condition: &&Condition| alternative.holds || condition.result != Reached::Holds;
    alternative.conditions.iter().filter(told).try_for_each(|condition| expression(condition, indent.saturating_add(2), out))
}

fn expression(condition: &Condition, indent: usize, out: &mut dyn Write) -> std::io::Result<()> {
    if condition.result == Reached::Holds && (!condition.alternatives.is_empty() || is_binding(&condition.text)) {
        // What holds by other bodies is said by these; what only names a value says nothing.
        return condition.alternatives.iter().try_for_each(|alternative| body(alternative, indent, out));
    }
    let result = match condition.result {
        Reached::Holds => "holds",
        Reached::Fails if condition.together => "fails with the above",
        Reached::Fails => "fails",
        Reached::NotReached => "not reached",
        Reached::NotSeparable => "not separable",
    };
    let text = condition.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found: Vec<_> = condition.found.iter().map(|(text, value)| format!("{text} is {value}")).collect();
    let found = if found.is_empty() { String::new() } else { format!("  ({})", clean(&found.join(", "))) };
    writeln!(out, "{:indent$}{} {result}: {}{found}", "", condition.location, clean(&text))?;
    condition.alternatives.iter().try_for_each(|alternative| body(alternative, indent.saturating_add(2), out))
}

fn is_binding(text: &str) -> bool {
    text.starts_with("some ") || text.contains(":=")
}

/// Returns a text that cannot move the terminal's cursor: others may have written it.
fn clean(text: &str) -> String {
    printable::lines(text).to_string()
}
