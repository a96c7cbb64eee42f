//! Power cuts at seeded points: what was answered is there, what was seen is there, no revision is given twice.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_apiserver::storage::{Change, Expect, HistoryLimits, Key, Snapshot, Store, Write, WriteError};

use super::disk::{CrashDisk, Leaves};
use super::support::*;

/// Disks, each of which loses power several times.
const DISKS: u64 = 200;
const CUTS: u64 = 5;
const CLIENTS: u64 = 4;

/// What one key may be after the crash: the last answered state, or that of the write that was never answered.
#[derive(Clone, Default)]
struct Known {
    answered: Option<(u64, u64)>,
    in_doubt: Option<Option<u64>>,
}

#[derive(Default)]
struct Truth {
    keys: BTreeMap<Key, Known>,
    /// Revisions that were answered or seen, on this disk, ever.
    revisions: BTreeSet<u64>,
    next_value: u64,
}

/// What one client learned.
struct Report {
    key: Key,
    known: Known,
    revisions: Vec<u64>,
}

#[test]
fn a_thousand_power_cuts_lose_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let only: Option<u64> = std::env::var("SEED").ok().map(|seed| seed.parse().unwrap());
    let seeds = only.map_or(0..DISKS, |seed| seed..seed + 1);
    let mut cut_while_writing = 0;
    for seed in seeds.clone() {
        cut_while_writing += runtime.block_on(one_disk(seed));
    }
    assert!(only.is_some() || cut_while_writing > DISKS * CUTS / 2, "only {cut_while_writing} cuts met a write");
}

async fn one_disk(seed: u64) -> u64 {
    let mut dice = Dice::new(seed);
    let disk = CrashDisk::default();
    let mut truth = Truth::default();
    open(&disk, seed, 0).close();
    let mut met = 0;
    for cut in 0..CUTS {
        if dice.below(3) == 0 {
            cut_while_opening(&disk, &mut dice);
        }
        let store = open(&disk, seed, cut);
        check(&store, &mut truth, seed, cut);
        let fuse = dice.below(120);
        disk.light_fuse(fuse);
        let seen = work(&store, &disk, &mut truth, &mut dice).await;
        met += u64::from(truth.keys.values().any(|known| known.in_doubt.is_some()));
        let leaves = any_leaves(&mut dice);
        disk.crash(leaves, &mut dice);
        store.close();
        let again = open(&disk, seed, cut);
        check_seen(&seen, &again, &format!("SEED={seed} cut {cut} after {fuse} operations, leaving {leaves:?}"));
        check(&again, &mut truth, seed, cut);
        again.close();
    }
    met
}

fn any_leaves(dice: &mut Dice) -> Leaves {
    [Leaves::Nothing, Leaves::Prefix, Leaves::Subset, Leaves::Everything][dice.below(4) as usize]
}

/// The power goes while the file is checked or repaired, or while it is closed.
fn cut_while_opening(disk: &CrashDisk, dice: &mut Dice) {
    disk.light_fuse(dice.below(200));
    if let Ok(store) = Store::open_backend(|| disk.handle(), HistoryLimits::default()) {
        store.close();
    }
    disk.crash(any_leaves(dice), dice);
}

fn open(disk: &CrashDisk, seed: u64, cut: u64) -> Store {
    Store::open_backend(|| disk.handle(), HistoryLimits::default()).unwrap_or_else(|error| {
        panic!("SEED={seed} cut {cut}: {error}: {:?}", std::error::Error::source(&error).map(ToString::to_string))
    })
}

/// Clients write until the power goes; the last snapshot that somebody could read is given back.
async fn work(store: &Store, disk: &CrashDisk, truth: &mut Truth, dice: &mut Dice) -> Snapshot {
    let clients = (0..CLIENTS).map(|client| {
        let key = pod("a", &format!("n{}", client * 10 + dice.below(3)));
        let known = truth.keys.get(&key).cloned().unwrap_or_default();
        truth.next_value += 1000;
        client_writes(store, disk, Report { key, known, revisions: Vec::new() }, (truth.next_value, dice.roll()))
    });
    let clients: Vec<_> = clients.collect();
    for report in futures::future::join_all(clients).await {
        for revision in report.revisions {
            assert!(truth.revisions.insert(revision), "revision {revision} was given twice");
        }
        truth.keys.insert(report.key, report.known);
    }
    store.snapshot()
}

async fn client_writes(store: &Store, disk: &CrashDisk, mut report: Report, (first, seed): (u64, u64)) -> Report {
    let mut dice = Dice::new(seed);
    for value in first.. {
        let (expect, gone) = match report.known.answered {
            None => (Expect::Absent, false),
            Some((at, _)) => (Expect::Revision(at), dice.below(4) == 0),
        };
        let change = if gone { Change::Delete } else { Change::Put(object(&report.key, value)) };
        match store.write(Write { key: report.key.clone(), expect, change }).await {
            Ok(record) => {
                report.revisions.push(record.revision);
                report.known.answered = (!gone).then_some((record.revision, value));
            }
            Err(WriteError::Storage(_)) => {
                assert!(disk.is_dead(), "a write failed although the disk works");
                report.known.in_doubt = Some((!gone).then_some(value));
                return report;
            }
            Err(error) => panic!("{error}"),
        }
    }
    report
}

fn check_seen(seen: &Snapshot, again: &Store, label: &str) {
    let now = again.snapshot();
    assert!(now.revision() >= seen.revision(), "{label}: revision {} after {}", now.revision(), seen.revision());
}

/// Every key is in a state that its client knows of, and the revision is beyond all that were ever answered.
fn check(store: &Store, truth: &mut Truth, seed: u64, cut: u64) {
    let snapshot = store.snapshot();
    let last = truth.revisions.last().copied().unwrap_or(0);
    assert!(snapshot.revision() >= last, "SEED={seed} cut {cut}: back at revision {}, after {last}", snapshot.revision());
    for (key, known) in &mut truth.keys {
        let found = snapshot.get(key).map(|record| (record.revision, value_of(record).as_u64().unwrap()));
        let same = found == known.answered;
        let doubtful = known.in_doubt.is_some_and(|doubt| doubt == found.map(|(_, value)| value));
        assert!(
            same || doubtful,
            "SEED={seed} cut {cut}: {key:?} is {found:?}, known are {:?} and {:?}",
            known.answered,
            known.in_doubt
        );
        *known = Known { answered: found, in_doubt: None };
        if let Some(record) = snapshot.get(key) {
            assert_eq!(json_of(record)["metadata"]["resourceVersion"], record.revision.to_string());
            truth.revisions.insert(record.revision);
        }
    }
    let unknown = snapshot.list("core/pods", None, None).find(|record| !truth.keys.contains_key(&record.key));
    assert!(unknown.is_none(), "SEED={seed} cut {cut}: nobody wrote {unknown:?}");
}
