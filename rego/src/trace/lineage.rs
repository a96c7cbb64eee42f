//! Which of the events that pass are kept (opa `v1/topdown/lineage/lineage.go`), within bounds.

use foldhash::HashMap;
use std::sync::Arc;

use super::event::Op;
use super::explain::Explain;
use super::keep::{Keep, Trace};
use super::recorded::{About, Recorded};
use crate::value::Value;

/// Of the room for values, those of one event may take this part, where events are kept that may lead to nothing.
const BEGINNINGS: usize = 4;

/// Keeps what is wanted of the events that pass.
#[derive(Debug)]
pub(super) struct Lineage {
    keep: Keep,
    /// The last beginning of each query, and the last return to it.
    begun: HashMap<u64, Arc<Recorded>>,
    /// What those take, values included.
    begun_bytes: usize,
    /// What the events take that are kept, without the values of their variables; and what those take.
    bytes: usize,
    values: usize,
    trace: Trace,
}

impl Lineage {
    pub(super) fn new(keep: Keep) -> Self {
        Self { keep, begun: HashMap::default(), begun_bytes: 0, bytes: 0, values: 0, trace: Trace::default() }
    }

    pub(super) fn keep(&self) -> Keep {
        self.keep
    }

    pub(super) fn into_trace(self) -> Trace {
        self.trace
    }

    /// Whether an event of this kind is kept for its own sake.
    fn wants(&self, op: Op) -> bool {
        match self.keep.explain {
            Explain::Debug => true,
            Explain::Full => op != Op::Unify,
            Explain::Notes => op == Op::Note,
            Explain::Fails => op == Op::Fail,
            Explain::NotesAndFails => matches!(op, Op::Note | Op::Fail),
        }
    }

    fn is_filtered(&self) -> bool {
        !matches!(self.keep.explain, Explain::Debug | Explain::Full)
    }

    /// Whether it is worth while to record an event of this kind.
    pub(super) fn hears(&mut self, op: Op, about: About) -> bool {
        if self.trace.left_out > 0 {
            self.trace.left_out = self.trace.left_out.saturating_add(u64::from(self.wants(op)));
            return false;
        }
        self.wants(op) || (self.is_filtered() && begins(op, about))
    }

    /// Whether values of so many bytes may be kept beside an event.
    pub(super) fn has_room(&self, values: usize) -> bool {
        let room = if self.is_filtered() { self.keep.bytes / BEGINNINGS } else { self.keep.bytes };
        values <= room && self.values.saturating_add(values) <= self.keep.bytes
    }

    /// Takes an event in that it hears; returns how many more bytes are kept.
    pub(super) fn pass(&mut self, event: Recorded) -> usize {
        let before = self.taken();
        let event = Arc::new(event);
        if self.wants(event.op) {
            let events = if self.is_filtered() { self.led_to(&event) } else { vec![event.clone()] };
            self.add(events);
        }
        if self.is_filtered() && begins(event.op, event.about) && self.trace.left_out == 0 {
            self.begin(event);
        }
        self.taken().saturating_sub(before)
    }

    fn taken(&self) -> usize {
        self.bytes.saturating_add(self.values).saturating_add(self.begun_bytes)
    }

    /// An event with the beginnings that led to it since the one before (`Filter`).
    fn led_to(&mut self, event: &Arc<Recorded>) -> Vec<Arc<Recorded>> {
        let mut path: Vec<_> = self.beginnings(event).into_iter().rev().collect();
        path.push(event.clone());
        self.forget();
        path
    }

    fn forget(&mut self) {
        self.begun.clear();
        self.begun_bytes = 0;
    }

    /// The beginnings of the query of an event, and of those that asked it.
    fn beginnings(&self, event: &Recorded) -> Vec<Arc<Recorded>> {
        let mut path: Vec<Arc<Recorded>> = Vec::new();
        let mut next = self.begun.get(&event.query_id);
        while let Some(here) = next {
            next = self.begun.get(&here.parent_id).filter(|above| !Arc::ptr_eq(above, here));
            path.push(here.clone());
        }
        path
    }

    /// Keeps events, unless they are too many.
    fn add(&mut self, events: Vec<Arc<Recorded>>) {
        let bytes = events.iter().fold(self.bytes, |bytes, event| bytes.saturating_add(event.size));
        if self.trace.events.len().saturating_add(events.len()) > self.keep.events || bytes > self.keep.bytes {
            self.trace.left_out = 1;
            return self.forget();
        }
        self.bytes = bytes;
        for event in events {
            let values = self.values.saturating_add(event.values);
            let event = if event.without_values || values <= self.keep.bytes { event } else { Arc::new(bare(&event)) };
            self.values = if event.without_values { self.values } else { values };
            self.trace.without_values = self.trace.without_values.saturating_add(u64::from(event.without_values));
            self.trace.events.push(event);
        }
    }

    /// Remembers a beginning. When they become too many, only those are remembered that lead to where the evaluation is, without
    /// values if need be.
    fn begin(&mut self, event: Arc<Recorded>) {
        self.begun_bytes = self.begun_bytes.saturating_add(whole(&event));
        if let Some(before) = self.begun.insert(event.query_id, event.clone()) {
            self.begun_bytes = self.begun_bytes.saturating_sub(whole(&before));
        }
        let is_much = |bytes: usize| bytes > self.keep.bytes;
        if self.begun.len() <= self.keep.events && !is_much(self.begun_bytes) {
            return;
        }
        let mut path = self.beginnings(&event);
        let sum = |path: &[Arc<Recorded>]| path.iter().fold(0, |bytes: usize, event| bytes.saturating_add(whole(event)));
        if is_much(sum(&path)) {
            path.iter_mut().for_each(|event| *event = Arc::new(bare(event)));
        }
        if is_much(sum(&path)) {
            path.clear();
        }
        self.begun_bytes = sum(&path);
        self.begun = path.into_iter().map(|event| (event.query_id, event)).collect();
    }
}

fn begins(op: Op, about: About) -> bool {
    matches!(op, Op::Enter | Op::Redo) && matches!(about, About::Rule | About::Body)
}

/// What an event takes, values included.
fn whole(event: &Recorded) -> usize {
    if event.without_values { event.size } else { event.size.saturating_add(event.values) }
}

/// The same event without the values of its variables.
fn bare(event: &Recorded) -> Recorded {
    let json = event.json.as_ref().map(|(node, _)| (node.clone(), Value::array([])));
    Recorded { json, without_values: true, ..event.clone() }
}
