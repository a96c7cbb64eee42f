//! Proves that a watch misses nothing.
//!
//! ```text
//!   consistent list of one object ──► the watch has come to its version: proved
//!              │ it has not
//!              ▼
//!   short second watch from where the first one is ──► a bookmark, and nothing that the first one did not tell: proved
//!              │ an event that the first one does not tell within a moment
//!              ▼
//!   the first watch is stalled: opened again
//! ```
//!
//! A list alone proves nothing: it passes while watches stall. Nor does an event or a bookmark of the watch itself: it may have
//! lain about for as long as this process was stopped, or on a slow way. API servers before 1.31 may have no bookmark for a kind
//! that does not change: there a second watch is a proof as well if it lasted as long as asked, and ended in good order.

use futures::{AsyncBufRead, AsyncBufReadExt};
use tokio::time::{Instant, sleep_until, timeout};

use super::proofs::Proofs;
use super::reflector::{Reflector, Step, Steps, send};
use super::seen::{Seen, is_rewound, is_up_to};
use super::watch::line::{Event, understand};
use super::watch::{Collection, Ended};
use crate::lines::Lines;
use crate::results::WatchEnd;

/// One watch's proofs.
pub(super) struct Probe<'a> {
    pub(super) reflector: &'a Reflector,
    pub(super) collection: &'a Collection<'a>,
    pub(super) steps: &'a Steps,
    pub(super) proofs: &'a Proofs,
}

/// The result of one probe.
enum Found {
    /// Nothing was missed.
    Proof(Seen),
    /// The watch does not tell what happens.
    Stalled,
    /// Neither.
    Nothing,
}

impl Probe<'_> {
    /// Looks again and again; ends when the watch must be opened again.
    pub(super) async fn run(&self) -> Result<WatchEnd, Ended> {
        let pace = &self.reflector.pace;
        let mut next = *self.collection.proved.lock() + pace.probe;
        loop {
            sleep_until(next).await;
            let begun = Instant::now();
            next = match self.look(begun).await {
                Ok(Found::Proof(seen)) => {
                    *self.collection.proved.lock() = seen.begun;
                    self.prove(seen).await?;
                    begun + pace.probe
                }
                Ok(Found::Stalled) => return Ok(WatchEnd::Stalled),
                Ok(Found::Nothing) => Instant::now() + pace.reopen,
                // The watch is fine; asking beside it has to wait.
                Err(Ended::Failed(fault)) if fault.is_busy() => {
                    Instant::now() + fault.retry_after().unwrap_or_default().max(pace.probe)
                }
                Err(ended) => return Err(ended),
            };
        }
    }

    async fn prove(&self, seen: Seen) -> Result<(), Ended> {
        if let Some(round) = self.proofs.give(self.collection.index, seen) {
            send(self.steps, Step::Current(round)).await?;
        }
        Ok(())
    }

    async fn look(&self, begun: Instant) -> Result<Found, Ended> {
        let before = self.position();
        let newest = self.collection.scope.newest().await?;
        if is_rewound(&before, &newest) {
            tracing::warn!(kind = %self.reflector.gvr, before, newest, "the API server's versions went back: listing again");
            return Err(Ended::Expired);
        }
        match self.caught_up(&newest) {
            Some(position) => Ok(Found::Proof(Seen::list(&position, begun))),
            None => self.look_aside(begun, &newest).await,
        }
    }

    /// A second watch from where the first one is, until its bookmark.
    async fn look_aside(&self, begun: Instant, newest: &str) -> Result<Found, Ended> {
        let pace = &self.reflector.pace;
        let opened = Instant::now();
        let stream = self.collection.scope.watch_for(&self.position(), pace.confirm).await?;
        let until = Instant::now() + pace.confirm + pace.moment;
        let mut aside = Aside { stream, lines: Lines::default() };
        loop {
            let line = tokio::select! {
                line = aside.line() => line,
                position = self.catches_up(newest) => return Ok(Found::Proof(Seen::list(&position, begun))),
                () = sleep_until(until) => return Ok(Found::Nothing),
            };
            let line = match line {
                Ok(Some(line)) => line,
                Ok(None) if opened.elapsed() >= pace.confirm => return Ok(self.ended_without(begun, newest).await),
                // Cut short, by whomever.
                Ok(None) | Err(_) => return Ok(Found::Nothing),
            };
            match understand(&line, self.collection.scope.stamp()) {
                Event::Bookmark { version } => return Ok(self.ended_in(&version, begun, newest)),
                Event::Change { version, .. } | Event::Unfit { version, .. } => {
                    if !version.is_empty() && timeout(pace.moment, self.catches_up(&version)).await.is_err() {
                        return Ok(self.overdue());
                    }
                }
                Event::Error(fault) => return Err(fault.into()),
            }
        }
    }

    /// The second watch told nothing that the first one did not, up to this bookmark.
    fn ended_in(&self, bookmark: &str, begun: Instant, newest: &str) -> Found {
        let position = self.position();
        if !is_up_to(bookmark, &position) {
            return Found::Nothing;
        }
        self.collection.position.send_if_modified(|position| {
            let is_newer = position != bookmark;
            if is_newer {
                bookmark.clone_into(position);
            }
            is_newer
        });
        Found::Proof(Seen { is_list: is_up_to(bookmark, newest), ..Seen::list(bookmark, begun) })
    }

    /// The second watch told nothing that the first one did not, and no bookmark: no proof where one is sent for every kind.
    async fn ended_without(&self, begun: Instant, newest: &str) -> Found {
        match self.collection.scope.may_lack_bookmarks().await {
            Ok(true) => Found::Proof(Seen::list(newest, begun)),
            Ok(false) => Found::Nothing,
            Err(error) => {
                tracing::debug!(kind = %self.reflector.gvr, %error, "no bookmark, and the API server's version is not known");
                Found::Nothing
            }
        }
    }

    /// A watch whose reader is busy is not stalled.
    fn overdue(&self) -> Found {
        if self.steps.capacity() == 0 { Found::Nothing } else { Found::Stalled }
    }

    fn position(&self) -> String {
        self.collection.position.borrow().clone()
    }

    fn caught_up(&self, version: &str) -> Option<String> {
        Some(self.position()).filter(|position| is_up_to(position, version))
    }

    async fn catches_up(&self, version: &str) -> String {
        let mut position = self.collection.position.subscribe();
        let caught_up = position.wait_for(|position| is_up_to(position, version)).await.map(|position| position.clone());
        match caught_up {
            Ok(position) => position,
            Err(_) => std::future::pending().await,
        }
    }
}

/// The second watch.
struct Aside<S> {
    stream: S,
    lines: Lines,
}

impl<S: AsyncBufRead + Unpin> Aside<S> {
    /// The next line; `None` when it ended in good order.
    async fn line(&mut self) -> std::io::Result<Option<bytes::Bytes>> {
        loop {
            if let Some(line) = self.lines.next_line().map_err(std::io::Error::other)? {
                return Ok(Some(line));
            }
            let chunk = self.stream.fill_buf().await?;
            let length = chunk.len();
            if length == 0 {
                return Ok(None);
            }
            self.lines.push(chunk);
            self.stream.consume_unpin(length);
        }
    }
}
