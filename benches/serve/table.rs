//! The table of medians, in Markdown.

use std::time::Duration;

use crate::http::client::Measured;
use crate::support::human;

/// Measurements of one style of policy on one fleet.
pub(crate) struct Row {
    pub(crate) style: String,
    pub(crate) clusters: usize,
    pub(crate) rounds: Vec<Round>,
}

/// One run of both servers.
pub(crate) struct Round {
    pub(crate) fixed: Measured,
    pub(crate) seen: Pair,
    pub(crate) new: Pair,
}

/// The same requests, asked of both.
pub(crate) struct Pair {
    pub(crate) full: Measured,
    pub(crate) opa_full: Measured,
    /// At a rate that both can answer.
    pub(crate) offered: Measured,
    pub(crate) opa_offered: Measured,
}

/// Returns the lines of the table: throughput as a multiple of OPA's, p99 at equal offered rates as a part of OPA's, processor time of the
/// server for each decision, ours and OPA's.
pub(crate) fn lines(rows: &[Row]) -> Vec<String> {
    let head = "| policies | clusters | seen | p99 | processor | of a fixed answer | new | p99 | processor |";
    let mut lines = vec![head.to_owned(), format!("|{}", "---|".repeat(9))];
    lines.extend(rows.iter().map(Row::line));
    lines
}

impl Row {
    fn line(&self) -> String {
        let Self { style, clusters, .. } = self;
        let share = self.median(|round| 100.0 * round.seen.full.per_second / round.fixed.per_second);
        let (seen, new) = (self.cells(|round| &round.seen), self.cells(|round| &round.new));
        format!("| {style} | {clusters} | {seen} | {share:.0} % | {new} |")
    }

    fn cells(&self, of: impl Fn(&Round) -> &Pair) -> String {
        let pair = |figure: fn(&Pair) -> f64| self.median(|round| figure(of(round)));
        let times = pair(|pair| pair.full.per_second / pair.opa_full.per_second);
        let p99 = pair(|pair| pair.opa_offered.p99.as_secs_f64() / pair.offered.p99.as_secs_f64().max(1e-9));
        let ours = pair(|pair| pair.full.processor.as_secs_f64());
        let opa = pair(|pair| pair.opa_full.processor.as_secs_f64());
        let [ours, opa] = [ours, opa].map(|seconds| human(Duration::from_secs_f64(seconds)));
        format!("{times:.1} x | 1/{p99:.0} | {ours}, {opa}")
    }

    /// Of an even number of rounds the higher one of the middle.
    fn median(&self, figure: impl Fn(&Round) -> f64) -> f64 {
        let mut figures: Vec<_> = self.rounds.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or_default()
    }
}
