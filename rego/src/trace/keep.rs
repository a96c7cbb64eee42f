//! How much of a trace is kept.

use std::sync::Arc;

use super::explain::Explain;
use super::recorded::Recorded;

/// What is kept of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Which events.
    pub explain: Explain,
    /// What of each.
    pub detail: Detail,
    /// How many at most.
    pub events: usize,
    /// How many bytes they may take at most, about: kept, or written. Values of variables may take as much again.
    pub bytes: usize,
}

/// What is kept of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// What [`super::pretty()`] shows.
    Lines,
    /// Also what [`super::raw()`] shows.
    Nodes,
    /// Also what [`super::members()`] shows.
    Places,
}

/// What was kept.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// In the order of evaluation.
    pub events: Vec<Arc<Recorded>>,
    /// How many more there were; of those that only led to others none is counted.
    pub left_out: u64,
    /// How many of the events are without the values of their variables, because those would have taken too much.
    pub without_values: u64,
}

impl From<Explain> for Keep {
    /// All lines.
    fn from(explain: Explain) -> Self {
        Self { explain, detail: Detail::Lines, events: usize::MAX, bytes: usize::MAX }
    }
}

impl Keep {
    /// The same with what is kept of each event.
    #[must_use]
    pub fn with(self, detail: Detail) -> Self {
        Self { detail, ..self }
    }
}
