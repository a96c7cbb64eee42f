//! A small API server, a mirror that lags, and the checks that hold at every step.

mod checks;
mod server;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::Mode;
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::placement::Placement;

use crate::plan::answer::Answer;
use crate::plan::note::Reason;
use crate::plan::queue::{Queue, Waits};
use crate::plan::row::tests::row;
use crate::plan::row::{Key, Patch};

pub(super) const OBJECTS: usize = 3;
const KEY: &str = "example/key";
const WAITS: Waits = Waits {
    first: Duration::from_secs(1),
    longest: Duration::from_secs(60),
    unreachable: Duration::from_secs(30),
    grace: Duration::from_secs(30),
};

/// Something happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Policy or fleet changes what is wanted of an object.
    Want(usize, u32),
    /// The mirror catches up on an object.
    Replicate(usize),
    /// A controller writes the object's status.
    Status(usize),
    /// Somebody writes the annotation.
    Tamper(usize, u32),
    OtherReplicaWrites(usize),
    DeleteOrCreate(usize),
    /// The next patch is sent, if one is due.
    Write,
    /// One of those under way is answered.
    Answer(usize, Way),
    LoseFeed,
    List,
    /// A new process: what is under way is forgotten.
    Restart,
    Lead(bool),
    Pass(Duration),
}

/// How the API server treats a patch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    Honest,
    /// A webhook puts the old value back, be it with a change of something else.
    Undone {
        bumps: bool,
    },
    Refused,
    Lost,
    WrittenAndLost,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    uid: u32,
    version: u64,
    /// Counts all changes but the status'.
    content: u64,
    value: u32,
}

type Flight = (Key, Patch);

/// Everything.
pub(super) struct World {
    now: Duration,
    version: u64,
    stored: Vec<Option<Object>>,
    mirrored: Vec<Option<Object>>,
    wanted: Vec<u32>,
    queue: Queue,
    is_fed: bool,
    leads: bool,
    flights: Vec<Flight>,
    /// Writes whose answer showed them, and when.
    patched: BTreeMap<(String, String, String), Duration>,
    /// Reverts in a row.
    reverts: BTreeMap<String, u32>,
    told: usize,
}

impl World {
    pub(super) fn new() -> Self {
        let object = |number: usize| Object { uid: number as u32, version: number as u64 + 1, content: 0, value: 0 };
        let stored: Vec<Option<Object>> = (0..OBJECTS).map(|number| Some(object(number))).collect();
        let mut world = Self {
            now: Duration::from_secs(1000),
            version: 100,
            mirrored: stored.clone(),
            stored,
            wanted: vec![0; OBJECTS],
            queue: Queue::new(WAITS),
            is_fed: false,
            leads: true,
            flights: vec![],
            patched: BTreeMap::new(),
            reverts: BTreeMap::new(),
            told: 0,
        };
        world.step(Step::List);
        world
    }

    /// How often it was said that a patch is undone.
    pub(super) fn told(&self) -> usize {
        self.told
    }

    pub(super) fn step(&mut self, step: Step) {
        self.happens(step);
        self.check();
    }

    fn happens(&mut self, step: Step) {
        match step {
            Step::Want(number, value) => {
                self.wanted[number] = value;
                self.tell(number);
            }
            Step::Replicate(number) => {
                self.mirrored[number] = self.stored[number].clone();
                self.tell(number);
            }
            Step::Status(number) => self.change(number, |_| {}),
            Step::Tamper(number, value) => self.set(number, value),
            Step::OtherReplicaWrites(number) => self.set(number, self.wanted[number]),
            Step::DeleteOrCreate(number) => self.delete_or_create(number),
            Step::Write => self.write(),
            Step::Answer(flight, way) => self.answer(flight, way),
            Step::LoseFeed => self.is_fed = false,
            Step::List => self.list(),
            Step::Restart => self.restart(),
            Step::Lead(leads) => self.leads = leads,
            Step::Pass(time) => self.now += time,
        }
    }

    // --- the engine ---

    fn row(&self, number: usize) -> Option<Placement> {
        let object = self.mirrored[number].as_ref()?;
        let wanted = self.wanted[number];
        let patch = (object.value != wanted).then(|| (KEY.to_owned(), Some(wanted.to_string())));
        Some(Placement {
            name: number.to_string(),
            uid: object.uid.to_string(),
            resource_version: object.version.to_string(),
            seen: Some(object.content.to_string()).filter(|_| number != 1),
            patch: Arc::new(patch.into_iter().collect()),
            ..row(Outcome::Place, Mode::Auto, true)
        })
    }

    fn tell(&mut self, number: usize) {
        match self.row(number) {
            _ if !self.is_fed => {}
            Some(row) => drop(self.queue.observe(&row, self.now)),
            None => {
                let named = Placement { name: number.to_string(), ..row(Outcome::Place, Mode::Auto, true) };
                self.queue.forget(&Key::of(&named), self.now);
            }
        }
    }

    fn list(&mut self) {
        self.is_fed = true;
        let rows: Vec<Placement> = (0..OBJECTS).filter_map(|number| self.row(number)).collect();
        self.queue.observe_all(&rows, self.now);
    }

    // --- the sidecar ---

    fn write(&mut self) {
        if !self.is_fed || !self.leads {
            return;
        }
        let Some((key, patch)) = self.queue.take(self.now) else { return };
        assert!(self.flights.iter().all(|(other, _)| *other != key), "two writes under way for {key:?}");
        if let Some(at) = self.patched.get(&state(&patch)) {
            assert!(self.now >= *at + WAITS.grace, "a second write for one state: {patch:?}");
        }
        self.flights.push((key, patch));
    }

    fn answer(&mut self, flight: usize, way: Way) {
        if self.flights.is_empty() {
            return;
        }
        let (key, patch) = self.flights.swap_remove(flight % self.flights.len());
        let answer = match way {
            Way::Honest | Way::Undone { .. } => self.patch(&patch, way),
            Way::Refused => Answer::Refused { reason: "no".into() },
            Way::Lost => Answer::Unreachable,
            Way::WrittenAndLost => {
                self.patch(&patch, Way::Honest);
                Answer::Unreachable
            }
            Way::Cancelled => Answer::Cancelled,
        };
        let reverts = self.reverts.entry(key.name.clone()).or_default();
        match &answer {
            Answer::Patched { .. } => {
                *reverts = 0;
                self.patched.insert(state(&patch), self.now);
            }
            Answer::Reverted(_) => *reverts += 1,
            _ => {}
        }
        let (reverts, note) = (*reverts, self.queue.finished(&key, &patch, &answer, self.now));
        let reason = note.map(|note| note.reason);
        let is_patched = matches!(answer, Answer::Patched { .. });
        assert_eq!(reason == Some(Reason::PlacementUpdated), is_patched, "{answer:?}");
        if reason == Some(Reason::PlacementReverted) {
            assert!(matches!(answer, Answer::Reverted(_)) && reverts >= 3, "{answer:?} {reverts}");
            self.told += 1;
        }
    }

    fn restart(&mut self) {
        self.queue = Queue::new(WAITS);
        self.flights.clear();
        self.patched.clear();
        self.reverts.clear();
        self.list();
    }
}

fn state(patch: &Patch) -> (String, String, String) {
    let wish = format!("{:?}", patch.annotations);
    (patch.subject.uid.clone(), patch.subject.resource_version.clone(), wish)
}
