//! What is to be said to people, on its way to the API server as Events.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::plan::note::{Note, Reason};

/// Notes that wait at once; more are dropped and counted, the periodic pass brings them again.
const MOST: usize = 10_000;
/// Where notes wait. Of one object and reason only the latest does.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    queue: Arc<Mutex<Queue>>,
    wake: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Queue {
    turn: u64,
    waiting: BTreeMap<u64, Note>,
    turns: HashMap<(String, Reason), u64>,
}

impl Notes {
    /// Puts a note in the queue; false when it is full.
    #[must_use]
    pub fn say(&self, note: Note) -> bool {
        let was_taken = self.queue.lock().push(note);
        self.wake.notify_one();
        was_taken
    }

    /// The note that has waited longest.
    pub fn pop(&self) -> Option<Note> {
        self.queue.lock().pop()
    }

    /// Takes back what is said of placements: this replica may not write, and when it may again all of it is old.
    pub fn take_placements_back(&self) -> Vec<Note> {
        self.queue.lock().take(|note| note.reason.is_about_placement())
    }

    /// Waits until something is said.
    pub async fn news(&self) {
        self.wake.notified().await;
    }
}

impl Queue {
    fn push(&mut self, note: Note) -> bool {
        let key = (note.subject.uid.clone(), note.reason);
        if let Some(turn) = self.turns.get(&key) {
            self.waiting.insert(*turn, note);
            return true;
        }
        if self.waiting.len() >= MOST {
            return false;
        }
        self.turn += 1;
        self.turns.insert(key, self.turn);
        self.waiting.insert(self.turn, note);
        true
    }

    fn take(&mut self, is_taken: impl Fn(&Note) -> bool) -> Vec<Note> {
        let turns: Vec<u64> = self.waiting.iter().filter(|(_, note)| is_taken(note)).map(|(turn, _)| *turn).collect();
        let taken: Vec<Note> = turns.iter().filter_map(|turn| self.waiting.remove(turn)).collect();
        for note in &taken {
            self.turns.remove(&(note.subject.uid.clone(), note.reason));
        }
        taken
    }

    fn pop(&mut self) -> Option<Note> {
        let (_, note) = self.waiting.pop_first()?;
        self.turns.remove(&(note.subject.uid.clone(), note.reason));
        Some(note)
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Gvr;

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
        let taken: Vec<Reason> = notes.take_placements_back().into_iter().map(|note| note.reason).collect();
        assert_eq!(taken, [Reason::PlacementUpdated, Reason::PlacementDenied]);
        assert!(notes.say(note("a", Reason::PlacementDenied, "again")));
        let left: Vec<Reason> = std::iter::from_fn(|| notes.pop()).map(|note| note.reason).collect();
        assert_eq!(left, [Reason::PolicyRejected, Reason::PlacementDenied]);
    }
}
