//! List, then watch, for ever: a full list, its changes, and proofs that nothing was missed.
//!
//! ```text
//!  list (pages) ──► watch from its version ──► closed: watch again from the last version
//!      ▲                   │ expired (410), or `relist` is over
//!      └───────────────────┘            failed: wait, then watch again from the last version
//! ```
//!
//! Each collection of a kind is followed for itself. A list that fails changes nothing: the watches go on where they were.

use std::sync::Arc;
use std::time::Duration;

use futures::future::select_all;
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::version::ResourceVersion;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use super::object::{Change, Object, Unfit};
use super::proofs::Proofs;
use super::scope::Scope;
use super::seen::Seen;
use super::watch::{self, Collection, Ended};
use crate::backoff::{Backoff, about};
use crate::cluster::Fault;
use crate::config::MirrorConfig;
use crate::metrics::Metrics;
use crate::results::{ObjectEnd, WatchEnd};

mod list;

use list::Failed;

/// An event of the reflector, in order.
#[derive(Debug)]
pub enum Step {
    /// A full list begins; what was told of an unfinished one is void.
    Begin(Seen),
    /// Some objects of the list.
    Page(Vec<Object>),
    /// The list is complete and true at the version that it began with.
    End,
    /// One object changed, at this version if it can be compared.
    Change(Change, Option<ResourceVersion>),
    /// Everything told so far is all there is.
    Current(Seen),
    /// Something does not work at the moment; the reflector tries again.
    Trouble(Trouble),
}

/// A request of the reflector that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {verb} {what}: {fault}")]
pub struct Trouble {
    /// `list` or `watch`.
    pub verb: &'static str,
    /// The kind, and the namespace if there is one.
    pub what: String,
    /// Why.
    pub fault: Arc<Fault>,
}

/// Follows one kind by list and watch.
pub struct Reflector {
    /// The kind, for messages.
    pub gvr: Gvr,
    /// Its collections.
    pub scopes: Vec<Scope>,
    /// Time between two full lists, give or take a tenth.
    pub relist: Duration,
    /// All other times.
    pub pace: MirrorConfig,
    /// Where to count.
    pub metrics: Metrics,
}

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
        let ended: Result<(), ReaderGone> = tokio::select! {
            ended = self.follow(steps) => ended,
            () = steps.closed() => Err(ReaderGone),
        };
        tracing::debug!(kind = %self.gvr, ?ended, "not followed any more");
    }

    async fn follow(&self, steps: &Steps) -> Result<(), ReaderGone> {
        let mut backoff = self.backoff();
        // Kinds that began together are not listed again together.
        let mut relist = about(self.relist.mul_f64(0.75), 1.0 / 3.0);
        let mut known: Option<Vec<Collection<'_>>> = None;
        let mut is_second_try = false;
        loop {
            match self.list(steps).await? {
                Ok(collections) => {
                    let started = Instant::now();
                    let collections = known.insert(collections);
                    tokio::select! {
                        ended = self.watch(steps, collections, false) => ended?,
                        () = sleep(relist) => {}
                    }
                    relist = about(self.relist, 0.1);
                    is_second_try = false;
                    // A list that is void at once must not be repeated at once.
                    if started.elapsed() > self.pace.steady { backoff.reset() } else { backoff.wait().await }
                }
                // Its pages came too slowly for the API server's memory: from the start, without its inconsistent rest.
                Err(failed) if failed.fault.is_expired() && !is_second_try => is_second_try = true,
                Err(failed) => {
                    self.say(steps, "list", failed.index, &failed.fault).await?;
                    let unknown = Vec::new();
                    tokio::select! {
                        ended = self.watch(steps, known.as_ref().unwrap_or(&unknown), true) => ended?,
                        () = self.cleared(failed, &mut backoff) => {}
                    }
                }
            }
        }
    }

    /// Waits until it makes sense to list again: where one of several collections failed, not before it answers.
    async fn cleared(&self, failed: Failed, backoff: &mut Backoff) {
        let Failed { index, mut fault } = failed;
        loop {
            sleep(backoff.next_delay().max(fault.retry_after().unwrap_or_default())).await;
            let several = self.scopes.get(index).filter(|_| self.scopes.len() > 1);
            match several {
                None => return,
                Some(scope) => match scope.newest().await {
                    Ok(_) => return,
                    Err(still) => fault = Arc::new(still),
                },
            }
        }
    }

    async fn say(&self, steps: &Steps, verb: &'static str, index: usize, fault: &Arc<Fault>) -> Result<(), ReaderGone> {
        let what = self.scopes.get(index).map_or_else(|| self.gvr.to_string(), ToString::to_string);
        let trouble = Trouble { verb, what, fault: fault.clone() };
        tracing::warn!(error = %trouble, "cannot follow");
        send(steps, Step::Trouble(trouble)).await
    }

    /// Watches all collections until one is too old to be watched; never ends if `is_listed_anyway`.
    async fn watch(&self, steps: &Steps, collections: &[Collection<'_>], is_listed_anyway: bool) -> Result<(), ReaderGone> {
        let proofs = Proofs::new(self.scopes.len(), (self.pace.probe + self.pace.confirm) * 2);
        let watches = collections.iter().map(|collection| {
            Box::pin(async {
                self.keep(steps, collection, &proofs).await?;
                if is_listed_anyway { std::future::pending().await } else { Ok::<(), ReaderGone>(()) }
            })
        });
        let watches: Vec<_> = watches.collect();
        if watches.is_empty() {
            return std::future::pending().await;
        }
        select_all(watches).await.0
    }

    /// Watches one collection, whatever fails, until it is too old.
    async fn keep(&self, steps: &Steps, collection: &Collection<'_>, proofs: &Proofs) -> Result<(), ReaderGone> {
        let mut backoff = self.backoff();
        loop {
            let before = Instant::now();
            let fault = match watch::run(self, collection, steps, proofs).await.err() {
                Some(Ended::ReaderGone) => return Err(ReaderGone),
                None | Some(Ended::Expired) => return Ok(()),
                Some(Ended::Failed(fault)) => Arc::new(fault),
            };
            self.say(steps, "watch", collection.index, &fault).await?;
            if before.elapsed() > self.pace.steady {
                backoff.reset();
            }
            // What the request itself took is waited already.
            let delay = before + backoff.next_delay();
            sleep_until(fault.retry_after().map_or(delay, |after| delay.max(Instant::now() + after))).await;
        }
    }

    /// A comparable version of a kind that has one collection.
    pub(super) fn version(&self, text: &str) -> Option<ResourceVersion> {
        if self.scopes.len() == 1 { ResourceVersion::parse(text) } else { None }
    }

    fn backoff(&self) -> Backoff {
        Backoff::new(self.pace.retry, self.pace.retry_most)
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
