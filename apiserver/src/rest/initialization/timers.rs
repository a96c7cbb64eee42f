//! A timer for each object that is not initialized, the server's own: it runs whoever waits, and starts anew with the server.
//! Nothing is polled: the store keeps such objects apart and tells of every write. Time is monotonic, so a clock that is set
//! fires nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::{LocalBoxFuture, OptionFuture};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use serde_json::Value as Json;
use tokio::time::{Instant, sleep_until};

use super::pass_over::{Turn, pass_over};
use crate::admission::initializers::FailOpen;
use crate::server::ApiServer;
use crate::status::Status;
use crate::storage::{Change, Expect, Key, Record, Snapshot, Write, WriteError};

/// Without any write we look so often whether the store is still open.
const IDLE: Duration = Duration::from_secs(60);
/// So many are acted on at once; the others wait for their turn.
const AT_ONCE: usize = 64;

/// What is to be done about an object when its time comes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Act {
    /// An initializer is late.
    PassOver(Turn),
    /// It was refused, and is still there: a server stopped in between, or another program wrote it.
    Remove,
}

#[derive(Debug)]
struct Timer {
    revision: u64,
    act: Act,
    /// `None` while it is acted on.
    due: Option<Instant>,
}

/// Every timer, by object.
#[derive(Debug)]
struct Timers {
    limit: Duration,
    all: BTreeMap<Key, Timer>,
}

/// Runs the timers until the server is gone.
pub async fn run(server: Arc<ApiServer>) {
    if !server.initialization.settings.enabled {
        return;
    }
    let mut timers = Timers { limit: server.initialization.settings.timeout, all: BTreeMap::new() };
    let mut acting: FuturesUnordered<LocalBoxFuture<'_, (Key, bool)>> = FuturesUnordered::new();
    let mut followed = Snapshot::default();
    loop {
        let snapshot = server.store.snapshot();
        if !snapshot.has_same_uninitialized(&followed) {
            timers.follow(&snapshot, Instant::now());
        }
        followed = snapshot.clone();
        for (key, act) in timers.due(Instant::now(), AT_ONCE - acting.len().min(AT_ONCE)) {
            let server = &server;
            acting.push(async move { (key.clone(), done(&key, perform(server, &key, &act).await)) }.boxed_local());
        }
        let next = timers.next().filter(|_| acting.len() < AT_ONCE).map(sleep_until);
        tokio::select! {
            // Nothing new within the time is no error: we look again.
            _ = server.store.wait_for(snapshot.revision() + 1, IDLE) => {}
            Some(()) = OptionFuture::from(next) => {}
            Some((key, done)) = acting.next(), if !acting.is_empty() => timers.acted(&key, done, Instant::now()),
        }
    }
}

/// Whether there is nothing left to do: who was faster has done it.
fn done(key: &Key, result: Result<(), Status>) -> bool {
    match result {
        Ok(()) => true,
        Err(status) if status.code == 404 || status.code == 409 => true,
        Err(status) => {
            tracing::warn!(?key, %status, "an initializer is late, and the object cannot be freed of it yet; it is tried again");
            false
        }
    }
}

async fn perform(server: &Arc<ApiServer>, key: &Key, act: &Act) -> Result<(), Status> {
    let turn = match act {
        Act::PassOver(turn) => turn,
        Act::Remove => return remove(server, key).await,
    };
    pass_over(server, key, turn, FailOpen::Timer).await.map(drop)
}

/// Whatever finalizers it has, as with the write that refuses it.
async fn remove(server: &ApiServer, key: &Key) -> Result<(), Status> {
    let Some(record) = server.store.snapshot().get(key).cloned() else { return Ok(()) };
    let write = Write { key: key.clone(), expect: Expect::Revision(record.revision), change: Change::Delete };
    match server.write(write).await {
        Ok(_) | Err(WriteError::Conflict { .. }) => Ok(()),
        Err(error) => Err(Status::internal(error)),
    }
}

impl Timers {
    /// A timer for whatever is not initialized, and none for anything else. Whose turn has not changed keeps its time.
    fn follow(&mut self, snapshot: &Snapshot, now: Instant) {
        let present: BTreeSet<&Key> = snapshot.uninitialized().map(|record| &record.key).collect();
        self.all.retain(|key, _| present.contains(key));
        for record in snapshot.uninitialized() {
            match self.all.get_mut(&record.key) {
                Some(timer) if timer.revision == record.revision => {}
                known => {
                    let act = act(record);
                    match known {
                        Some(timer) if timer.act == act => timer.revision = record.revision,
                        _ => self.start(record, act, now),
                    }
                }
            }
        }
    }

    fn start(&mut self, record: &Record, act: Act, now: Instant) {
        let due = if act == Act::Remove { now } else { now + self.limit };
        self.all.insert(record.key.clone(), Timer { revision: record.revision, act, due: Some(due) });
    }

    /// Those whose time has come; they are acted on from now on.
    fn due(&mut self, now: Instant, most: usize) -> Vec<(Key, Act)> {
        let due = self.all.iter_mut().filter(|(_, timer)| timer.due.is_some_and(|due| due <= now)).take(most);
        due.map(|(key, timer)| {
            timer.due = None;
            (key.clone(), timer.act.clone())
        })
        .collect()
    }

    /// When the next one's time comes.
    fn next(&self) -> Option<Instant> {
        self.all.values().filter_map(|timer| timer.due).min()
    }

    /// What could not be done is tried again as late as the first time. (If it is the next one's turn, that timer runs already.)
    fn acted(&mut self, key: &Key, done: bool, now: Instant) {
        let limit = self.limit;
        if let Some(timer) = self.all.get_mut(key).filter(|timer| timer.due.is_none() && !done) {
            timer.due = Some(now + limit);
        }
    }
}

fn act(record: &Record) -> Act {
    let value: Json = serde_json::from_slice(&record.value).unwrap_or_default();
    Turn::of(&value).filter(|_| crate::resources::initializers::result(&value).is_none()).map_or(Act::Remove, Act::PassOver)
}

#[cfg(test)]
mod tests;
