//! Many notes of one reason and one cause: the first few are said, the others together. Pure; the time is passed in.
//!
//! A change of a policy or of a cluster's label that would move 460 objects is one thing to know, not 460 of them.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use plimsoll_contract::moves::Cause;

use super::brake::id::Id;
use super::note::{Note, Reason, Subject};
use super::row::Key;

/// So many have their own note,
const FEW: usize = 20;
/// … within this time.
const WINDOW: Duration = Duration::from_secs(60);
/// The others are said together when no more have come for this long, or after a whole [`WINDOW`].
const QUIET: Duration = Duration::from_secs(5);

/// Notes by what they have in common. Times are those of any clock that does not run backwards.
#[derive(Clone, Debug, Default)]
pub struct NoteAggregator(BTreeMap<(Reason, Option<Cause>), Aggregate>);

/// One note in the place of the notes of many objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregatedNote {
    /// What of each.
    pub reason: Reason,
    /// What makes it.
    pub cause: Option<Cause>,
    /// The objects of which it was not said.
    pub objects: Vec<Key>,
    /// All objects that have it, with those of which it was said.
    pub count: usize,
    /// One of them.
    pub example: Subject,
}

#[derive(Clone, Debug)]
struct Aggregate {
    /// This window began.
    begun: Duration,
    /// So many notes came in it.
    came: usize,
    /// The window before was crowded.
    is_crowded: bool,
    all: HashSet<Id>,
    unsaid: Vec<Key>,
    /// The first and the last of them came.
    since: Duration,
    last: Duration,
    example: Subject,
}

impl NoteAggregator {
    /// Returns the note if it is to be said by itself, and else keeps its object for [`Self::due`].
    pub fn take(&mut self, note: Note, now: Duration) -> Option<Note> {
        if !note.reason.is_opinion() {
            return Some(note);
        }
        let aggregate = self.0.entry((note.reason, note.cause.clone())).or_insert_with(|| Aggregate::new(&note.subject, now));
        aggregate.roll(now);
        aggregate.take(note, now)
    }

    /// Returns what is to be said of many now.
    pub fn due(&mut self, now: Duration) -> Option<AggregatedNote> {
        self.0.values_mut().for_each(|aggregate| aggregate.roll(now));
        self.0.retain(|_, aggregate| !aggregate.is_over());
        let due = self.0.iter_mut().find(|(_, aggregate)| aggregate.due().is_some_and(|at| at <= now));
        due.map(|((reason, cause), aggregate)| aggregate.gather(*reason, cause.clone()))
    }

    /// Returns when [`Self::due`] has something to say next, if nothing more comes.
    pub fn next_due(&self) -> Option<Duration> {
        self.0.values().filter_map(Aggregate::due).min()
    }

    /// Forgets everything; returns the objects of which it was not said.
    pub fn clear(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.0).into_values().flat_map(|aggregate| aggregate.unsaid).collect()
    }
}

impl Aggregate {
    fn new(example: &Subject, now: Duration) -> Self {
        Self {
            begun: now,
            came: 0,
            is_crowded: false,
            all: HashSet::new(),
            unsaid: Vec::new(),
            since: now,
            last: now,
            example: example.clone(),
        }
    }

    /// Begins a new window: as many as were in the last one tell whether it is still many of one kind.
    fn roll(&mut self, now: Duration) {
        if now < self.begun + WINDOW {
            return;
        }
        // Whole windows without a note in between are quiet ones.
        self.is_crowded = self.came > FEW && now < self.begun + WINDOW * 2;
        (self.begun, self.came) = (now, 0);
        if !self.is_crowded && self.unsaid.is_empty() {
            self.all.clear();
        }
    }

    fn take(&mut self, note: Note, now: Duration) -> Option<Note> {
        let key = note.subject.key();
        self.came += 1;
        self.all.insert(Id::of([key.gvr.resource.as_str(), &key.gvr.group, &key.namespace, &key.name]));
        if !self.is_crowded && self.came <= FEW {
            return Some(note);
        }
        if self.unsaid.is_empty() {
            self.since = now;
        }
        self.last = now;
        self.unsaid.push(key);
        None
    }

    fn due(&self) -> Option<Duration> {
        (!self.unsaid.is_empty()).then(|| (self.last + QUIET).min(self.since + WINDOW))
    }

    fn is_over(&self) -> bool {
        self.came == 0 && self.unsaid.is_empty() && !self.is_crowded
    }

    fn gather(&mut self, reason: Reason, cause: Option<Cause>) -> AggregatedNote {
        let objects = std::mem::take(&mut self.unsaid);
        AggregatedNote { reason, cause, objects, count: self.all.len(), example: self.example.clone() }
    }
}

impl AggregatedNote {
    /// Returns it in a sentence.
    pub fn sentence(&self) -> String {
        let Self { reason, cause, count, example, .. } = self;
        let because = cause.as_ref().map(|cause| format!(" ({cause})")).unwrap_or_default();
        let what = match (reason, cause) {
            (Reason::PlacementKept, _) => {
                "have no opinion of policy any more though neither it nor they changed; their last placement is kept".to_owned()
            }
            (Reason::PlacementKeptForNow, _) => {
                "have no opinion of policy any more since the policies changed; their placement stays for a while (`serve \
                 --letting-go-after`), and is let go then unless they change again"
                    .to_owned()
            }
            (Reason::PlacementHeld, _) => format!("would be placed otherwise{because}; they are on hold, nothing is written"),
            (_, Some(Cause::First)) => format!("would be placed{because}; suggested, not written"),
            (_, Some(_)) => format!("would move{because}; suggested, not written"),
            (_, None) => "would be patched without moving; suggested, not written".to_owned(),
        };
        let slash = if example.namespace.is_empty() { "" } else { "/" };
        format!(
            "{count} objects {what}: such as {} {}{slash}{}; all of them are in the engine's `/plimsoll/v1/placements{}`",
            example.gvr.resource,
            example.namespace,
            example.name,
            if matches!(reason, Reason::PlacementKept | Reason::PlacementKeptForNow) { "" } else { "?pending" },
        )
    }
}

#[cfg(test)]
mod tests;
