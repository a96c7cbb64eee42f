//! Writes that come while a commit waits for the disk share the next one.

use std::io::Result;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use plimsoll_apiserver::storage::{HistoryLimits, Store};
use redb::StorageBackend;

use super::disk::{CrashDisk, Handle};
use super::support::*;

/// Holds the sync until the test lets it go.
#[derive(Clone, Debug, Default)]
struct Gate(Arc<(Mutex<Hold>, Condvar)>);

#[derive(Debug, Default)]
struct Hold {
    closed: bool,
    waiting: bool,
}

#[derive(Debug)]
struct Gated(Handle, Gate);

impl Gate {
    fn close(&self) {
        self.0.0.lock().closed = true;
    }

    fn open(&self) {
        self.0.0.lock().closed = false;
        self.0.1.notify_all();
    }

    fn await_somebody(&self) {
        let mut hold = self.0.0.lock();
        while !hold.waiting {
            self.0.1.wait(&mut hold);
        }
    }

    fn pass(&self) {
        let mut hold = self.0.0.lock();
        while hold.closed {
            hold.waiting = true;
            self.0.1.notify_all();
            self.0.1.wait(&mut hold);
        }
        hold.waiting = false;
    }
}

impl StorageBackend for Gated {
    fn len(&self) -> Result<u64> {
        self.0.len()
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.0.read(offset, out)
    }
    fn set_len(&self, len: u64) -> Result<()> {
        self.0.set_len(len)
    }
    fn sync_data(&self) -> Result<()> {
        self.1.pass();
        self.0.sync_data()
    }
    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.0.write(offset, data)
    }
}

#[tokio::test]
async fn concurrent_writes_share_a_commit_and_a_sync() {
    let (disk, gate) = (CrashDisk::default(), Gate::default());
    let store = Store::open_backend(|| Ok(Gated(disk.handle()?, gate.clone())), HistoryLimits::default()).unwrap();
    let (before, synced) = (store.commits(), disk.syncs());
    gate.close();
    let first = tokio::spawn({
        let store = store.clone();
        async move { create(&store, &pod("a", "first"), 0).await.unwrap().revision }
    });
    tokio::task::yield_now().await;
    gate.await_somebody();
    assert_eq!(store.snapshot().total(), 0, "nothing is visible before it is durable");
    let keys: Vec<_> = (0..100).map(|n| pod("a", &format!("n{n}"))).collect();
    let mut rest = futures::future::join_all(keys.iter().map(|key| create(&store, key, 1)));
    assert!(futures::poll!(&mut rest).is_pending());
    assert!(!first.is_finished());
    gate.open();
    assert_eq!(first.await.unwrap(), 2);
    let revisions: Vec<u64> = rest.await.into_iter().map(|record| record.unwrap().revision).collect();
    assert_eq!(revisions, (3..103).collect::<Vec<_>>(), "in the order of arrival");
    assert_eq!(store.commits() - before, 2);
    assert_eq!(disk.syncs() - synced, 2, "one sync for a commit");
}

#[tokio::test]
async fn a_condition_sees_the_writes_before_it_in_the_same_commit() {
    let (disk, gate) = (CrashDisk::default(), Gate::default());
    let store = Store::open_backend(|| Ok(Gated(disk.handle()?, gate.clone())), HistoryLimits::default()).unwrap();
    gate.close();
    let (first, x) = (pod("a", "first"), pod("a", "x"));
    let mut blocker = Box::pin(create(&store, &first, 0));
    assert!(futures::poll!(&mut blocker).is_pending());
    gate.await_somebody();
    let mut twice = Box::pin(futures::future::join_all([create(&store, &x, 1), create(&store, &x, 2)]));
    assert!(futures::poll!(&mut twice).is_pending());
    gate.open();
    blocker.await.unwrap();
    let answers = twice.await;
    assert!(answers[0].is_ok() && answers[1].is_err());
    assert_eq!(value_of(store.snapshot().get(&x).unwrap()), 1);
}

#[tokio::test]
async fn a_disk_that_fails_stops_all_writes_and_no_reads() {
    let disk = CrashDisk::default();
    let store = Store::open_backend(|| disk.handle(), HistoryLimits::default()).unwrap();
    create(&store, &pod("a", "x"), 1).await.unwrap();
    disk.light_fuse(0);
    for _ in 0..2 {
        let error = create(&store, &pod("a", "y"), 1).await.unwrap_err();
        assert!(error.to_string().contains("must be restarted"), "{error}");
    }
    assert_eq!(store.snapshot().total(), 1);
    store.close();
    disk.crash(super::disk::Leaves::Nothing, &mut Dice::new(0));
    let store = Store::open_backend(|| disk.handle(), HistoryLimits::default()).unwrap();
    assert_eq!(store.snapshot().total(), 1);
}
