//! What stands still, for people.

use std::io::Write;

use plimsoll_sidecar::plan::brake::record::{MoveRecord, Record, ShownRecord, TripRecord};

use crate::printable;

/// Prints the state of the brake; `wish` is what people have asked to be released.
pub(super) fn print(record: &Record, wish: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let moved: usize = record.moved.values().map(|ids| ids.len() / 10).sum();
    if record.trips.is_empty() {
        return writeln!(out, "the brake is off: {moved} objects moved within its window");
    }
    record.trips.iter().try_for_each(|trip| tripped(trip, out))?;
    for shown in &record.shown {
        cause(shown, wish, out)?;
    }
    writeln!(out, "\nlet them go: plimsoll brake release [--for ID]")
}

fn tripped(trip: &TripRecord, out: &mut dyn Write) -> std::io::Result<()> {
    let scope = trip.namespace.as_ref().map_or_else(|| "the fleet".to_owned(), |name| format!("namespace {}", clean(name)));
    let TripRecord { moves, limit, .. } = trip;
    writeln!(out, "the brake is on in {scope}: {moves} objects moved or were to move, {limit} may")
}

fn cause(shown: &ShownRecord, wish: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let is_released = wish.split([',', '\n']).any(|name| name.trim() == shown.id);
    let released = if is_released { ", released" } else { "" };
    writeln!(out, "\n{}  {} moves{released}  (id {})", clean(&shown.cause), shown.moves, clean(&shown.id))?;
    let width = shown.examples.iter().map(|example| example.object.chars().count()).max().unwrap_or_default();
    for MoveRecord { object, from, to } in &shown.examples {
        writeln!(out, "  {:width$}  {} -> {}", clean(object), clusters(from), clusters(to))?;
    }
    let more = shown.moves.saturating_sub(shown.examples.len());
    if more > 0 { writeln!(out, "  … and {more} more") } else { Ok(()) }
}

fn clusters(names: &[String]) -> String {
    if names.is_empty() { "(none named)".to_owned() } else { clean(&names.join(", ")) }
}

fn clean(text: &str) -> String {
    printable::lines(text).replace('\n', " ")
}
