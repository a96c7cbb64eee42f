//! How often expressions are evaluated, and how long that takes (opa `v1/profiler/profiler.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::event::{Event, Node, Op, Tracer};
use super::recorded::Place;
use crate::syntax::source::Sources;

/// A row of a file.
type Row = (arcstr::ArcStr, u32);

/// What the expressions of one row cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprStats {
    /// How long they took, in nanoseconds.
    pub total_time_ns: u128,
    /// How often one of them was evaluated.
    pub num_eval: usize,
    /// How often another solution was looked for.
    pub num_redo: usize,
    /// How many expressions the row became, by their places in bodies.
    pub num_gen_expr: usize,
    /// Where the first of them begins that was evaluated.
    pub place: Place,
    /// That one, as written.
    pub text: String,
}

/// What profiles are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileOrder {
    /// The longest first.
    TotalTimeNs,
    /// The most first.
    NumEval,
    /// The most first.
    NumRedo,
    /// The most first.
    NumGenExpr,
    /// The last in the order of names first.
    File,
    /// The last first.
    Line,
}

/// A tracer that counts; for one evaluation.
#[derive(Debug)]
pub struct Profiler<'p> {
    sources: &'p Sources,
    rows: BTreeMap<Row, (ExprStats, BTreeSet<usize>)>,
    /// The row that time runs for, and since when.
    last: Option<(Row, Instant)>,
}

impl ProfileOrder {
    /// An order by its name.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "total_time_ns" => Some(Self::TotalTimeNs),
            "num_eval" => Some(Self::NumEval),
            "num_redo" => Some(Self::NumRedo),
            "num_gen_expr" => Some(Self::NumGenExpr),
            "file" => Some(Self::File),
            "line" => Some(Self::Line),
            _ => None,
        }
    }

    fn compare(self, a: &ExprStats, b: &ExprStats) -> std::cmp::Ordering {
        match self {
            Self::TotalTimeNs => b.total_time_ns.cmp(&a.total_time_ns),
            Self::NumEval => b.num_eval.cmp(&a.num_eval),
            Self::NumRedo => b.num_redo.cmp(&a.num_redo),
            Self::NumGenExpr => b.num_gen_expr.cmp(&a.num_gen_expr),
            Self::File => b.place.file.cmp(&a.place.file),
            Self::Line => b.place.row.cmp(&a.place.row),
        }
    }
}

impl<'p> Profiler<'p> {
    /// A profiler that has counted nothing; `sources` are those of the set, then those of the query.
    pub fn new(sources: &'p Sources) -> Self {
        Self { sources, rows: BTreeMap::new(), last: None }
    }

    /// The rows, sorted; at most so many, all for 0 (`ReportTopNResults`).
    pub fn report(mut self, most: usize, order: &[ProfileOrder]) -> Vec<ExprStats> {
        self.stop();
        let stats = |(stats, indexes): (ExprStats, BTreeSet<usize>)| ExprStats { num_gen_expr: indexes.len(), ..stats };
        let mut rows: Vec<_> = self.rows.into_values().map(stats).collect();
        let first =
            |a: &ExprStats, b: &ExprStats| order.iter().map(|order| order.compare(a, b)).find(|ordering| ordering.is_ne());
        rows.sort_by(|a, b| first(a, b).unwrap_or(std::cmp::Ordering::Equal));
        if most > 0 {
            rows.truncate(most);
        }
        rows
    }

    /// The time since the last event goes to the row that it was about.
    fn stop(&mut self) {
        if let Some((row, since)) = self.last.take()
            && let Some((stats, _)) = self.rows.get_mut(&row)
        {
            stats.total_time_ns = stats.total_time_ns.saturating_add(since.elapsed().as_nanos());
        }
    }
}

impl Tracer for Profiler<'_> {
    fn hear(&mut self, event: &Event<'_>) -> usize {
        let (Node::Expr(_, index), Op::Eval | Op::Redo) = (event.node, event.op) else { return 0 };
        self.stop();
        let unknown = Place { file: arcstr::ArcStr::new(), row: 0, col: 0 };
        let span = event.node.span();
        let place = span.map_or(unknown, |span| Place::of(self.sources, span));
        let row = (place.file.clone(), place.row);
        let (stats, indexes) = self.rows.entry(row.clone()).or_insert_with(|| {
            // OPA's, for what nobody wrote.
            let text = span.map_or("???", |span| self.sources.text(span)).to_owned();
            (ExprStats { total_time_ns: 0, num_eval: 0, num_redo: 0, num_gen_expr: 0, place, text }, BTreeSet::new())
        });
        let count = if event.op == Op::Eval { &mut stats.num_eval } else { &mut stats.num_redo };
        *count = count.saturating_add(1);
        indexes.insert(index);
        self.last = Some((row, Instant::now()));
        0
    }
}
