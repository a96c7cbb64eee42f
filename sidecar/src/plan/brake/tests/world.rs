//! Two replicas, one record, a fleet of twenty objects, and people who release what they are shown.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use plimsoll_contract::moves::Cause;
use plimsoll_contract::placement::Placement;

use super::super::kept::{DesiredRecord, Found, Kept, ObservedRecord, Requests};
use super::super::record::Record;
use super::super::{Brake, Pass, Permit, Rules};
use super::{moving, rules};
use crate::plan::answer::Answer;
use crate::plan::queue::{Queue, Waits};

const OBJECTS: usize = 20;

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Policy wants some objects elsewhere.
    Want { first: usize, count: usize, to: u8 },
    /// A replica writes what it may.
    Write(usize),
    /// A replica reads the record's object,
    Read(usize),
    /// … and writes it, if it is to be written.
    Put(usize),
    /// The leader does all it can.
    Work,
    /// A replica takes the Lease.
    Lead(usize),
    /// A replica starts again.
    Restart(usize),
    /// An object moves at admission.
    Admit { object: usize, to: u8 },
    /// The API server takes the patches of an object, or does not.
    Take { object: usize, is_taken: bool },
    /// The record can be reached, or cannot.
    Reach(bool),
    /// Somebody releases what was shown last of this cause.
    Release(usize),
    /// Somebody writes something else into the record's object,
    Edit,
    /// … or takes the record out of it.
    Remove,
    /// Time passes.
    Pass(u64),
}

pub(super) struct World {
    now: Duration,
    stands: Vec<u8>,
    wants: Vec<u8>,
    /// Of the objects.
    versions: Vec<u64>,
    replicas: [Replica; 2],
    leader: usize,
    record: Option<Record>,
    version: u64,
    release: String,
    is_reached: bool,
    /// Whose patches are refused.
    refused: BTreeSet<usize>,
    /// When which objects were moved, and counted.
    counted: Vec<(Duration, usize)>,
    /// Object and aim of every move that somebody released.
    released: BTreeSet<(usize, u8)>,
    /// The same of those that were shown, by name.
    shown: BTreeMap<String, BTreeSet<(usize, u8)>>,
}

/// A brake with its queue, the keeper of its record, and what lies between them.
struct Replica {
    brake: Brake,
    queue: Queue,
    kept: Kept,
    is_leading: bool,
    desired: DesiredRecord,
    observed: Option<ObservedRecord>,
    is_new: bool,
    /// The desired record that the keeper has at hand, and what it read.
    read: Option<(DesiredRecord, Found)>,
}

impl Replica {
    fn new(name: &str) -> Self {
        let second = Duration::from_secs(1);
        let waits = Waits { first: second, longest: second, unreachable: second, grace: second };
        Self {
            brake: Brake::new(rules(), name),
            queue: Queue::new(waits),
            kept: Kept::default(),
            is_leading: false,
            desired: DesiredRecord::default(),
            observed: None,
            is_new: false,
            read: None,
        }
    }

    fn tell(&mut self, observed: ObservedRecord) {
        if self.observed.as_ref() != Some(&observed) {
            (self.observed, self.is_new) = (Some(observed), true);
        }
    }

    /// As the remediator looks at its brake.
    fn look(&mut self, is_leading: bool, now: Duration) {
        match (std::mem::replace(&mut self.is_leading, is_leading), is_leading) {
            (false, true) => self.brake.lead(),
            (true, false) => self.brake.leave(),
            _ => {}
        }
        let is_new = std::mem::take(&mut self.is_new);
        if let Some(observed) = self.observed.clone().filter(|_| is_new && is_leading) {
            self.brake.observe_record(observed, now);
        }
        self.brake.settle(true, now);
        if let Some(desired) = self.brake.desired(now).filter(|_| is_leading) {
            self.desired = desired;
        }
        let freed = self.brake.freed();
        self.queue.unpark(&freed, now);
    }
}

fn place(number: u8) -> String {
    char::from(b'a' + number).to_string()
}

impl World {
    pub(super) fn new() -> Self {
        let mut world = Self {
            now: Duration::from_secs(1_000_000),
            stands: vec![0; OBJECTS],
            wants: vec![0; OBJECTS],
            versions: vec![1; OBJECTS],
            replicas: [Replica::new("r0"), Replica::new("r1")],
            leader: 0,
            record: None,
            version: 0,
            release: String::new(),
            is_reached: true,
            refused: BTreeSet::new(),
            counted: Vec::new(),
            released: BTreeSet::new(),
            shown: BTreeMap::new(),
        };
        (0..2).for_each(|replica| world.list(replica));
        world
    }

    pub(super) fn step(&mut self, step: Step) {
        match step {
            Step::Want { first, count, to } => {
                self.wants.iter_mut().skip(first).take(count).for_each(|want| *want = to);
                (first..OBJECTS.min(first + count)).for_each(|object| self.tell(object));
            }
            Step::Write(replica) if replica == self.leader => self.write(),
            Step::Write(_) => {}
            Step::Read(replica) => self.read(replica),
            Step::Put(replica) => self.put(replica),
            Step::Work => (0..2).for_each(|_| {
                self.write();
                self.read(self.leader);
                self.put(self.leader);
                self.write();
            }),
            Step::Lead(replica) => self.leader = replica,
            Step::Restart(replica) => {
                self.replicas[replica] = Replica::new(&format!("r{replica}"));
                self.list(replica);
            }
            Step::Admit { object, to } => {
                (self.stands[object], self.wants[object]) = (to, to);
                self.versions[object] += 1;
                self.tell(object);
            }
            Step::Take { object, is_taken: true } => drop(self.refused.remove(&object)),
            Step::Take { object, .. } => drop(self.refused.insert(object)),
            Step::Reach(is_reached) => self.is_reached = is_reached,
            Step::Release(which) => self.release(which),
            Step::Edit => self.version += 1,
            // What nobody knows who writes it again is lost; that is said.
            Step::Remove if self.is_reached && self.replicas[self.leader].kept.knows(Some(&self.version.to_string())) => {
                (self.record, self.version) = (None, self.version + 1);
                self.step(Step::Work);
            }
            Step::Remove => {}
            Step::Pass(seconds) => {
                self.now += Duration::from_secs(seconds);
                self.look();
            }
        }
    }

    /// Who does not lead any more stops before somebody else begins.
    fn look(&mut self) {
        let (now, leader) = (self.now, self.leader);
        self.replicas[1 - leader].look(false, now);
        self.replicas[leader].look(true, now);
    }

    fn row(&self, object: usize) -> Placement {
        let (from, to) = (place(self.stands[object]), place(self.wants[object]));
        let cause = Cause::Policy { from: String::new(), to: format!("sha256:{to}") };
        Placement { resource_version: self.versions[object].to_string(), ..moving(&format!("{object:02}"), &from, &to, cause) }
    }

    fn tell(&mut self, object: usize) {
        let (row, now) = (self.row(object), self.now);
        for replica in &mut self.replicas {
            replica.brake.observe(&row, now);
            replica.queue.observe(&row, now);
        }
    }

    fn list(&mut self, replica: usize) {
        let rows: Vec<Placement> = (0..OBJECTS).map(|object| self.row(object)).collect();
        self.replicas[replica].brake.observe_all(&rows, self.now);
        self.replicas[replica].queue.observe_all(&rows, self.now);
    }

    /// As the remediator does it: what may not be written now is put aside until the brake frees it.
    fn write(&mut self) {
        self.look();
        let now = self.now;
        while let Some(key) = self.replicas[self.leader].queue.peek(now).cloned() {
            let Replica { brake, queue, .. } = &mut self.replicas[self.leader];
            let Permit::Go(pass) = brake.permit(&key, now) else {
                queue.park(&key, now);
                continue;
            };
            let (_, patch) = queue.take(now).unwrap();
            let object: usize = key.name.parse().unwrap();
            if self.refused.contains(&object) {
                queue.finished(&key, &patch, &Answer::Refused { reason: "no".into() }, now);
                brake.refused(&key);
                continue;
            }
            match pass {
                Pass::Counted => self.counted.push((now, object)),
                Pass::Released => assert!(self.released.contains(&(object, self.wants[object])), "nobody released {object}"),
                other => panic!("{other:?} of a move"),
            }
            self.stands[object] = self.wants[object];
            self.versions[object] += 1;
            let version = self.versions[object].to_string();
            queue.finished(&key, &patch, &Answer::Patched { version }, now);
            self.tell(object);
        }
        self.look();
    }

    /// The keeper takes the desired record, and reads.
    fn read(&mut self, replica: usize) {
        let found = Found {
            version: Some(self.version.to_string()),
            record: self.record.clone(),
            requests: Requests { release: self.release.clone(), ..Requests::default() },
        };
        let replica = &mut self.replicas[replica];
        let desired = replica.desired.clone();
        if self.is_reached {
            replica.read = Some((desired, found));
        } else {
            replica.tell(replica.kept.failed("out of reach".into(), &desired));
        }
    }

    /// The keeper writes, if nobody else did since it has read.
    fn put(&mut self, which: usize) {
        let is_leading = which == self.leader;
        let replica = &mut self.replicas[which];
        let Some((desired, found)) = replica.read.take() else { return };
        if !self.is_reached {
            return replica.tell(replica.kept.failed("out of reach".into(), &desired));
        }
        let version = found.version.clone();
        if !replica.kept.knows(version.as_deref()) {
            replica.kept.found(found);
        }
        if let Some(record) = replica.kept.due(&desired).filter(|_| is_leading).cloned() {
            if version != Some(self.version.to_string()) {
                return;
            }
            self.version += 1;
            replica.kept.wrote(Some(self.version.to_string()), &record);
            replica.tell(replica.kept.observed(&desired));
            return self.written(record);
        }
        replica.tell(replica.kept.observed(&desired));
    }

    fn written(&mut self, record: Record) {
        for shown in &record.shown {
            let move_of = |example: &super::super::record::MoveRecord| {
                let object = example.object.rsplit('/').next().unwrap().parse().unwrap();
                (object, example.to[0].bytes().next().unwrap() - b'a')
            };
            self.shown.insert(shown.id.clone(), shown.examples.iter().map(move_of).collect());
        }
        self.record = Some(record);
    }

    fn release(&mut self, which: usize) {
        let all = self.record.iter().flat_map(|record| &record.shown);
        let Some(shown) = all.clone().nth(which % all.count().max(1)) else { return };
        self.released.extend(self.shown[&shown.id].iter().copied());
        self.release = shown.id.clone();
        self.version += 1;
    }

    /// The world behaves from now on: everything comes to where it is wanted, and never too much was moved.
    pub(super) fn ends(mut self) {
        self.is_reached = true;
        self.refused.clear();
        for turn in 0..200 {
            if self.stands == self.wants {
                break;
            }
            self.step(Step::Work);
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
