//! Eight clients read, list and write while the power fails; then the answers are checked against a register for each key,
//! and the snapshots against one clock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plimsoll_apiserver::storage::{Change, Expect, HistoryLimits, Key, Record, Snapshot, Store, Write, WriteError};

use super::disk::{CrashDisk, Leaves};
use super::support::*;
use super::wgl::{Content, Kind, Operation, is_linearizable};

const RUNS: u64 = 60;
const CLIENTS: u64 = 8;
const KEYS: u64 = 6;
const ROUNDS: u64 = 4;

/// Counts calls and answers of all clients.
#[derive(Default)]
struct Clock(AtomicU64);

/// What the clients saw: answers by key, and revisions with the time of call and answer.
#[derive(Default)]
struct Seen {
    registers: BTreeMap<Key, Vec<Operation>>,
    revisions: Vec<(u64, u64, u64)>,
    lists: Vec<Snapshot>,
}

struct Client {
    store: Store,
    clock: Arc<Clock>,
    dice: Dice,
    seen: Seen,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn answers_are_linearizable_under_eight_clients_and_power_cuts() {
    let only: Option<u64> = std::env::var("SEED").ok().map(|seed| seed.parse().unwrap());
    for seed in only.map_or(0..RUNS, |seed| seed..seed + 1) {
        run(seed).await;
    }
}

impl Clock {
    fn tick(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

async fn run(seed: u64) {
    let (disk, clock, mut dice, mut seen) = (CrashDisk::default(), Arc::new(Clock::default()), Dice::new(seed), Seen::default());
    for _ in 0..ROUNDS {
        let store = Store::open_backend(|| disk.handle(), HistoryLimits::default()).unwrap();
        disk.light_fuse(20 + dice.below(200));
        let clients = (0..CLIENTS).map(|_| {
            let client =
                Client { store: store.clone(), clock: clock.clone(), dice: Dice::new(dice.roll()), seen: Seen::default() };
            tokio::spawn(client.work())
        });
        for client in futures::future::join_all(clients.collect::<Vec<_>>()).await {
            seen.absorb(client.unwrap());
        }
        let leaves = [Leaves::Nothing, Leaves::Subset, Leaves::Everything][dice.below(3) as usize];
        disk.crash(leaves, &mut dice);
        store.close();
        seen.end_doubts(clock.tick());
    }
    let last = Store::open_backend(|| disk.handle(), HistoryLimits::default()).unwrap();
    seen.list(&last.snapshot(), clock.tick(), clock.tick());
    last.close();
    seen.check(seed);
}

// --- Client ---

impl Client {
    /// Until the power goes.
    async fn work(mut self) -> Seen {
        for _ in 0..60 {
            let key = pod("a", &format!("n{}", self.dice.below(KEYS)));
            match self.dice.below(10) {
                0 | 1 => self.read(&key),
                2 => self.list(),
                _ => {
                    if !self.write(key).await {
                        break;
                    }
                }
            }
            if self.dice.below(4) == 0 {
                tokio::task::yield_now().await;
            }
        }
        self.seen
    }

    fn read(&mut self, key: &Key) {
        let call = self.clock.tick();
        let snapshot = self.store.snapshot();
        let answer = self.clock.tick();
        self.seen.revisions.push((call, answer, snapshot.revision()));
        self.seen.add(key, call, answer, Kind::Read(content(snapshot.get(key))));
    }

    fn list(&mut self) {
        let call = self.clock.tick();
        let snapshot = self.store.snapshot();
        let answer = self.clock.tick();
        self.seen.list(&snapshot, call, answer);
    }

    /// False if the power is gone.
    async fn write(&mut self, key: Key) -> bool {
        // What it read some time ago: other clients may have come between.
        let known = self.store.snapshot().get(&key).cloned();
        if self.dice.below(2) == 0 {
            tokio::task::yield_now().await;
        }
        let expected = content(known.as_ref());
        let expect = known.as_ref().map_or(Expect::Absent, |known| Expect::Revision(known.revision));
        let call = self.clock.tick();
        let by = (known.is_none() || self.dice.below(4) != 0).then_some(call);
        let change = by.map_or(Change::Delete, |value| Change::Put(object(&key, value)));
        let result = self.store.write(Write { key: key.clone(), expect, change }).await;
        let answer = self.clock.tick();
        let (kind, alive) = match result {
            Ok(record) => {
                self.seen.revisions.push((call, answer, record.revision));
                (Kind::Swapped { expected, by }, true)
            }
            Err(WriteError::Conflict { current }) => (Kind::Refused { expected, found: content(current.as_ref()) }, true),
            Err(WriteError::Storage(_)) => (Kind::InDoubt { expected, by }, false),
            Err(error) => panic!("{error}"),
        };
        self.seen.add(&key, call, if alive { answer } else { u64::MAX }, kind);
        alive
    }
}

fn content(record: Option<&Arc<Record>>) -> Content {
    record.map(|record| value_of(record).as_u64().unwrap())
}

// --- Seen ---

impl Seen {
    fn add(&mut self, key: &Key, call: u64, answer: u64, kind: Kind) {
        self.registers.entry(key.clone()).or_default().push(Operation { call, answer, kind });
    }

    fn list(&mut self, snapshot: &Snapshot, call: u64, answer: u64) {
        for n in 0..KEYS {
            let key = pod("a", &format!("n{n}"));
            self.add(&key, call, answer, Kind::Read(content(snapshot.get(&key))));
        }
        self.revisions.push((call, answer, snapshot.revision()));
        self.lists.push(snapshot.clone());
    }

    fn absorb(&mut self, other: Self) {
        for (key, operations) in other.registers {
            self.registers.entry(key).or_default().extend(operations);
        }
        self.revisions.extend(other.revisions);
        self.lists.extend(other.lists);
    }

    /// After the restart it has happened or never will.
    fn end_doubts(&mut self, now: u64) {
        let open = self.registers.values_mut().flatten().filter(|operation| operation.answer == u64::MAX);
        open.for_each(|operation| operation.answer = now);
    }

    fn check(&self, seed: u64) {
        for (key, operations) in &self.registers {
            assert!(is_linearizable(operations), "SEED={seed}: no order explains {key:?}: {operations:#?}");
        }
        self.check_time(seed);
        self.check_lists(seed);
    }

    /// Nobody sees a revision smaller than what somebody had seen before.
    fn check_time(&self, seed: u64) {
        let mut by_answer = self.revisions.clone();
        by_answer.sort_by_key(|(_, answer, _)| *answer);
        let mut by_call = self.revisions.clone();
        by_call.sort_unstable();
        let (mut seen, mut answered) = (0, by_answer.iter().peekable());
        for (call, _, revision) in by_call {
            while let Some((_, _, earlier)) = answered.next_if(|(_, answer, _)| *answer < call) {
                seen = seen.max(*earlier);
            }
            assert!(revision >= seen, "SEED={seed}: revision {revision} at {call}, after {seen} was seen");
        }
    }

    /// Lists of one revision are equal, and an object in a later list is not older.
    fn check_lists(&self, seed: u64) {
        let mut lists: Vec<&Snapshot> = self.lists.iter().collect();
        lists.sort_by_key(|list| list.revision());
        for pair in lists.windows(2) {
            let [earlier, later] = pair else { continue };
            let objects = |list: &Snapshot| -> BTreeMap<Key, u64> {
                list.list("core/pods", None, None).map(|record| (record.key.clone(), record.revision)).collect()
            };
            let (before, after) = (objects(earlier), objects(later));
            assert!(earlier.revision() != later.revision() || before == after, "SEED={seed}: two lists at {}", later.revision());
            for (key, revision) in after {
                let older = before.get(&key).is_some_and(|before| *before > revision);
                let late = before.get(&key).is_none_or(|before| *before != revision) && revision <= earlier.revision();
                assert!(
                    !older && !late,
                    "SEED={seed}: {key:?}@{revision} is new at {} after {}",
                    later.revision(),
                    earlier.revision()
                );
            }
        }
    }
}
