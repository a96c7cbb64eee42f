//! How much of a trace is wanted (opa `v1/topdown/lineage/lineage.go`).

use std::collections::HashMap;
use std::sync::Arc;

use super::event::Op;
use super::recorder::{About, Recorded};

/// OPA's modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explain {
    /// What policies say with `trace`, and what led there.
    Notes,
    /// Expressions without a solution, and what led there.
    Fails,
    /// Both: what `opa test -v` shows of a test that fails.
    NotesAndFails,
    /// All but what is unified.
    Full,
    /// Everything.
    Debug,
}

/// Keeps what is wanted of the events that pass.
#[derive(Debug)]
pub(super) struct Lineage {
    explain: Explain,
    /// The last beginning of each query, and the last return to it.
    begun: HashMap<u64, Arc<Recorded>>,
    kept: Vec<Arc<Recorded>>,
}

impl Explain {
    /// A mode by its name.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "notes" => Some(Self::Notes),
            "fails" => Some(Self::Fails),
            "full" => Some(Self::Full),
            "debug" => Some(Self::Debug),
            _ => None,
        }
    }
}

impl Lineage {
    pub(super) fn new(explain: Explain) -> Self {
        Self { explain, begun: HashMap::new(), kept: Vec::new() }
    }

    pub(super) fn explain(&self) -> Explain {
        self.explain
    }

    pub(super) fn into_events(self) -> Vec<Arc<Recorded>> {
        self.kept
    }

    /// Takes an event in; returns how many more are kept.
    pub(super) fn pass(&mut self, event: Recorded) -> usize {
        let before = self.kept.len();
        let event = Arc::new(event);
        match self.explain {
            Explain::Debug => self.kept.push(event),
            Explain::Full if event.op == Op::Unify => {}
            Explain::Full => self.kept.push(event),
            Explain::Notes => self.filter(event, &[Op::Note]),
            Explain::Fails => self.filter(event, &[Op::Fail]),
            Explain::NotesAndFails => self.filter(event, &[Op::Note, Op::Fail]),
        }
        self.kept.len().saturating_sub(before)
    }

    /// Keeps events of some kinds, each with the beginnings that led to it since the one before (`Filter`).
    fn filter(&mut self, event: Arc<Recorded>, wanted: &[Op]) {
        if wanted.contains(&event.op) {
            let mut path = vec![event.clone()];
            let mut next = self.begun.get(&event.query_id).cloned();
            while let Some(here) = next {
                next = self.begun.get(&here.parent_id).filter(|above| !Arc::ptr_eq(above, &here)).cloned();
                path.push(here);
            }
            self.kept.extend(path.into_iter().rev());
            self.begun.clear();
        }
        if matches!(event.op, Op::Enter | Op::Redo) && matches!(event.about, About::Rule | About::Body) {
            self.begun.insert(event.query_id, event);
        }
    }
}
