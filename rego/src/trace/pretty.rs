//! A trace for people (opa `v1/topdown/trace.go`, `PrettyTraceWithOpts`).

use foldhash::HashMap;
use std::sync::Arc;

use arcstr::ArcStr;

use super::event::Op;
use super::recorded::{About, Recorded};
use super::shorten;

/// How much room is left between columns.
const PADDING: usize = 4;

/// One line for each event, places first.
pub fn pretty(events: &[Arc<Recorded>]) -> String {
    rows(events).into_iter().map(|(location, line)| format!("{location}{line}\n")).collect()
}

/// The same in its columns, the first as wide as it has to be.
pub fn rows(events: &[Arc<Recorded>]) -> Vec<(String, String)> {
    let names = shorten::names(events);
    let mut depths = HashMap::default();
    let row = |event: &Arc<Recorded>| (location(event, &names), line(event, depth(&mut depths, event)));
    let mut rows: Vec<_> = events.iter().map(row).collect();
    let width = rows.iter().map(|(location, _)| location.len()).max().unwrap_or(0).saturating_add(PADDING);
    rows.iter_mut().for_each(|(location, _)| *location = format!("{location:<width$} "));
    rows
}

/// That of a query is one more than that of the query that asked it.
fn depth(depths: &mut HashMap<u64, usize>, event: &Recorded) -> usize {
    if let Some(depth) = depths.get(&event.query_id) {
        return *depth;
    }
    let depth = depths.get(&event.parent_id).map_or(0, |depth| *depth).saturating_add(1);
    depths.insert(event.query_id, depth);
    depth
}

fn line(event: &Recorded, depth: usize) -> String {
    let outside = event.op == Op::Enter || (event.op == Op::Redo && event.about != About::Expr);
    let bars = depth.saturating_sub(usize::from(outside));
    format!("{}{} {}", "| ".repeat(bars), event.op.name(), event.text)
}

fn location(event: &Recorded, names: &HashMap<ArcStr, String>) -> String {
    match &event.place {
        None => String::new(),
        Some(place) if place.file.is_empty() => format!("query:{}", place.row),
        Some(place) => format!("{}:{}", names.get(&place.file).map_or(place.file.as_str(), String::as_str), place.row),
    }
}
