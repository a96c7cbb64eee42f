//! The edge: HTTP in, decisions out.
//!
//! ```text
//!  --addr            edge (auth, metrics, stamp) ─► opa (OPA's API) · plimsoll (/plimsoll/v1) · health · metrics
//!  --review-addr     tls ─► edge ─► review
//!  --diagnostic-addr edge ─► health · metrics
//! ```
//!
//! What evaluates or writes runs on one of the [`pool::lanes`]; errors become HTTP in [`respond`].

pub mod address;
pub mod auth;
pub mod authorize;
pub mod edge;
pub mod encoding;
pub mod gate;
pub mod health;
pub mod http;
pub mod identity;
pub mod limits;
pub mod listen;
pub mod logged;
pub mod metrics;
pub mod opa;
pub mod origin;
pub mod plimsoll;
pub mod pool;
pub mod reload;
pub mod request;
pub mod respond;
pub mod review;
pub mod settings;
pub mod tls;

pub use metrics::{Metrics, Protocol};
pub use settings::Settings;

use std::sync::Arc;
use std::time::Duration;
use std::{io, thread};

use plimsoll_contract::outcome::{Outcome, Unavailable};
use plimsoll_contract::status::OnStale;
use tokio::sync::{Semaphore, watch};

use crate::budget::{Budget, BudgetError, Charge};
use crate::decision::{Config, Decision, Sight};
use crate::placements::Table;
use crate::server::auth::Authentication;
use crate::server::pool::{Deadline, Lane, Lanes, PoolError};
use crate::snapshot::{Snapshot, Store};

/// For what an answer takes beside its evaluation: reading the input, encoding, compressing.
const GRACE: Duration = Duration::from_secs(1);

/// Reviews that wait for the mirror at once.
const WAITING: usize = 64;

/// What every handler works with.
#[derive(Debug)]
pub struct Engine {
    /// Snapshots, and the way to write.
    pub store: Arc<Store>,
    /// Placed objects.
    pub table: Arc<Table>,
    /// What does not change while the engine runs.
    pub config: Arc<Config>,
    /// OPA's settings.
    pub settings: Settings,
    /// Who may read and write on the API listener.
    pub authentication: Authentication,
    /// Counters.
    pub metrics: Metrics,
    /// What everything that is read may take.
    pub budget: Arc<Budget>,
    /// Where everything runs that takes a while.
    pub lanes: Lanes,
    /// Seats for reviews that wait for the mirror.
    pub waiting: Semaphore,
    /// The turn to explain a denial: no storm of them keeps others waiting.
    pub explaining: review::told::Turn,
    /// How far the shutdown is.
    pub phase: watch::Sender<Phase>,
}

/// Of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Answering.
    Serving,
    /// Still answering, but not ready, so that callers go elsewhere.
    Leaving,
    /// Streams end, connections close.
    Draining,
}

impl Engine {
    /// Starts the pools.
    pub fn start(
        (store, table): (Arc<Store>, Arc<Table>),
        config: Config,
        authentication: Authentication,
        settings: Settings,
        budget: Arc<Budget>,
    ) -> io::Result<Self> {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        let lanes = Lanes::start(cores, config.limits.time)?;
        Ok(Self {
            store,
            table,
            config: Arc::new(config),
            settings,
            authentication,
            metrics: Metrics::new().map_err(io::Error::other)?,
            budget,
            lanes,
            waiting: Semaphore::new(WAITING),
            explaining: review::told::Turn::default(),
            phase: watch::Sender::new(Phase::Serving),
        })
    }

    /// Why requests should go elsewhere; empty when ready.
    pub fn unready_reasons(&self, snapshot: &Snapshot) -> Vec<String> {
        let leaving = (*self.phase.borrow() != Phase::Serving).then(|| "shutting down".to_owned());
        let Sight { stale, on_stale, .. } = self.sight(snapshot);
        // Otherwise the Service would lose the pod, and nobody could be warned.
        let stale = stale.into_iter().filter(|_| on_stale == OnStale::Deny);
        leaving.into_iter().chain(self.lanes.unready()).chain(snapshot.not_ready.iter().cloned()).chain(stale).collect()
    }

    /// What is stale of a snapshot now, and what a decision does then; letting go does not wait.
    pub fn sight(&self, snapshot: &Snapshot) -> Sight {
        Sight { stale: self.store.stale(snapshot), on_stale: self.store.freshness().on_stale, grace: None }
    }

    /// Takes what a document will take while it is read and worked on, from the share of its lane.
    pub fn charge(&self, lane: Lane, cost: u64) -> Result<Charge, BudgetError> {
        self.budget.document(lane.class(), cost).inspect_err(|error| self.metrics.short(lane, *error))
    }

    /// What a body that is about to arrive is charged to.
    pub fn body(&self, lane: Lane) -> Charge {
        self.budget.body(lane.class())
    }

    /// Runs work that ends by itself, and soon: whoever asked is answered in time.
    pub async fn evaluate<T: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolError> {
        self.run(lane, Some(Deadline::after(self.config.limits.time, GRACE)), work).await
    }

    /// Runs work on the workers of its kind; without a deadline it may take its time.
    pub async fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        deadline: Option<Deadline>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolError> {
        self.lanes.pool(lane).run(deadline, work).await.inspect_err(|error| self.metrics.refused(lane, *error))
    }

    /// Counts a decision and says what went wrong with one that could not be made.
    pub fn record(&self, protocol: Protocol, decision: &Decision, sight: &Sight) {
        self.metrics.decided(protocol, decision);
        if !sight.stale.is_empty() && !matches!(decision.outcome, Outcome::Exempt | Outcome::Unavailable { .. }) {
            self.metrics.decided_stale(protocol);
        }
        match &decision.outcome {
            Outcome::Unavailable { reason: Unavailable::Failed | Unavailable::Invalid, message } => {
                tracing::warn!(protocol = protocol.name(), outcome = decision.outcome.name(), message, "no decision");
            }
            outcome => tracing::debug!(protocol = protocol.name(), outcome = outcome.name(), "decided"),
        }
    }
}
