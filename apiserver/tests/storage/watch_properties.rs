//! The nine properties that etcd's robustness tests demand of every watch (tests/robustness/validate): Ordered, Unique,
//! Atomic, Reliable, Resumable, Bookmarkable, Filter, PrevKV, IsCreate; checked on recorded streams against all writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_apiserver::storage::{Change, CursorEnd, Event, EventKind, Expect, HistoryLimits, Key, Record, Store, Write};

use super::support::*;

const RUNS: u64 = 40;
const COLLECTIONS: [&str; 3] = ["g/set", "g/sets", "core/pods"];
const WRITERS: u64 = 8;
const WRITES: u64 = 60;

/// What one watcher saw.
enum Item {
    /// It began to watch after this revision.
    Started(u64),
    /// One answer.
    Batch(Vec<Arc<Event>>),
    /// It was told that it has seen everything up to here.
    Bookmark(u64),
}

struct Stream {
    collection: &'static str,
    items: Vec<Item>,
}

/// Every write by its revision; none for the key means it was deleted.
type Truth = BTreeMap<u64, (Key, EventKind, Arc<Record>)>;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn watches_keep_the_nine_properties() {
    let only: Option<u64> = std::env::var("SEED").ok().map(|seed| seed.parse().unwrap());
    let (mut compacted, mut events) = (0, 0);
    for seed in only.map_or(0..RUNS, |seed| seed..seed + 1) {
        // Sometimes the history is so short that readers lose their place.
        let limits = HistoryLimits { events: if seed % 2 == 0 { 100_000 } else { 40 }, ..HistoryLimits::default() };
        let store = memory_with(limits);
        let mut dice = Dice::new(seed);
        let watchers: Vec<_> = (0..9).map(|n| tokio::spawn(watch(store.clone(), COLLECTIONS[n % 3], dice.roll()))).collect();
        let writers: Vec<_> = (0..WRITERS).map(|writer| tokio::spawn(write(store.clone(), writer, dice.roll()))).collect();
        let mut truth = Truth::new();
        for writer in writers {
            for (key, kind, record) in writer.await.unwrap() {
                let revision = record.revision;
                assert!(truth.insert(revision, (key, kind, record)).is_none(), "SEED={seed}: revision {revision} twice");
            }
        }
        assert_eq!(truth.keys().copied().collect::<Vec<_>>(), (2..truth.len() as u64 + 2).collect::<Vec<_>>());
        store.clone().close();
        for watcher in watchers {
            let (stream, lost) = watcher.await.unwrap();
            compacted += lost;
            events += check(&stream, &truth, seed);
        }
    }
    assert!(only.is_some() || (compacted > 0 && events > 1000), "{events} events, {compacted} places lost: no test");
}

async fn write(store: Store, writer: u64, seed: u64) -> Vec<(Key, EventKind, Arc<Record>)> {
    let mut dice = Dice::new(seed);
    let mut done = Vec::new();
    for value in 0..WRITES {
        let collection = COLLECTIONS[dice.below(3) as usize];
        let key = key(collection, "a", &format!("w{writer}n{}", dice.below(3)));
        let current = store.snapshot().get(&key).map(|record| record.revision);
        let (kind, expect, change) = match current {
            None => (EventKind::Added, Expect::Absent, Change::Put(object(&key, value))),
            Some(at) if dice.below(3) == 0 => (EventKind::Deleted, Expect::Revision(at), Change::Delete),
            Some(at) => (EventKind::Modified, Expect::Revision(at), Change::Put(object(&key, value))),
        };
        let record = store.write(Write { key: key.clone(), expect, change }).await.unwrap();
        done.push((key, kind, record));
    }
    done
}

/// Watches until the store closes; now and then it goes away and comes back where it was, or at some other revision.
async fn watch(store: Store, collection: &'static str, seed: u64) -> (Stream, usize) {
    let mut dice = Dice::new(seed);
    let (mut items, mut lost) = (Vec::new(), 0);
    let history = store.history(collection);
    let mut start = 1 + dice.below(100);
    loop {
        let mut cursor = match history.since(start) {
            Ok(cursor) => cursor,
            Err(gone) => {
                assert!(start < gone.oldest);
                lost += 1;
                // The compaction revision itself is good, but may be overtaken at any moment.
                start = if dice.below(2) == 0 { gone.oldest } else { store.snapshot().revision() };
                continue;
            }
        };
        items.push(Item::Started(start));
        let mut patience = 1 + dice.below(20);
        let ended = loop {
            if dice.below(4) == 0 {
                tokio::task::yield_now().await;
            }
            if dice.below(3) == 0 {
                start = start.max(cursor.progress());
                items.push(Item::Bookmark(start));
            }
            match cursor.next_batch().await {
                Ok(batch) => {
                    start = batch.last().unwrap().revision;
                    items.push(Item::Batch(batch));
                }
                Err(CursorEnd::Closed) => break true,
                Err(CursorEnd::Lagged { oldest }) => {
                    assert!(start < oldest);
                    break false;
                }
            }
            patience -= 1;
            if patience == 0 {
                start = jump(start, &mut dice);
                break false;
            }
        };
        if ended {
            items.push(Item::Bookmark(cursor.progress()));
            return (Stream { collection, items }, lost);
        }
    }
}

/// Mostly exactly where it was; at times a little before or in the future.
fn jump(at: u64, dice: &mut Dice) -> u64 {
    match dice.below(4) {
        0 => at.saturating_sub(dice.below(30)).max(1),
        1 => at + dice.below(30),
        _ => at,
    }
}

fn check(stream: &Stream, truth: &Truth, seed: u64) -> usize {
    let mut at = 0;
    let mut count = 0;
    for item in &stream.items {
        match item {
            Item::Started(revision) => at = *revision,
            Item::Bookmark(revision) => {
                assert!(*revision >= at, "SEED={seed} Bookmarkable: {revision} after {at}");
                assert_eq!(missed(stream.collection, truth, at, *revision), None, "SEED={seed} Bookmarkable: past an event");
                at = *revision;
            }
            Item::Batch(batch) => {
                assert!(!batch.is_empty());
                for event in batch {
                    check_event(event, stream.collection, truth, at, seed);
                    at = event.revision;
                    count += 1;
                }
            }
        }
    }
    count
}

fn check_event(event: &Event, collection: &str, truth: &Truth, at: u64, seed: u64) {
    let revision = event.revision;
    assert!(revision > at, "SEED={seed} Ordered, Unique, Atomic: {revision} after {at}");
    assert_eq!(&*event.record.key.collection, collection, "SEED={seed} Filter");
    // Also across a new start at the last revision seen, hence Resumable.
    assert_eq!(missed(collection, truth, at, revision - 1), None, "SEED={seed} Reliable: missed before {revision}");
    let (key, kind, record) = &truth[&revision];
    assert!(key == &event.record.key && record.value == event.record.value, "SEED={seed} Reliable: another event at {revision}");
    let before = truth.range(..revision).rev().find(|(_, (other, _, _))| other == key);
    let before = before.filter(|(_, (_, kind, _))| *kind != EventKind::Deleted).map(|(_, (_, _, record))| record.value.clone());
    assert_eq!(event.previous.as_ref().map(|previous| previous.value.clone()), before, "SEED={seed} PrevKV at {revision}");
    assert_eq!((event.kind, event.kind == EventKind::Added), (*kind, before.is_none()), "SEED={seed} IsCreate at {revision}");
}

/// The first event of the collection after one revision and up to another.
fn missed(collection: &str, truth: &Truth, after: u64, until: u64) -> Option<u64> {
    let range = if after < until { truth.range(after + 1..=until) } else { truth.range(0..0) };
    range.filter(|(_, (key, _, _))| &*key.collection == collection).map(|(revision, _)| *revision).next()
}
