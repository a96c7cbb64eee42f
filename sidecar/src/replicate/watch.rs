//! One watch of one collection: events and bookmarks in, steps out; a probe when it is quiet.

use std::borrow::Cow;
use std::time::Duration;

use futures::{AsyncBufRead, AsyncBufReadExt};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until};

use super::object::{Change, Object, Unfit};
use super::reflector::{ReaderGone, Reflector, Step, Steps, send};
use super::scope::Scope;
use crate::cluster::Fault;
use crate::lines::Lines;
use crate::results::{ObjectEnd, WatchEnd};

/// Bookmarks come about once a minute: a connection that is silent for this long is taken for dead.
const SILENCE: Duration = Duration::from_secs(150);

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

/// A kind is current when each of its collections is.
pub(super) struct Proofs {
    given: Mutex<Vec<bool>>,
}

/// One collection's part in it.
#[derive(Clone, Copy)]
pub(super) struct Proof<'a> {
    proofs: &'a Proofs,
    index: usize,
}

impl Proofs {
    pub(super) fn new(scopes: usize) -> Self {
        Self { given: Mutex::new(vec![false; scopes]) }
    }

    pub(super) fn of(&self, index: usize) -> Proof<'_> {
        Proof { proofs: self, index }
    }
}

impl Proof<'_> {
    /// Notes a proof; true when it completes the round.
    fn give(self) -> bool {
        let mut given = self.proofs.given.lock();
        if let Some(mine) = given.get_mut(self.index) {
            *mine = true;
        }
        let complete = given.iter().all(|given| *given);
        if complete {
            given.fill(false);
        }
        complete
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    event: Cow<'a, str>,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// A line, understood.
#[derive(Debug)]
enum Event {
    Change { change: Change, version: String },
    Bookmark { version: String },
    Unfit(Unfit),
    Error(Fault),
}

/// Watches from `version` on and keeps it up to date; ends only with a reason.
pub(super) async fn run(
    reflector: &Reflector,
    scope: &Scope,
    version: &Mutex<String>,
    steps: &Steps,
    proof: Proof<'_>,
) -> Result<std::convert::Infallible, Ended> {
    loop {
        let from = version.lock().clone();
        let opened = Instant::now();
        let stream = scope.watch(&from).await.inspect_err(|fault| reflector.count(end_of(fault)))?;
        let mut reading = Reading { reflector, scope, version, steps, proof };
        let ended = reading.read(stream).await;
        reflector.count(match &ended {
            Ok(end) => *end,
            Err(Ended::Expired) => WatchEnd::Expired,
            Err(_) => WatchEnd::Failed,
        });
        ended?;
        // A server that closes each watch at once must not be asked in a tight loop.
        sleep_until(opened + Duration::from_millis(500)).await;
    }
}

fn end_of(fault: &Fault) -> WatchEnd {
    if fault.is_expired() { WatchEnd::Expired } else { WatchEnd::Failed }
}

/// One open watch.
struct Reading<'a> {
    reflector: &'a Reflector,
    scope: &'a Scope,
    version: &'a Mutex<String>,
    steps: &'a Steps,
    proof: Proof<'a>,
}

impl Reading<'_> {
    async fn read(&mut self, mut stream: impl AsyncBufRead + Unpin) -> Result<WatchEnd, Ended> {
        let mut lines = Lines::default();
        let (mut heard, mut proved) = (Instant::now(), Instant::now());
        loop {
            let chunk = tokio::select! {
                chunk = stream.fill_buf() => chunk.map_err(broken)?,
                () = sleep_until(heard + SILENCE) => return Ok(WatchEnd::Silent),
                () = sleep_until(proved + self.reflector.probe) => {
                    self.scope.probe().await?;
                    self.prove().await?;
                    proved = Instant::now();
                    continue;
                }
            };
            let length = chunk.len();
            if length == 0 {
                // Half a line, if there is one, was never an event.
                return Ok(WatchEnd::Closed);
            }
            lines.push(chunk);
            stream.consume_unpin(length);
            heard = Instant::now();
            while let Some(line) = lines.next_line().map_err(|error| Fault::Unreadable(error.to_string()))? {
                self.line(&line).await?;
                proved = Instant::now();
            }
        }
    }

    async fn line(&mut self, line: &[u8]) -> Result<(), Ended> {
        match understand(line, self.scope) {
            Event::Change { change, version } => {
                let end = if matches!(change, Change::Put(_)) { ObjectEnd::Put } else { ObjectEnd::Removed };
                self.reflector.metrics.objects(&self.reflector.gvr.to_string(), end, 1);
                send(self.steps, Step::Change(change)).await?;
                self.reached(version);
                self.proof.give();
            }
            Event::Bookmark { version } => {
                self.reached(version);
                self.prove().await?;
            }
            Event::Unfit(unfit) => {
                self.reflector.warn(&unfit);
                // Better no copy than one that is out of date.
                if let Unfit::Deep(name) | Unfit::Long(name) = unfit {
                    send(self.steps, Step::Change(Change::Remove(name))).await?;
                }
            }
            Event::Error(fault) => return Err(fault.into()),
        }
        Ok(())
    }

    async fn prove(&self) -> Result<(), ReaderGone> {
        if self.proof.give() { send(self.steps, Step::Current).await } else { Ok(()) }
    }

    fn reached(&self, version: String) {
        if !version.is_empty() {
            *self.version.lock() = version;
        }
    }
}

fn broken(error: std::io::Error) -> Fault {
    Fault::Unreadable(format!("the watch broke off: {error}"))
}

fn understand(line: &[u8], scope: &Scope) -> Event {
    let line: Line<'_> = match serde_json::from_slice(line) {
        Ok(line) => line,
        Err(error) => return Event::Unfit(error.into()),
    };
    match line.event.as_ref() {
        "BOOKMARK" => bookmark(line.object),
        "ERROR" => Event::Error(status(line.object)),
        event => match Object::read(line.object, scope.stamp()) {
            Err(unfit) => Event::Unfit(unfit),
            Ok(object) if event == "DELETED" => {
                Event::Change { version: object.resource_version, change: Change::Remove(object.name) }
            }
            Ok(object) => Event::Change { version: object.resource_version.clone(), change: Change::Put(object) },
        },
    }
}

fn bookmark(object: &RawValue) -> Event {
    #[derive(Deserialize)]
    struct Bookmark {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        resource_version: String,
    }
    match serde_json::from_str::<Bookmark>(object.get()) {
        Ok(bookmark) => Event::Bookmark { version: bookmark.metadata.resource_version },
        Err(error) => Event::Unfit(error.into()),
    }
}

fn status(object: &RawValue) -> Fault {
    #[derive(Deserialize)]
    struct Status {
        #[serde(default)]
        code: u16,
        #[serde(default)]
        reason: String,
        #[serde(default)]
        message: String,
    }
    match serde_json::from_str(object.get()) {
        Ok(Status { code, reason, message }) => Fault::Answered { code, reason, message },
        Err(error) => Fault::Unreadable(error.to_string()),
    }
}
