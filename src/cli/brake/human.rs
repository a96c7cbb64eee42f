//! The state of the brake as text for people.

use std::io::Write;

use plimsoll_contract::still::Scopes;
use plimsoll_sidecar::plan::brake::Scope;
use plimsoll_sidecar::plan::brake::kept::Requests;
use plimsoll_sidecar::plan::brake::record::{MoveRecord, Record, ShownRecord, TripRecord};

use crate::printable;

/// Prints that no sidecar is at work, and what that means for what is shown after it.
pub(super) fn silent(said: &str, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{}", clean(said))?;
    writeln!(out, "nothing is repaired; what stands here is as it was then, and what is asked for waits for the next one")
}

/// Prints the state of the brake: what is paused, where it is on, and the moves that it holds back with their causes.
pub(super) fn print(record: &Record, requests: &Requests, out: &mut dyn Write) -> std::io::Result<()> {
    let (paused, others) = Scopes::read(&requests.pause);
    if !paused.is_empty() {
        writeln!(out, "paused: {paused}; go on with `plimsoll brake resume`")?;
    }
    others.iter().try_for_each(|other| writeln!(out, "in `plimsoll.io/pause`: {}", clean(&other.to_string())))?;
    record.unknown.iter().try_for_each(|said| writeln!(out, "but {}", clean(said)))?;
    // The record says what may have moved: a move is announced in it before it is made, and may have been stopped since.
    let moved: usize = record.moved.values().map(|ids| ids.len() / 10).sum();
    let moved = format!("{} moved, or {} about to, within its window", objects(moved), if moved == 1 { "was" } else { "were" });
    if record.trips.is_empty() {
        return writeln!(out, "the brake is off: {moved}");
    }
    record.trips.iter().try_for_each(|trip| tripped(trip, out))?;
    let standing: usize = record.shown.iter().map(|shown| shown.moves).sum();
    writeln!(out, "{moved}; {} {} still", moves(standing), if standing == 1 { "stands" } else { "stand" })?;
    if record.shown.is_empty() {
        return writeln!(
            out,
            "nothing is to be released: it goes off when that has been so for 30 s, and no more moved than may"
        );
    }
    for shown in &record.shown {
        cause(shown, &requests.release, out)?;
    }
    writeln!(out, "\nlet them go: plimsoll brake release [--for ID]")
}

fn tripped(trip: &TripRecord, out: &mut dyn Write) -> std::io::Result<()> {
    let scope = clean(&Scope::of(trip).text());
    let TripRecord { moves, limit, .. } = trip;
    let moves = objects(*moves);
    writeln!(out, "the brake is on in {scope}: {moves} moved or would have; the limit is {limit}")
}

fn moves(count: usize) -> String {
    format!("{count} {}", if count == 1 { "move" } else { "moves" })
}

fn objects(count: usize) -> String {
    format!("{count} {}", if count == 1 { "object" } else { "objects" })
}

fn cause(shown: &ShownRecord, wish: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let is_released = wish.split([',', '\n']).any(|name| name.trim() == shown.id);
    let released = if is_released { ", released" } else { "" };
    writeln!(out, "\n{}  {}{released}  (id {})", clean(&shown.cause), moves(shown.moves), clean(&shown.id))?;
    let width = shown.examples.iter().map(|example| example.object.chars().count()).max().unwrap_or_default();
    for MoveRecord { object, from, to } in &shown.examples {
        writeln!(out, "  {:width$}  {} -> {}", clean(object), clusters(from), clusters(to))?;
    }
    let more = shown.moves.saturating_sub(shown.examples.len());
    if more > 0 { writeln!(out, "  … and {more} more") } else { Ok(()) }
}

/// Prints what was released: the ids and the number of their moves. Ids that the record does not list any more are printed by themselves:
/// they come from an earlier report.
pub(super) fn released(record: &Record, names: &[&str], paused: &Scopes, out: &mut dyn Write) -> std::io::Result<()> {
    let shown = |id: &str| record.shown.iter().find(|shown| shown.id == id);
    let (known, earlier): (Vec<&str>, Vec<&str>) = names.iter().copied().partition(|id| shown(id).is_some());
    if !known.is_empty() {
        let count = known.iter().filter_map(|id| shown(id)).map(|shown| shown.moves).sum();
        writeln!(out, "released: {} ({})", moves(count), known.join(", "))?;
    }
    if !earlier.is_empty() {
        writeln!(out, "released: what was shown as {}", earlier.join(", "))?;
    }
    if paused.is_empty() {
        return Ok(());
    }
    writeln!(out, "but {paused} is paused: what is released there goes after `plimsoll brake resume`")
}

fn clusters(names: &[String]) -> String {
    if names.is_empty() { "(none named)".to_owned() } else { clean(&names.join(", ")) }
}

fn clean(text: &str) -> String {
    printable::lines(text).replace('\n', " ")
}
