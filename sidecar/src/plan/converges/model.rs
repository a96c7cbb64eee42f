//! A small API server, a mirror that lags, and the checks that hold at every step.

use std::collections::BTreeMap;
use std::time::Duration;

use plimsoll_contract::kind::Mode;
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::placement::Placement;

use crate::plan::answer::{Answer, Reverted};
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
const RESYNC: u64 = 60;
/// The longest wait with its jitter, then a grace time and the list after it.
const CONVERGED: u64 = 60 * 5 / 4 + 30 + RESYNC + 5;

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

    /// From now on nobody misbehaves: all is as wanted after a bounded time, and then nothing is written any more.
    pub(super) fn behaves(&mut self) {
        self.step(Step::Lead(true));
        self.step(Step::List);
        let converged = (0..CONVERGED).any(|second| {
            self.behave(second);
            self.is_as_wanted() && self.queue.counts().pending == 0
        });
        assert!(converged, "not as wanted: stored {:?}, wanted {:?}, queue {:?}", self.stored, self.wanted, self.queue);
        let before = self.stored.clone();
        (0..3 * RESYNC).for_each(|second| self.behave(second));
        assert_eq!(self.stored, before, "a settled fleet is not written");
        let counts = self.queue.counts();
        assert_eq!((counts.pending, counts.reverted, self.queue.oldest(self.now)), (0, 0, Duration::ZERO));
    }

    fn behave(&mut self, second: u64) {
        self.happens(Step::Pass(Duration::from_secs(1)));
        (0..OBJECTS).for_each(|number| self.happens(Step::Replicate(number)));
        if second % RESYNC == RESYNC - 1 {
            self.happens(Step::List);
        }
        (0..OBJECTS).for_each(|_| self.happens(Step::Write));
        while !self.flights.is_empty() {
            self.happens(Step::Answer(0, Way::Honest));
        }
        self.check();
    }

    fn is_as_wanted(&self) -> bool {
        let pairs = self.stored.iter().zip(&self.wanted);
        pairs.into_iter().all(|(object, wanted)| object.as_ref().is_none_or(|object| object.value == *wanted))
    }

    // --- the API server ---

    fn change(&mut self, number: usize, change: impl FnOnce(&mut Object)) {
        self.version += 1;
        if let Some(object) = &mut self.stored[number] {
            change(object);
            object.version = self.version;
        }
    }

    fn set(&mut self, number: usize, value: u32) {
        self.change(number, |object| {
            object.value = value;
            object.content += 1;
        });
    }

    fn delete_or_create(&mut self, number: usize) {
        self.version += 1;
        self.stored[number] = match self.stored[number] {
            Some(_) => None,
            None => Some(Object { uid: self.version as u32, version: self.version, content: 0, value: 0 }),
        };
    }

    /// As the API server and [`crate::write::apply`] do it together.
    fn patch(&mut self, patch: &Patch, way: Way) -> Answer {
        let number: usize = patch.subject.name.parse().unwrap();
        let Some(object) = self.stored[number].clone() else { return Answer::Gone };
        let is_same = patch.subject.uid == object.uid.to_string() && patch.seen == Some(object.content.to_string());
        if object.version.to_string() != patch.subject.resource_version && !is_same {
            return Answer::Conflict { version: (number != 0).then(|| object.version.to_string()) };
        }
        let value: u32 = patch.annotations[KEY].as_ref().unwrap().parse().unwrap();
        if let Way::Undone { bumps } = way
            && object.value != value
        {
            if bumps {
                self.change(number, |object| object.content += 1);
            }
            return Answer::Reverted(Reverted { keys: vec![KEY.into()], managers: vec![] });
        }
        if object.value != value {
            self.set(number, value);
        }
        Answer::Patched { version: self.stored[number].as_ref().unwrap().version.to_string() }
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
            patch: patch.into_iter().collect(),
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

    /// Holds at every step: an object that asks is counted, unless an answer showed it written.
    fn check(&mut self) {
        let counts = self.queue.counts();
        let asking = |number: &usize| self.row(*number).is_some_and(|row| !row.patch.is_empty());
        let most = (0..OBJECTS).filter(asking).count();
        let was_written =
            |number: &usize| self.patched.keys().any(|(uid, ..)| self.row(*number).is_some_and(|row| row.uid == *uid));
        let least = (0..OBJECTS).filter(asking).filter(|number| !was_written(number)).count();
        if self.is_fed {
            assert!((least..=most).contains(&counts.pending), "{least} <= {} <= {most}", counts.pending);
        }
        assert!(counts.reverted <= counts.pending);
        assert_eq!(counts.pending == 0, self.queue.oldest(self.now + Duration::from_secs(1)).is_zero());
        self.check_not_idle();
    }

    /// Whatever asks is written in finite time: it is under way, or the next list after the grace finds it due.
    fn check_not_idle(&self) {
        let mut later = self.queue.clone();
        let (listed, at_last) = (self.now + WAITS.grace, self.now + WAITS.grace + WAITS.longest * 5 / 4);
        let rows: Vec<Placement> = (0..OBJECTS).filter_map(|number| self.row(number)).collect();
        later.observe_all(&rows, listed);
        let due: Vec<Key> = std::iter::from_fn(|| later.take(at_last)).map(|(key, _)| key).collect();
        for row in rows.iter().filter(|row| !row.patch.is_empty()) {
            let key = Key::of(row);
            let is_under_way = self.flights.iter().any(|(other, _)| *other == key);
            assert!(is_under_way || due.contains(&key), "{key:?} asks, and nothing will be done: {:?}", self.queue);
        }
    }
}

fn state(patch: &Patch) -> (String, String, String) {
    let wish = format!("{:?}", patch.annotations);
    (patch.subject.uid.clone(), patch.subject.resource_version.clone(), wish)
}
