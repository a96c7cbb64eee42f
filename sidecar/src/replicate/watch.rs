//! One watch of one collection: events and bookmarks in, steps out; beside it the proofs that it misses nothing.

use futures::{AsyncBufRead, AsyncBufReadExt};
use tokio::sync::watch::Sender;
use tokio::time::{Instant, sleep_until};

use super::object::{Change, Unfit};
use super::probe::Probe;
use super::proofs::Proofs;
use super::reflector::{ReaderGone, Reflector, Step, Steps, send};
use super::scope::Scope;
use crate::cluster::Fault;
use crate::lines::Lines;
use crate::results::{ObjectEnd, WatchEnd};

pub(super) mod line;

use line::{Event, understand};

/// Why the watch of a collection is over for good.
#[derive(Debug)]
pub(super) enum Ended {
    /// Its version is too old: list again.
    Expired,
    /// It failed; the version it came to is still good.
    Failed(Fault),
    /// Nobody listens.
    ReaderGone,
}

impl From<ReaderGone> for Ended {
    fn from(ReaderGone: ReaderGone) -> Self {
        Self::ReaderGone
    }
}

impl From<Fault> for Ended {
    fn from(fault: Fault) -> Self {
        if fault.is_expired() { Self::Expired } else { Self::Failed(fault) }
    }
}

/// A collection that is followed.
pub(super) struct Collection<'a> {
    pub(super) scope: &'a Scope,
    /// The version that the watch has come to.
    pub(super) position: Sender<String>,
    /// The last proof was begun at this time.
    pub(super) proved: parking_lot::Mutex<Instant>,
    /// Its place among the kind's collections.
    pub(super) index: usize,
}

/// Watches from the collection's position on and keeps it up to date; ends only with a reason.
pub(super) async fn run(
    reflector: &Reflector,
    collection: &Collection<'_>,
    steps: &Steps,
    proofs: &Proofs,
) -> Result<std::convert::Infallible, Ended> {
    loop {
        let opened = Instant::now();
        let mut swaps = collection.scope.swaps();
        let from = collection.position.borrow().clone();
        let stream = collection.scope.watch(&from).await.inspect_err(|fault| reflector.count(end_of(fault)))?;
        let reading = Reading { reflector, collection, steps };
        let probe = Probe { reflector, collection, steps, proofs };
        let ended = tokio::select! {
            ended = reading.read(stream) => ended,
            ended = probe.run() => ended,
            // An open watch would go on with rights that may have been taken away.
            () = renewed(&mut swaps) => Ok(WatchEnd::Renewed),
        };
        reflector.count(match &ended {
            Ok(end) => *end,
            Err(Ended::Expired) => WatchEnd::Expired,
            Err(_) => WatchEnd::Failed,
        });
        ended?;
        // A server that closes each watch at once must not be asked in a tight loop.
        sleep_until(opened + reflector.pace.reopen).await;
    }
}

async fn renewed(swaps: &mut tokio::sync::watch::Receiver<u64>) {
    if swaps.changed().await.is_err() {
        std::future::pending().await
    }
}

fn end_of(fault: &Fault) -> WatchEnd {
    if fault.is_expired() { WatchEnd::Expired } else { WatchEnd::Failed }
}

/// One open watch.
struct Reading<'a> {
    reflector: &'a Reflector,
    collection: &'a Collection<'a>,
    steps: &'a Steps,
}

impl Reading<'_> {
    async fn read(&self, mut stream: impl AsyncBufRead + Unpin) -> Result<WatchEnd, Ended> {
        let mut lines = Lines::default();
        let mut last_read = Instant::now();
        loop {
            let chunk = tokio::select! {
                chunk = stream.fill_buf() => chunk.map_err(broken)?,
                () = sleep_until(last_read + self.reflector.pace.silence) => return Ok(WatchEnd::Silent),
            };
            let length = chunk.len();
            if length == 0 {
                // Half a line, if there is one, was never an event.
                return Ok(WatchEnd::Closed);
            }
            lines.push(chunk);
            stream.consume_unpin(length);
            last_read = Instant::now();
            while let Some(line) = lines.next_line().map_err(|error| Fault::Unreadable(error.to_string()))? {
                self.line(&line).await?;
            }
        }
    }

    async fn line(&self, line: &[u8]) -> Result<(), Ended> {
        match understand(line, self.collection.scope.stamp()) {
            Event::Change { change, version } => {
                let end = if matches!(change, Change::Put(_)) { ObjectEnd::Put } else { ObjectEnd::Removed };
                self.reflector.metrics.objects(&self.reflector.gvr.to_string(), end, 1);
                send(self.steps, Step::Change(change, self.reflector.version(&version))).await?;
                self.reached(version);
            }
            Event::Bookmark { version } => self.reached(version),
            Event::Unfit { unfit, version } => {
                self.reflector.warn(&unfit);
                // Better no copy than one that is out of date.
                if let Unfit::Deep(name) | Unfit::Long(name) = unfit {
                    send(self.steps, Step::Change(Change::Remove(name), self.reflector.version(&version))).await?;
                }
                self.reached(version);
            }
            Event::Error(fault) => return Err(fault.into()),
        }
        Ok(())
    }

    fn reached(&self, version: String) {
        if !version.is_empty() {
            self.collection.position.send_replace(version);
        }
    }
}

fn broken(error: std::io::Error) -> Fault {
    Fault::Unreadable(format!("the watch broke off: {error}"))
}
