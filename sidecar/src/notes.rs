//! What is to be said to people, on its way to the API server as Events.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::plan::aggregate::{AggregatedNote, NoteAggregator};
use crate::plan::note::{Note, Reason};
use crate::plan::row::Key;

pub mod causes;
pub mod conflicts;

use causes::Causes;
use conflicts::Conflicts;

/// Notes that wait at once; more are dropped and counted, the periodic pass brings them again.
const MOST: usize = 10_000;
/// Where notes wait. Of one object and reason only the latest does, and many of one reason and cause become one.
#[derive(Clone, Debug)]
pub struct Notes {
    queue: Arc<Mutex<Queue>>,
    wake: Arc<Notify>,
    clock: Instant,
    causes: Causes,
    conflicts: Conflicts,
}

#[derive(Debug, Default)]
struct Queue {
    turn: u64,
    waiting: BTreeMap<u64, Note>,
    turns: HashMap<Topic, u64>,
    aggregator: NoteAggregator,
}

type Topic = (Key, String, Reason);

impl Default for Notes {
    fn default() -> Self {
        Self::new(Causes::default())
    }
}

impl Notes {
    /// `causes` tells where it is said what a cause does to many objects.
    pub fn new(causes: Causes) -> Self {
        Self { queue: Arc::default(), wake: Arc::default(), clock: Instant::now(), causes, conflicts: Conflicts::default() }
    }

    /// Puts a note in the queue; false when it is full.
    #[must_use]
    pub fn say(&self, note: Note) -> bool {
        let was_taken = self.queue.lock().say(note, self.clock.elapsed());
        self.wake.notify_one();
        was_taken
    }

    /// Puts a note back that was popped; false when the queue is full.
    #[must_use]
    pub fn put_back(&self, note: Note) -> bool {
        let was_taken = self.queue.lock().push(note);
        self.wake.notify_one();
        was_taken
    }

    /// Returns a note about many objects, if one is due, else the note that has waited longest; `None` when there is none.
    pub fn pop(&self) -> Option<Note> {
        let mut queue = self.queue.lock();
        let Some(gathered) = queue.aggregator.due(self.clock.elapsed()) else { return queue.pop() };
        let mut notes = self.together(gathered).into_iter();
        let first = notes.next();
        // Where there is no room, the first one speaks for all of them.
        while notes.next().is_some_and(|note| queue.push(note)) {}
        first
    }

    /// Takes back what is said of placements, and returns of which objects: this replica may not write, and when it may again all of it is
    /// old.
    pub fn take_placements_back(&self) -> Vec<Key> {
        let mut queue = self.queue.lock();
        let taken = queue.take(|note| note.reason.is_about_placement());
        let mut keys = queue.aggregator.clear();
        keys.extend(taken.into_iter().flat_map(Note::keys));
        keys
    }

    /// Waits until something is said, or is to be said of many.
    pub async fn news(&self) {
        let due = self.queue.lock().aggregator.next_due();
        match due.map(|due| self.clock + due) {
            Some(due) => drop(timeout_at(due, self.wake.notified()).await),
            None => self.wake.notified().await,
        }
    }

    /// Where causes are.
    pub fn causes(&self) -> &Causes {
        &self.causes
    }

    /// Returns the conflicts between policies in ConfigMaps.
    pub fn conflicts(&self) -> &Conflicts {
        &self.conflicts
    }

    /// One note on each object that the cause is said on; the first speaks for all that are meant.
    fn together(&self, gathered: AggregatedNote) -> Vec<Note> {
        let (sentence, AggregatedNote { reason, cause, objects, example, .. }) = (gathered.sentence(), gathered);
        let mut subjects = self.causes.subjects(cause.as_ref());
        if subjects.is_empty() {
            subjects.push(example);
        }
        let note = |subject| Note::new(subject, reason, sentence.clone()).because(cause.clone());
        let mut notes: Vec<Note> = subjects.into_iter().map(note).collect();
        if let Some(first) = notes.first_mut() {
            first.objects = objects;
        }
        notes
    }
}

impl Queue {
    fn say(&mut self, note: Note, now: Duration) -> bool {
        self.aggregator.take(note, now).is_none_or(|note| self.push(note))
    }

    fn push(&mut self, note: Note) -> bool {
        let topic = topic(&note);
        if let Some(turn) = self.turns.get(&topic) {
            self.waiting.insert(*turn, note);
            return true;
        }
        if self.waiting.len() >= MOST {
            return false;
        }
        self.turn += 1;
        self.turns.insert(topic, self.turn);
        self.waiting.insert(self.turn, note);
        true
    }

    fn take(&mut self, is_taken: impl Fn(&Note) -> bool) -> Vec<Note> {
        let turns: Vec<u64> = self.waiting.iter().filter(|(_, note)| is_taken(note)).map(|(turn, _)| *turn).collect();
        let taken: Vec<Note> = turns.iter().filter_map(|turn| self.waiting.remove(turn)).collect();
        for note in &taken {
            self.turns.remove(&topic(note));
        }
        taken
    }

    fn pop(&mut self) -> Option<Note> {
        let (_, note) = self.waiting.pop_first()?;
        self.turns.remove(&topic(&note));
        Some(note)
    }
}

fn topic(note: &Note) -> Topic {
    (note.subject.key(), note.subject.uid.clone(), note.reason)
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Gvr;
    use plimsoll_contract::moves::Cause;

    use super::*;
    use crate::plan::note::Subject;

    fn note(name: &str, reason: Reason, message: &str) -> Note {
        let subject = Subject {
            gvr: Gvr::try_from("apps/v1/replicasets".to_owned()).unwrap(),
            kind: "ReplicaSet".into(),
            namespace: "n".into(),
            name: name.into(),
            uid: format!("uid-{name}"),
            resource_version: "7".into(),
        };
        Note::new(subject, reason, message.into())
    }

    #[test]
    fn the_queue_is_bounded_and_keeps_the_latest_of_an_object_and_reason() {
        let mut queue = Queue::default();
        assert!(queue.push(note("a", Reason::PlacementSuggested, "one")));
        assert!(queue.push(note("a", Reason::PlacementKept, "two")));
        assert!(queue.push(note("a", Reason::PlacementSuggested, "three")));
        assert_eq!(queue.pop().unwrap().message, "three");
        assert_eq!(queue.pop().unwrap().message, "two");
        assert!(queue.pop().is_none());
        let full = (0..=MOST).filter(|i| queue.push(note(&i.to_string(), Reason::PlacementKept, "x"))).count();
        assert_eq!(full, MOST);
    }

    #[test]
    fn what_is_said_of_placements_is_taken_back_and_what_is_said_of_policies_stays() {
        let notes = Notes::default();
        for reason in [Reason::PlacementUpdated, Reason::PolicyRejected, Reason::PlacementDenied] {
            assert!(notes.say(note("a", reason, "x")));
        }
        let taken: Vec<String> = notes.take_placements_back().into_iter().map(|key| key.name).collect();
        assert_eq!(taken, ["a", "a"]);
        assert!(notes.say(note("a", Reason::PlacementDenied, "again")));
        let left: Vec<Reason> = std::iter::from_fn(|| notes.pop()).map(|note| note.reason).collect();
        assert_eq!(left, [Reason::PolicyRejected, Reason::PlacementDenied]);
    }

    fn suggested(name: &str) -> Note {
        note(name, Reason::PlacementSuggested, "placed on a").because(Some(Cause::First))
    }

    fn drained(notes: &Notes) -> Vec<Note> {
        std::iter::from_fn(|| notes.pop()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn many_suggestions_of_one_cause_are_one_event_on_it_after_the_first_few() {
        let notes = Notes::new(Causes::on("ns", "brake"));
        assert!((0..460).all(|name| notes.say(suggested(&name.to_string()))));
        assert_eq!(drained(&notes).len(), 20);
        // Wakes by itself when more have not come for a while; what woke it before is old.
        notes.news().await;
        notes.news().await;
        let [said] = drained(&notes).try_into().unwrap();
        assert_eq!((said.subject.name.as_str(), said.reason, said.objects.len()), ("brake", Reason::PlacementSuggested, 440));
        assert!(said.message.starts_with("460 objects would be placed"), "{}", said.message);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_gathered_is_taken_back_with_all_else_wherever_it_is() {
        for waits in [false, true] {
            let notes = Notes::new(Causes::on("ns", "brake"));
            assert!((0..30).all(|name| notes.say(suggested(&name.to_string()))));
            assert_eq!(drained(&notes).len(), 20);
            if waits {
                tokio::time::advance(Duration::from_secs(10)).await;
                assert!(notes.put_back(notes.pop().unwrap()), "it could not be written");
            }
            assert_eq!(notes.take_placements_back().len(), 10, "{waits}");
            tokio::time::advance(Duration::from_secs(10)).await;
            assert_eq!(notes.pop(), None);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn two_objects_of_no_known_uid_do_not_displace_each_other() {
        let notes = Notes::default();
        let on = |name| Note::new(Subject::config_map("ns", name), Reason::BrakeOn, "x".into());
        assert!(notes.say(on("a")) && notes.say(on("b")));
        assert_eq!(drained(&notes).len(), 2);
    }
}
