//! Configurations of webhooks and initializers that another API server keeps: what a server needs that has no store of them, such as one
//! that is aggregated into a kube-apiserver. Source of the rules: the design of dynamic admission for Kubernetes 1.7, and `apiserver`
//! `pkg/admission/configuration/configuration_manager.go`, 1.7 to 1.13.
//!
//! ```text
//!   the other API server ─► list (consistent, once a second) ─► registrations ─► what is in force for a request
//!                                      │ failed
//!                                      └─► what was read last, for 5 s; then writes are refused until a read succeeds
//! ```
//!
//! A read is all or nothing: one list that fails, or one configuration that cannot be read, leaves in force what was. Time counts from the
//! begin of a read, for a change may follow it at once. Nothing is kept across a restart, so the first request that is judged is judged by a
//! read of this life.
//!
//! Departures from upstream. What is too old is told by time, not by five failures in a row: a read that hangs is none. A list that is
//! forbidden is a failure: upstream took it for a switched-off API, and admitted everything; what is served is asked of discovery
//! instead.

mod error;
mod list;
mod metrics;
mod registrations;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::outbound::{Peer, WayError};
use super::webhook::FailurePolicy;

pub use error::{INITIALIZERS_FAILED, NotFresh, RefreshError, Stage, loading};
pub use metrics::Metrics;
pub use registrations::Registrations;

/// Where the configurations are, and how old they may be.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Of the other API server.
    pub kubeconfig: PathBuf,
    /// From the begin of one read to that of the next.
    pub every: Duration,
    /// A request that begins longer after the begin of the last read is judged by nothing.
    pub stale_after: Duration,
    /// How long the answers of one read may take: one that hangs leaves time for another before what is known is too old.
    pub timeout: Duration,
}

/// The configurations of another API server, as they were read last.
#[derive(Debug)]
pub struct Remote {
    peer: Arc<Peer>,
    settings: Settings,
    read: ArcSwapOption<Read>,
    /// Why the last read failed; nothing where it did not.
    failure: ArcSwapOption<RefreshError>,
    /// The log says that writes are refused.
    refuses: AtomicBool,
    metrics: Metrics,
}

/// A read that succeeded.
#[derive(Debug)]
struct Read {
    registrations: Arc<Registrations>,
    begun: Instant,
}

impl Settings {
    /// As it was designed: a read each second, and nothing older than five.
    pub fn new(kubeconfig: PathBuf) -> Self {
        let (every, stale_after, timeout) = (Duration::from_secs(1), Duration::from_secs(5), Duration::from_millis(2_500));
        Self { kubeconfig, every, stale_after, timeout }
    }
}

impl Remote {
    /// Reads the kubeconfig; speaks to nobody yet. Fails when it cannot be used.
    pub fn new(settings: Settings, metrics: Metrics) -> Result<Self, WayError> {
        let peer = Arc::new(Peer::load(&settings.kubeconfig)?);
        let (read, failure, refuses) = (ArcSwapOption::empty(), ArcSwapOption::empty(), AtomicBool::default());
        Ok(Self { peer, settings, read, failure, refuses, metrics })
    }

    /// Returns the client of the other API server, for whoever asks it for something else, such as Services.
    pub fn peer(&self) -> Arc<Peer> {
        Arc::clone(&self.peer)
    }

    /// Returns what judges a request that begins now. Fails when nothing was read, or nothing recent.
    pub fn now(&self) -> Result<Arc<Registrations>, Arc<NotFresh>> {
        let read = self.read.load();
        match read.as_ref().filter(|read| read.begun.elapsed() <= self.settings.stale_after) {
            Some(read) => Ok(Arc::clone(&read.registrations)),
            None => Err(Arc::new(NotFresh { ever: read.is_some(), why: self.failure.load_full() })),
        }
    }

    /// Returns why the last read failed; nothing where it succeeded, or there was none.
    pub fn failure(&self) -> Option<Arc<RefreshError>> {
        self.failure.load_full()
    }

    /// Returns whether what was read last is recent enough to judge requests by.
    pub fn is_fresh(&self) -> bool {
        self.now().is_ok()
    }

    /// Returns the failure policy of an initializer; nothing for one that is not configured. Fails when nothing was read, or nothing recent.
    pub fn policy(&self, initializer: &str) -> Result<Option<FailurePolicy>, Arc<NotFresh>> {
        let now = self.now()?;
        Ok(now.initializers.iter().find(|known| known.name == initializer).map(|known| known.failure_policy))
    }

    /// Reads everything once. Returns whether that succeeded; if not, what was read before stays as it is.
    pub async fn refresh(&self) -> bool {
        let begun = Instant::now();
        let result = self.look().await;
        self.metrics.refreshed(result.is_ok());
        match result {
            Ok(registrations) => self.succeeded(Read { registrations: Arc::new(registrations), begun }),
            Err(error) => self.failed(error),
        }
        self.failure.load().is_none()
    }

    async fn look(&self) -> Result<Registrations, RefreshError> {
        let limit = self.settings.timeout;
        let answers = timeout(limit, list::ask(&self.peer)).await.unwrap_or(Err(RefreshError::Late(limit)))?;
        let last = self.read.load().as_ref().map(|read| Arc::clone(&read.registrations)).unwrap_or_default();
        // Conditions are compiled here, which takes its time where there are thousands of new ones, and is not begun again meanwhile.
        spawn_blocking(move || Registrations::read(answers, &last)).await.map_err(RefreshError::GivenUp)?
    }

    /// Reads until it has worked once, for at most as long as what is read counts.
    pub async fn first(&self) {
        let read = async {
            while !self.refresh().await {
                sleep(self.settings.every).await;
            }
        };
        // What failed is in the log.
        let _late = timeout(self.settings.stale_after, read).await;
    }

    fn succeeded(&self, read: Read) {
        self.metrics.read();
        self.read.store(Some(Arc::new(read)));
        self.refuses.store(false, Ordering::Relaxed);
        if let Some(error) = self.failure.swap(None) {
            tracing::info!(after = %error, "the configurations of admission are read again");
        }
    }

    /// Tells the log of what is new: an outage is not told each second. Certificates may have been renewed, so they are read again.
    fn failed(&self, error: RefreshError) {
        if let Err(error) = self.peer.reload() {
            tracing::warn!(error = &error as &dyn std::error::Error, "the kubeconfig cannot be read again; it is used as it was");
        }
        let (detail, is_fresh) = (error.detail(), self.is_fresh());
        let was_told = self.failure.load().as_ref().is_some_and(|last| last.to_string() == error.to_string());
        match (is_fresh, self.refuses.swap(!is_fresh, Ordering::Relaxed)) {
            (true, _) if was_told => {}
            (true, _) => {
                tracing::warn!(%error, detail, "the configurations of admission were not read; those read last still count")
            }
            (false, true) if was_told => {}
            (false, _) => {
                tracing::error!(%error, detail, "the configurations of admission are not known: writes are refused until they are")
            }
        }
        self.failure.store(Some(Arc::new(error)));
    }
}

/// Reads again and again.
pub async fn run(remote: Arc<Remote>) {
    let mut ticks = interval(remote.settings.every.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        remote.refresh().await;
    }
}
