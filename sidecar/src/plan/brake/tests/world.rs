//! Two replicas, one record, a fleet of twenty objects, and people who release what they are shown.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use plimsoll_contract::moves::Cause;
use plimsoll_contract::placement::Placement;

use super::super::record::Record;
use super::super::{Brake, Pass, Permit, Rules, Stored};
use super::{moving, rules};
use crate::plan::row::Key;

const OBJECTS: usize = 20;

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Policy wants some objects elsewhere.
    Want { first: usize, count: usize, to: u8 },
    /// A replica tries to write each patch.
    Write(usize),
    /// A replica writes its record, or reads it.
    Save(usize),
    /// The leader does all it can.
    Work,
    /// A replica takes the Lease.
    Lead(usize),
    /// A replica starts again.
    Restart(usize),
    /// An object moves at admission.
    Admit { object: usize, to: u8 },
    /// The record can be reached, or cannot.
    Reach(bool),
    /// Somebody releases what was shown last of this cause.
    Release(usize),
    /// Somebody writes something else into the record's object.
    Edit,
    /// Time passes.
    Pass(u64),
}

pub(super) struct World {
    now: Duration,
    stands: Vec<u8>,
    wants: Vec<u8>,
    replicas: [Replica; 2],
    leader: usize,
    record: Record,
    version: u64,
    release: String,
    is_reached: bool,
    /// When which objects were moved, and counted.
    counted: Vec<(Duration, usize)>,
    /// Object and aim of every move that somebody released.
    released: BTreeSet<(usize, u8)>,
    /// The same of those that were shown, by name.
    shown: BTreeMap<String, BTreeSet<(usize, u8)>>,
}

struct Replica {
    brake: Brake,
    /// The version of the record that it knows.
    version: Option<u64>,
}

fn place(number: u8) -> String {
    char::from(b'a' + number).to_string()
}

impl World {
    pub(super) fn new() -> Self {
        let replica = |name| Replica { brake: Brake::new(rules(), name), version: None };
        let mut world = Self {
            now: Duration::from_secs(1_000_000),
            stands: vec![0; OBJECTS],
            wants: vec![0; OBJECTS],
            replicas: [replica("r0"), replica("r1")],
            leader: 0,
            record: Record::default(),
            version: 0,
            release: String::new(),
            is_reached: true,
            counted: Vec::new(),
            released: BTreeSet::new(),
            shown: BTreeMap::new(),
        };
        world.tell();
        world
    }

    pub(super) fn step(&mut self, step: Step) {
        match step {
            Step::Want { first, count, to } => {
                self.wants.iter_mut().skip(first).take(count).for_each(|want| *want = to);
                self.tell();
            }
            Step::Write(replica) if replica == self.leader => self.write(),
            Step::Save(replica) if replica == self.leader => self.save(),
            Step::Write(_) | Step::Save(_) => {}
            Step::Work => {
                self.save();
                self.write();
                self.save();
                self.write();
            }
            Step::Lead(replica) if replica != self.leader => {
                self.replicas[self.leader].brake.leave();
                self.replicas[self.leader].version = None;
                self.leader = replica;
            }
            Step::Lead(_) => {}
            Step::Restart(replica) => {
                self.replicas[replica] = Replica { brake: Brake::new(rules(), &format!("r{replica}")), version: None };
                self.tell();
            }
            Step::Admit { object, to } => {
                (self.stands[object], self.wants[object]) = (to, to);
                self.tell();
            }
            Step::Reach(is_reached) => self.is_reached = is_reached,
            Step::Release(which) => self.release(which),
            Step::Edit => self.version += 1,
            Step::Pass(seconds) => {
                self.now += Duration::from_secs(seconds);
                let now = self.now;
                self.replicas.iter_mut().for_each(|replica| replica.brake.settle(true, now));
            }
        }
    }

    fn row(&self, object: usize) -> Placement {
        let (from, to) = (place(self.stands[object]), place(self.wants[object]));
        let cause = Cause::Policy { from: String::new(), to: format!("sha256:{to}") };
        moving(&format!("{object:02}"), &from, &to, cause)
    }

    fn tell(&mut self) {
        let rows: Vec<Placement> = (0..OBJECTS).map(|object| self.row(object)).collect();
        let now = self.now;
        self.replicas.iter_mut().for_each(|replica| replica.brake.observe_all(&rows, now));
    }

    fn write(&mut self) {
        for object in 0..OBJECTS {
            if self.stands[object] == self.wants[object] {
                continue;
            }
            let permit = self.replicas[self.leader].brake.permit(&Key::of(&self.row(object)), self.now);
            let Permit::Go(pass) = permit else { continue };
            match pass {
                Pass::Counted => self.counted.push((self.now, object)),
                Pass::Released => assert!(self.released.contains(&(object, self.wants[object])), "nobody released {object}"),
                other => panic!("{other:?} of a move"),
            }
            self.stands[object] = self.wants[object];
            self.tell();
        }
    }

    /// As the keeper of the record does it: what it knows is compared, and what another wrote is read first.
    fn save(&mut self) {
        let Replica { brake, version } = &mut self.replicas[self.leader];
        if !self.is_reached {
            return brake.stored(Stored::Failed("out of reach".into()), self.now);
        }
        if *version != Some(self.version) {
            *version = Some(self.version);
        } else if let Some(record) = brake.record(self.now) {
            self.version += 1;
            *version = Some(self.version);
            for shown in &record.shown {
                let move_of = |example: &super::super::record::MoveRecord| {
                    let object = example.object.rsplit('/').next().unwrap().parse().unwrap();
                    (object, example.to[0].bytes().next().unwrap() - b'a')
                };
                self.shown.insert(shown.id.clone(), shown.examples.iter().map(move_of).collect());
            }
            self.record = record;
        }
        brake.stored(Stored::Read { record: self.record.clone(), release: self.release.clone() }, self.now);
        brake.freed();
    }

    fn release(&mut self, which: usize) {
        let Some(shown) = self.record.shown.get(which % self.record.shown.len().max(1)) else { return };
        self.released.extend(self.shown[&shown.id].iter().copied());
        self.release = shown.id.clone();
        self.version += 1;
    }

    /// The world behaves from now on: everything comes to where it is wanted, and never too much was moved.
    pub(super) fn ends(mut self) {
        self.is_reached = true;
        for turn in 0..200 {
            if self.stands == self.wants {
                break;
            }
            self.step(Step::Save(self.leader));
            self.step(Step::Write(self.leader));
            self.step(Step::Save(self.leader));
            self.step(Step::Release(turn));
            self.step(Step::Pass(7));
        }
        assert_eq!(self.stands, self.wants, "something is stuck: {:?}", self.record);
        self.within_limits();
    }

    fn within_limits(&self) {
        let Rules { share, floor, window, .. } = rules();
        let limit = (OBJECTS * usize::try_from(share).unwrap() / 10_000).max(floor);
        for (at, _) in &self.counted {
            let since = at.saturating_sub(window);
            let within: BTreeSet<usize> =
                self.counted.iter().filter(|(time, _)| *time > since && time <= at).map(|(_, object)| *object).collect();
            assert!(within.len() <= limit, "{} objects moved within {window:?}", within.len());
        }
    }
}
