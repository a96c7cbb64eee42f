//! What is left to write and to say, object by object. Pure.
//!
//! Driven by what is, not by what was done: a row is due as long as it stands there asking, and nothing newer is known of its object.
//! The latest row wins, failures wait, and one object has one write under way.

mod counts;
mod due;
mod entry;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use plimsoll_contract::placement::Placement;

use super::answer::{self, Answer};
use super::note::Note;
use super::row::{Key, Patch, plan};
use crate::results::RowEnd;
pub use counts::Counts;
use due::{Due, Place};
use entry::Entry;

/// Undone so many times in a row, it is said.
const SAID_AT: u32 = 3;

/// Waits between two tries of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// After a first failed write; doubles with each more.
    pub first: Duration,
    /// After many failed writes.
    pub longest: Duration,
    /// The same, if the API server did not answer: it may be back any time.
    pub unreachable: Duration,
    /// For the mirror to show what was written; then the next list is believed.
    pub grace: Duration,
}

/// The queue. Times are those of any clock that does not run backwards.
#[derive(Clone, Debug)]
pub struct Queue {
    waits: Waits,
    entries: HashMap<Key, Entry>,
    due: Due,
    unsaid: BTreeSet<(u64, Key)>,
    counts: Counts,
    turn: u64,
}

impl Queue {
    /// An empty queue.
    pub fn new(waits: Waits) -> Self {
        Self { waits, entries: HashMap::new(), due: Due::default(), unsaid: BTreeSet::new(), counts: Counts::default(), turn: 0 }
    }

    /// A row is new or changed.
    pub fn observe(&mut self, row: &Placement, now: Duration) -> RowEnd {
        let (key, plan) = (Key::of(row), plan(row));
        let end = match (&plan.patch, &plan.note) {
            (Some(_), _) => RowEnd::Patch,
            (None, Some(_)) => RowEnd::Note,
            (None, None) => RowEnd::Nothing,
        };
        self.entries.entry(key.clone()).or_default().observe(row, plan);
        self.arrange(&key, now);
        end
    }

    /// The object is gone.
    pub fn forget(&mut self, key: &Key, now: Duration) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.forget();
        }
        self.arrange(key, now);
    }

    /// The whole table: what is not in it is gone, and what is in it is believed, unless its object was written a moment ago.
    pub fn observe_all(&mut self, rows: &[Placement], now: Duration) -> Vec<RowEnd> {
        let present: HashSet<Key> = rows.iter().map(Key::of).collect();
        let gone: Vec<Key> = self.entries.keys().filter(|key| !present.contains(*key)).cloned().collect();
        gone.iter().for_each(|key| self.forget(key, now));
        let grace = self.waits.grace;
        self.entries.values_mut().for_each(|entry| entry.doubt(grace, now));
        rows.iter().map(|row| self.observe(row, now)).collect()
    }

    /// A patch is due at `now`.
    pub fn is_due(&self, now: Duration) -> bool {
        self.due.next().is_some_and(|at| at <= now)
    }

    /// When the next patch is due.
    pub fn next_due(&self) -> Option<Duration> {
        self.due.next()
    }

    /// The object whose patch [`Self::take`] would take.
    pub fn peek(&self, now: Duration) -> Option<&Key> {
        self.due.peek(now)
    }

    /// An object's patch must not be written now: it is not due before [`Self::unpark`], or another row.
    pub fn park(&mut self, key: &Key, now: Duration) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.is_parked = true;
        }
        self.arrange(key, now);
    }

    /// These may be due again.
    pub fn unpark(&mut self, keys: &[Key], now: Duration) {
        for key in keys {
            if let Some(entry) = self.entries.get_mut(key) {
                entry.is_parked = false;
            }
            self.arrange(key, now);
        }
    }

    /// Takes the patch that has waited longest, an urgent one before others, one that has failed after them; [`Self::finished`] must follow.
    pub fn take(&mut self, now: Duration) -> Option<(Key, Patch)> {
        let key = self.due.take(now)?;
        let entry = self.entries.get_mut(&key)?;
        entry.due = None;
        let patch = entry.plan.patch.clone()?;
        entry.is_under_way = true;
        Some((key, patch))
    }

    /// Takes in the result of writing `patch`, and returns the note to report, if there is one.
    pub fn finished(&mut self, key: &Key, patch: &Patch, answer: &Answer, now: Duration) -> Option<Note> {
        let entry = self.entries.get_mut(key)?;
        entry.is_under_way = false;
        match answer {
            Answer::Patched { version } => entry.confirmed(patch, version, now),
            Answer::Conflict { version } => entry.outdated(patch, version.clone()),
            Answer::Gone => entry.outdated(patch, None),
            // Another wish has not been tried yet.
            _ if !entry.wants(patch) => {}
            Answer::Reverted(_) => entry.reverted(now, self.waits.after(self.waits.longest, key)),
            Answer::Refused { .. } => entry.failed(now, self.waits.after(self.waits.longest, key)),
            Answer::Unreachable => entry.failed(now, self.waits.after(self.waits.unreachable, key)),
            Answer::Cancelled => {}
        }
        let note = match answer {
            Answer::Patched { .. } => answer::updated(patch),
            Answer::Refused { reason } => Some(answer::refused(patch, reason)),
            Answer::Reverted(reverted) => entry.tell(SAID_AT).map(|times| answer::reverted(patch, reverted, times)),
            _ => None,
        };
        self.arrange(key, now);
        note
    }

    /// Takes the next note to say.
    pub fn take_note(&mut self) -> Option<(Key, Note)> {
        let (_, key) = self.unsaid.pop_first()?;
        let entry = self.entries.get_mut(&key)?;
        entry.unsaid = None;
        let note = entry.plan.note.clone()?;
        entry.said = Some(note.clone());
        Some((key, note))
    }

    /// Takes back a note of [`Self::take_note`] or [`Self::finished`] that could not be reported: it is due again.
    pub fn unsay(&mut self, key: &Key, now: Duration) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.unsay();
        }
        self.arrange(key, now);
    }

    /// Returns the number of objects in each condition.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// For how long the oldest object that still waits for a patch has asked for one.
    pub fn oldest(&self, now: Duration) -> Duration {
        self.counts.oldest().map_or(Duration::ZERO, |asked| now.saturating_sub(asked))
    }

    /// Brings the queues in line with the entry; forgets an entry that nothing is known of.
    fn arrange(&mut self, key: &Key, now: Duration) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        entry.settle(now);
        let condition = entry.condition();
        self.counts.count(key, &mut entry.counted, condition);
        self.arrange_due(key, now);
        self.arrange_note(key);
        if self.entries.get(key).is_some_and(Entry::is_over) {
            self.entries.remove(key);
        }
    }

    fn arrange_due(&mut self, key: &Key, now: Duration) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        let (due, lane) = (entry.due_at().map(|at| at.max(now)), entry.lane());
        if matches!((due, entry.due), (Some(new), Some(old)) if old.at <= new && old.lane == lane) {
            return;
        }
        if let Some(place) = entry.due.take() {
            self.due.remove(place, key);
        }
        if let Some(at) = due {
            self.turn += 1;
            let place = Place { at, turn: self.turn, lane };
            entry.due = Some(place);
            self.due.insert(place, key.clone());
        }
    }

    fn arrange_note(&mut self, key: &Key) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        match (entry.owes_note(), entry.unsaid) {
            (true, None) => {
                self.turn += 1;
                entry.unsaid = Some(self.turn);
                self.unsaid.insert((self.turn, key.clone()));
            }
            (false, Some(turn)) => {
                entry.unsaid = None;
                self.unsaid.remove(&(turn, key.clone()));
            }
            _ => {}
        }
    }
}

impl Waits {
    /// Doubles with each failure; objects that failed together do not come back together.
    fn after(self, longest: Duration, key: &Key) -> impl Fn(u32) -> Duration {
        let letters = key.namespace.bytes().chain(key.name.bytes());
        let spread = letters.fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % 100;
        move |failures| {
            let doubled = self.first.saturating_mul(1_u32.checked_shl(failures).unwrap_or(u32::MAX)).min(longest);
            doubled + doubled.mul_f64(f64::from(spread) / 400.0)
        }
    }
}
