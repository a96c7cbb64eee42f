//! What is left to write and to say, object by object: latest row wins, failures wait, nothing is done twice. Pure.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use plimsoll_contract::placement::Placement;

use super::note::Note;
use super::row::{Key, Patch, Plan, plan};
use crate::results::{RowEnd, WriteEnd};

/// After a first failed write.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// After many.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The queue. Times are those of any clock that does not run backwards.
#[derive(Debug, Default)]
pub struct Queue {
    entries: HashMap<Key, Entry>,
    due: BTreeSet<(Duration, u64, Key)>,
    unsaid: BTreeSet<(u64, Key)>,
    turn: u64,
}

#[derive(Debug, Default)]
struct Entry {
    plan: Plan,
    /// In `due` under these.
    due: Option<(Duration, u64)>,
    /// In `unsaid` under this.
    unsaid: Option<u64>,
    is_under_way: bool,
    failures: u32,
    /// The patch that was written.
    written: Option<Patch>,
    /// The patch that was dropped because the object is newer, or gone.
    dropped: Option<Patch>,
    /// The note that was said last.
    said: Option<Note>,
}

impl Entry {
    fn owes_patch(&self) -> bool {
        let patch = &self.plan.patch;
        patch.is_some() && *patch != self.written && *patch != self.dropped && !self.is_under_way
    }

    fn owes_note(&self) -> bool {
        match (&self.plan.note, &self.said) {
            (Some(note), Some(said)) => !is_same(note, said),
            (note, _) => note.is_some(),
        }
    }
}

/// A newer version of the object is no news.
fn is_same(one: &Note, other: &Note) -> bool {
    (&one.subject.uid, one.reason, &one.message) == (&other.subject.uid, other.reason, &other.message)
}

impl Queue {
    /// A row is new or changed.
    pub fn observe(&mut self, row: &Placement, now: Duration) -> RowEnd {
        let (key, plan) = (Key::of(row), plan(row));
        let end = match (&plan.patch, &plan.note) {
            (Some(_), _) => RowEnd::Patch,
            (None, Some(_)) => RowEnd::Note,
            (None, None) => RowEnd::Nothing,
        };
        let entry = self.entries.entry(key.clone()).or_default();
        if entry.plan.patch != plan.patch {
            entry.failures = 0;
        }
        if plan.note.is_none() {
            // When it comes again, it is news again.
            entry.said = None;
        }
        entry.plan = plan;
        self.arrange(&key, now);
        end
    }

    /// The object is gone.
    pub fn forget(&mut self, key: &Key) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.plan = Plan::default();
            entry.said = None;
        }
        self.arrange(key, Duration::ZERO);
    }

    /// The whole table: what is not in it is gone, and what was dropped is looked at again.
    pub fn observe_all(&mut self, rows: &[Placement], now: Duration) -> Vec<RowEnd> {
        let present: HashSet<Key> = rows.iter().map(Key::of).collect();
        let gone: Vec<Key> = self.entries.keys().filter(|key| !present.contains(*key)).cloned().collect();
        gone.iter().for_each(|key| self.forget(key));
        self.entries.values_mut().for_each(|entry| entry.dropped = None);
        rows.iter().map(|row| self.observe(row, now)).collect()
    }

    /// A patch is due at `now`.
    pub fn is_due(&self, now: Duration) -> bool {
        self.due.first().is_some_and(|(at, ..)| *at <= now)
    }

    /// When the next patch is due.
    pub fn next_due(&self) -> Option<Duration> {
        self.due.first().map(|(at, ..)| *at)
    }

    /// Takes the patch that has waited longest; [`Self::finished`] must follow.
    pub fn take(&mut self, now: Duration) -> Option<(Key, Patch)> {
        let (at, turn, key) = self.due.pop_first()?;
        if at > now {
            self.due.insert((at, turn, key));
            return None;
        }
        let entry = self.entries.get_mut(&key)?;
        entry.due = None;
        let patch = entry.plan.patch.clone()?;
        entry.is_under_way = true;
        Some((key, patch))
    }

    /// How the write of `patch` ended.
    pub fn finished(&mut self, key: &Key, patch: Patch, end: WriteEnd, now: Duration) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        entry.is_under_way = false;
        let mut due = now;
        match end {
            WriteEnd::Patched => entry.written = Some(patch),
            // Decided again when the newer object is replicated.
            WriteEnd::Conflict | WriteEnd::Gone => entry.dropped = Some(patch),
            WriteEnd::Refused | WriteEnd::Unreachable => {
                due = now + wait(entry.failures, key);
                entry.failures = entry.failures.saturating_add(1);
            }
            WriteEnd::Cancelled => {}
        }
        self.arrange(key, due);
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

    /// The note was not said after all.
    pub fn unsay(&mut self, key: &Key) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.said = None;
        }
        self.arrange(key, Duration::ZERO);
    }

    /// Objects that wait for a patch.
    pub fn pending(&self) -> usize {
        self.due.len()
    }

    /// Brings the queues in line with the entry; forgets an entry that nothing is known of.
    fn arrange(&mut self, key: &Key, due: Duration) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        match (entry.owes_patch(), entry.due) {
            (true, None) => {
                self.turn += 1;
                entry.due = Some((due, self.turn));
                self.due.insert((due, self.turn, key.clone()));
            }
            (false, Some((at, turn))) => {
                entry.due = None;
                self.due.remove(&(at, turn, key.clone()));
            }
            _ => {}
        }
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
        if !entry.is_under_way && entry.plan == Plan::default() {
            self.entries.remove(key);
        }
    }
}

/// Doubles with each failure; objects that failed together do not come back together.
fn wait(failures: u32, key: &Key) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(1_u32.checked_shl(failures).unwrap_or(u32::MAX)).min(LONGEST_WAIT);
    let spread = key.namespace.bytes().chain(key.name.bytes()).fold(0_u32, |sum, byte| sum.wrapping_mul(31) + u32::from(byte));
    doubled + doubled.mul_f64(f64::from(spread % 100) / 400.0)
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Mode;
    use plimsoll_contract::outcome::Outcome;

    use super::super::row::tests::row;
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn named(name: &str, version: &str) -> Placement {
        Placement { name: name.into(), resource_version: version.into(), ..row(Outcome::Place, Mode::Auto, true) }
    }

    fn denied(name: &str, version: &str) -> Placement {
        let outcome = Outcome::Denied { errors: vec!["no".into()] };
        Placement { outcome, ..named(name, version) }
    }

    fn names(queue: &mut Queue, now: Duration) -> Vec<String> {
        std::iter::from_fn(|| queue.take(now)).map(|(key, _)| key.name).collect()
    }

    #[test]
    fn each_object_is_written_once_in_order_and_the_latest_row_wins() {
        let mut queue = Queue::default();
        queue.observe(&named("a", "1"), NOW);
        queue.observe(&named("b", "1"), NOW);
        queue.observe(&named("a", "2"), NOW);
        let (key, patch) = queue.take(NOW).unwrap();
        assert_eq!((key.name.as_str(), patch.subject.resource_version.as_str()), ("a", "2"));
        assert_eq!(names(&mut queue, NOW), ["b"]);
    }

    #[test]
    fn t04_a_patch_that_was_written_is_not_written_again_until_the_object_changes() {
        let mut queue = Queue::default();
        queue.observe(&named("a", "1"), NOW);
        let (key, patch) = queue.take(NOW).unwrap();
        queue.finished(&key, patch, WriteEnd::Patched, NOW);
        queue.observe_all(&[named("a", "1")], NOW);
        assert!(!queue.is_due(NOW), "the periodic pass came before the replication");
        let settled = Placement { patch: Default::default(), ..named("a", "2") };
        queue.observe(&settled, NOW);
        assert_eq!((queue.pending(), queue.entries.len()), (0, 0), "our own patch asks for nothing");
        queue.observe(&named("a", "3"), NOW);
        assert!(queue.is_due(NOW));
    }

    #[test]
    fn a_conflict_is_dropped_until_the_newer_object_is_decided() {
        let mut queue = Queue::default();
        queue.observe(&named("a", "1"), NOW);
        let (key, patch) = queue.take(NOW).unwrap();
        queue.finished(&key, patch, WriteEnd::Conflict, NOW);
        assert!(!queue.is_due(NOW + LONGEST_WAIT));
        queue.observe(&named("a", "2"), NOW);
        assert_eq!(names(&mut queue, NOW), ["a"]);
    }

    #[test]
    fn the_periodic_pass_looks_again_at_what_was_dropped() {
        let mut queue = Queue::default();
        queue.observe(&named("a", "1"), NOW);
        let (key, patch) = queue.take(NOW).unwrap();
        queue.finished(&key, patch, WriteEnd::Conflict, NOW);
        queue.observe(&named("a", "1"), NOW);
        assert!(!queue.is_due(NOW));
        queue.observe_all(&[named("a", "1")], NOW);
        assert_eq!(names(&mut queue, NOW), ["a"]);
    }

    #[test]
    fn a_failure_waits_longer_each_time_and_a_newer_row_starts_again() {
        let mut queue = Queue::default();
        queue.observe(&named("a", "1"), NOW);
        let mut now = NOW;
        let mut waits = Vec::new();
        for _ in 0..12 {
            let (key, patch) = queue.take(now).unwrap();
            queue.finished(&key, patch, WriteEnd::Unreachable, now);
            let due = queue.next_due().unwrap();
            waits.push(due - now);
            now = due;
        }
        assert!(waits[0] >= FIRST_WAIT && waits[0] < FIRST_WAIT * 2, "{waits:?}");
        assert!(waits.is_sorted() && waits[11] >= LONGEST_WAIT, "{waits:?}");
        let (key, patch) = queue.take(now).unwrap();
        queue.observe(&named("a", "2"), now);
        queue.finished(&key, patch, WriteEnd::Conflict, now);
        assert!(queue.is_due(now), "the newer row is due at once");
    }

    #[test]
    fn a_row_that_changes_while_a_write_is_under_way_is_written_after_it_and_never_beside_it() {
        let mut queue = Queue::default();
        queue.observe(&named("a", "1"), NOW);
        let (key, patch) = queue.take(NOW).unwrap();
        queue.observe(&named("a", "2"), NOW);
        assert!(!queue.is_due(NOW));
        queue.finished(&key, patch, WriteEnd::Patched, NOW);
        assert_eq!(queue.take(NOW).unwrap().1.subject.resource_version, "2");
    }

    #[test]
    fn a_cancelled_write_is_due_again() {
        let mut queue = Queue::default();
        queue.observe(&named("a", "1"), NOW);
        let (key, patch) = queue.take(NOW).unwrap();
        queue.finished(&key, patch, WriteEnd::Cancelled, NOW);
        assert!(queue.is_due(NOW));
    }

    #[test]
    fn an_object_that_is_gone_is_neither_written_nor_spoken_of() {
        let mut queue = Queue::default();
        queue.observe(&named("a", "1"), NOW);
        queue.observe(&denied("b", "1"), NOW);
        queue.observe_all(&[], NOW);
        assert!(queue.take(NOW).is_none() && queue.take_note().is_none());
        assert!(queue.entries.is_empty());
    }

    #[test]
    fn t15_a_note_is_said_once_per_content_and_again_when_it_comes_back() {
        let mut queue = Queue::default();
        queue.observe(&denied("a", "1"), NOW);
        assert_eq!(queue.take_note().unwrap().0.name, "a");
        queue.observe(&denied("a", "2"), NOW);
        assert!(queue.take_note().is_none(), "a newer version of the object is no news");
        let other = Placement { outcome: Outcome::Denied { errors: vec!["else".into()] }, ..denied("a", "2") };
        queue.observe(&other, NOW);
        assert!(queue.take_note().is_some(), "another error is");
        queue.observe(&Placement { patch: Default::default(), ..named("a", "3") }, NOW);
        queue.observe(&other, NOW);
        let (key, _) = queue.take_note().unwrap();
        queue.unsay(&key);
        assert!(queue.take_note().is_some(), "what could not be said is said later");
    }
}
