//! List, then watch, for ever: a full list, its changes, and proofs that nothing was missed.
//!
//! ```text
//!  list (pages) ──► watch from its version ──► closed: watch again from the last version
//!      ▲                   │ expired (410), or `relist` is over
//!      └───────────────────┘            failed: wait, then watch again from the last version
//! ```

use std::time::Duration;

use futures::future::try_join_all;
use parking_lot::Mutex;
use plimsoll_contract::kind::Gvr;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::object::{Change, Object, Unfit};
use super::scope::Scope;
use super::watch::{self, Ended, Proofs};
use crate::backoff::Backoff;
use crate::cluster::Fault;
use crate::metrics::Metrics;
use crate::results::{ListEnd, ObjectEnd, WatchEnd};

/// What the reflector tells its reader, in order.
#[derive(Debug)]
pub enum Step {
    /// A full list begins; what was told of an unfinished one is void.
    Begin,
    /// Some objects of the list.
    Page(Vec<Object>),
    /// The list is complete and true at this version.
    End(String),
    /// One object changed.
    Change(Change),
    /// Everything told so far is all there is, as of now.
    Current,
    /// It does not work at the moment; the reflector tries again.
    Trouble(Fault),
}

/// What is followed, and how the reflector counts and hurries.
pub struct Reflector {
    /// The kind, for messages.
    pub gvr: Gvr,
    /// Its collections.
    pub scopes: Vec<Scope>,
    /// Time between two full lists.
    pub relist: Duration,
    /// Without event or bookmark for this long, a list of one object proves that a collection is current.
    pub probe: Duration,
    /// Where to count.
    pub metrics: Metrics,
}

/// The engine hears of every kind at least this often.
pub const PROBE: Duration = Duration::from_secs(10);

/// The reader is gone: stop.
#[derive(Debug)]
pub struct ReaderGone;

pub(super) type Steps = mpsc::Sender<Step>;

impl Reflector {
    /// Starts in a task of its own, which ends when the reader is dropped.
    pub fn start(self) -> mpsc::Receiver<Step> {
        // Bounded: a reader that falls behind slows the watch down, it does not fill memory.
        let (steps, reader) = mpsc::channel(1024);
        tokio::spawn(async move { self.run(&steps).await });
        reader
    }

    /// Runs until the reader is gone.
    async fn run(&self, steps: &Steps) {
        let lists = async {
            let mut backoff = Backoff::network();
            loop {
                let versions = match self.list(steps).await? {
                    Ok(versions) => versions,
                    Err(fault) => {
                        self.say(steps, fault).await?;
                        backoff.wait().await;
                        continue;
                    }
                };
                let started = Instant::now();
                self.watch(steps, versions, started + self.relist).await?;
                // A list that is void at once must not be repeated at once.
                if started.elapsed() > Duration::from_secs(60) { backoff.reset() } else { backoff.wait().await }
            }
        };
        let ended: Result<(), ReaderGone> = tokio::select! {
            ended = lists => ended,
            () = steps.closed() => Err(ReaderGone),
        };
        tracing::debug!(kind = %self.gvr, ?ended, "not followed any more");
    }

    async fn say(&self, steps: &Steps, fault: Fault) -> Result<(), ReaderGone> {
        tracing::warn!(kind = %self.gvr, error = %fault, "cannot follow");
        send(steps, Step::Trouble(fault)).await
    }

    /// A full list of all scopes: their versions.
    async fn list(&self, steps: &Steps) -> Result<Result<Vec<String>, Fault>, ReaderGone> {
        send(steps, Step::Begin).await?;
        let mut versions = Vec::new();
        for scope in &self.scopes {
            match self.list_scope(scope, steps).await? {
                Ok(version) => versions.push(version),
                Err(fault) => {
                    self.metrics.list(&self.gvr.to_string(), ListEnd::Failed);
                    return Ok(Err(fault));
                }
            }
        }
        self.metrics.list(&self.gvr.to_string(), ListEnd::Complete);
        send(steps, Step::End(versions.first().cloned().unwrap_or_default())).await?;
        Ok(Ok(versions))
    }

    async fn list_scope(&self, scope: &Scope, steps: &Steps) -> Result<Result<String, Fault>, ReaderGone> {
        let mut next = None;
        loop {
            let page = match scope.page(next.as_deref()).await {
                Ok(page) => page,
                Err(fault) => return Ok(Err(fault)),
            };
            page.unfit.iter().for_each(|unfit| self.warn(unfit));
            self.metrics.objects(&self.gvr.to_string(), ObjectEnd::Put, page.objects.len() as u64);
            send(steps, Step::Page(page.objects)).await?;
            next = page.next;
            if next.is_none() {
                return Ok(Ok(page.resource_version));
            }
        }
    }

    /// Watches all scopes until the kind must be listed again.
    async fn watch(&self, steps: &Steps, versions: Vec<String>, until: Instant) -> Result<(), ReaderGone> {
        let proofs = Proofs::new(self.scopes.len());
        let versions: Vec<Mutex<String>> = versions.into_iter().map(Mutex::new).collect();
        let mut backoff = Backoff::network();
        loop {
            let before = Instant::now();
            let watches = self
                .scopes
                .iter()
                .zip(&versions)
                .enumerate()
                .map(|(index, (scope, version))| watch::run(self, scope, version, steps, proofs.of(index)));
            // One broken scope breaks all: a kind is never half fresh.
            let ended = tokio::select! {
                ended = try_join_all(watches) => ended.err(),
                () = tokio::time::sleep_until(until) => return Ok(()),
            };
            match ended {
                Some(Ended::ReaderGone) => return Err(ReaderGone),
                None | Some(Ended::Expired) => return Ok(()),
                Some(Ended::Failed(fault)) => self.say(steps, fault).await?,
            }
            if before.elapsed() > Duration::from_secs(60) {
                backoff.reset();
            }
            backoff.wait().await;
        }
    }

    pub(super) fn warn(&self, unfit: &Unfit) {
        tracing::warn!(kind = %self.gvr, error = %unfit, "an object is left out");
        self.metrics.objects(&self.gvr.to_string(), ObjectEnd::Unfit, 1);
    }

    pub(super) fn count(&self, end: WatchEnd) {
        self.metrics.watch(&self.gvr.to_string(), end);
    }
}

pub(super) async fn send(steps: &Steps, step: Step) -> Result<(), ReaderGone> {
    steps.send(step).await.map_err(|_| ReaderGone)
}

#[cfg(test)]
mod tests;
