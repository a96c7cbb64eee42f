//! A profile in OPA's two forms: JSON and a table.

use std::time::Duration;

use serde::Serialize;

use super::table::Table;
use crate::rego::trace::Stats;

/// One expression of a profile, as a JSON object.
#[derive(Debug, Serialize)]
pub(super) struct Row<'p> {
    total_time_ns: u128,
    num_eval: usize,
    num_redo: usize,
    num_gen_expr: usize,
    location: Location<'p>,
}

#[derive(Debug, Serialize)]
struct Location<'p> {
    file: &'p str,
    row: u32,
    col: u32,
}

impl<'p> From<&'p Stats> for Row<'p> {
    fn from(stats: &'p Stats) -> Self {
        let place = &stats.place;
        Self {
            total_time_ns: stats.total_time_ns,
            num_eval: stats.num_eval,
            num_redo: stats.num_redo,
            num_gen_expr: stats.num_gen_expr,
            location: Location { file: &place.file, row: place.row, col: place.col },
        }
    }
}

/// Returns the profile as a table for people.
pub(super) fn table(profile: &[Stats]) -> Table {
    let mut table = Table::new(["Time", "Num Eval", "Num Redo", "Num Gen Expr", "Location"].map(str::to_owned));
    for stats in profile {
        let counts = [stats.num_eval, stats.num_redo, stats.num_gen_expr].map(|count| count.to_string());
        table.row([time(stats.total_time_ns)].into_iter().chain(counts).chain([location(stats)]));
    }
    table
}

/// Returns a duration as Go prints it: `1.5ms`, and `0s` for none.
fn time(nanoseconds: u128) -> String {
    match u64::try_from(nanoseconds).unwrap_or(u64::MAX) {
        0 => "0s".to_owned(),
        some => format!("{:?}", Duration::from_nanos(some)),
    }
}

/// Returns the file and line of an expression, or its text if it is part of the query.
fn location(stats: &Stats) -> String {
    let place = &stats.place;
    if place.file.is_empty() { stats.text.clone() } else { format!("{}:{}", place.file, place.row) }
}
