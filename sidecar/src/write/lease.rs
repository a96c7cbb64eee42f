//! One replica writes: a `coordination.k8s.io/v1` Lease, taken by those whose engine is ready, given back as soon as it is
//! not: a replica that cannot write leaves the Lease to others.
//!
//! Clocks of different machines are never compared: another holder's time runs from when this process last saw the Lease
//! change. The right to write ends `renewDeadline` after the last renewal that was *sent*, before anybody else may take it.
//!
//! The Lease also says by which policies its holder places. Every replica reads that, leading or not, ready or not.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::Timestamp;
use kube::api::PostParams;
use kube::{Api, Client};
use plimsoll_contract::status::Status;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::COMPONENT;
use crate::cluster::Fault;
use crate::config::LeaseConfig;
use crate::engine::status::View;
use crate::metrics::Metrics;

mod record;
mod right;
mod term;

pub use record::Holder;
pub use right::{Grant, Right, Term, right};

use record::{Claim, given_back, holder};
use term::{Seen, Turn};

/// One request, if there is no hurry.
const ANSWER: Duration = Duration::from_secs(5);
/// Between two looks, whatever happens.
const BREATH: Duration = Duration::from_millis(20);
/// Without a Lease: how often the engine is told who leads.
const ALONE: Duration = Duration::from_secs(2);

/// The holder of the Lease and when that was read; `None` before the first time, and while the Lease names no policies.
pub type Sighting = Option<(Holder, Instant)>;

/// Competes for the Lease.
pub struct Elector {
    api: Option<Api<Lease>>,
    config: LeaseConfig,
    me: String,
    view: View,
    grant: Grant,
    sighting: watch::Sender<Sighting>,
    metrics: Metrics,
    seen: Seen,
    clock: Instant,
}

/// The state of an election, for other parts.
pub struct Election {
    /// Whether this replica may write.
    pub right: Right,
    /// What the Lease says.
    pub sighting: watch::Receiver<Sighting>,
}

impl Elector {
    /// `me` tells this process from all others. Without a Lease, a ready engine is enough.
    pub fn new(client: &Client, config: Option<&LeaseConfig>, me: String, view: View, metrics: Metrics) -> (Self, Election) {
        let (grant, right) = right();
        let (sighting, sightings) = watch::channel(None);
        let api = config.map(|lease| Api::namespaced(client.clone(), &lease.namespace));
        let config = config.cloned().unwrap_or_default();
        let (seen, clock) = (Seen::new(config.renew_deadline), Instant::now());
        let elector = Self { api, config, me, view, grant, sighting, metrics, seen, clock };
        (elector, Election { right, sighting: sightings })
    }

    /// Runs until `stop`; gives the Lease back before it returns.
    pub async fn run(mut self, stop: CancellationToken) {
        tokio::select! {
            () = self.terms() => {}
            () = stop.cancelled() => {}
        }
        self.leave().await;
    }

    /// Term after term, each as long as the engine is ready.
    async fn terms(&mut self) {
        let view = self.view.clone();
        loop {
            tokio::select! {
                biased;
                () = ready(view.clone(), true) => {}
                () = self.observe() => {}
            }
            tokio::select! {
                biased;
                () = ready(view.clone(), false) => {}
                () = self.serve() => {}
            }
            self.leave().await;
        }
    }

    async fn serve(&mut self) {
        match self.api.clone() {
            Some(api) => self.compete(&api).await,
            None => self.lead_alone().await,
        }
    }

    /// Without a Lease this replica is the only one; the engine is told so, and with it what stands still. For ever.
    async fn lead_alone(&self) {
        self.lead(Term::Endless);
        self.alone().await;
    }

    async fn alone(&self) {
        loop {
            let policy = policy(&self.view).unwrap_or_default();
            self.saw(Some(Holder { name: self.me.clone(), policy }));
            sleep(ALONE).await;
        }
    }

    async fn leave(&self) {
        let was_leading = self.grant.term() != Term::Over;
        self.lead(Term::Over);
        if let (true, Some(api)) = (was_leading, &self.api) {
            self.release(api).await;
        }
    }

    /// Reads what the Lease says, and leaves it to others; for ever.
    async fn observe(&mut self) {
        let Some(api) = self.api.clone() else { return self.alone().await };
        loop {
            match timeout(self.patience(), self.read(&api)).await {
                Ok(Ok(_)) => {}
                Ok(Err(fault)) => tracing::warn!(lease = self.config.name, error = %fault, "cannot read the Lease"),
                Err(_) => self.no_answer(),
            }
            sleep(self.config.retry_period.max(BREATH)).await;
        }
    }

    /// Takes the Lease when it is free and keeps it; for ever.
    async fn compete(&mut self, api: &Api<Lease>) {
        loop {
            let (asked, policy) = (Instant::now(), policy(&self.view));
            match timeout(self.patience(), self.look(api, asked, policy.as_deref())).await {
                Ok(Ok(true)) => self.lead(Term::Until(asked + self.config.renew_deadline)),
                Ok(Ok(false)) => self.lead(Term::Over),
                Ok(Err(fault)) => tracing::warn!(lease = self.config.name, error = %fault, "cannot read or write the Lease"),
                Err(_) => self.no_answer(),
            }
            if self.grant.term() != Term::Over && !self.grant.holds() {
                tracing::warn!(lease = self.config.name, "not renewed in time: this replica stops writing");
                self.lead(Term::Over);
            }
            self.rest(policy).await;
        }
    }

    /// Until the next look: at once when there are other policies to be told, and before the right to write ends.
    async fn rest(&mut self, told: Option<String>) {
        sleep(BREATH).await;
        let leading = matches!(self.grant.term(), Term::Until(_));
        let mut view = self.view.clone();
        let news = async {
            let is_new = |status: &Option<Arc<Status>>| digest(status.as_deref()) != told.as_deref();
            if !leading || view.wait_for(is_new).await.is_err() {
                std::future::pending().await
            }
        };
        let wait = self.left().map_or(self.config.retry_period, |left| left.min(self.config.retry_period));
        tokio::select! {
            () = sleep(wait.saturating_sub(BREATH)) => {}
            () = news => {}
        }
    }

    /// One look: true if the Lease is ours afterwards.
    async fn look(&mut self, api: &Api<Lease>, asked: Instant, policy: Option<&str>) -> Result<bool, Fault> {
        let lease = self.read(api).await?;
        let (before, now) = (asked.duration_since(self.clock), self.clock.elapsed());
        let turn = self.seen.turn(lease.as_ref(), &self.me, before, now);
        let (params, name) = (params(), &self.config.name);
        let ours = Claim { me: &self.me, policy, duration: self.config.duration }.on(name, lease, Timestamp::now());
        let written = match turn {
            Turn::Wait => return Ok(false),
            Turn::AskAgain => return Err(Fault::TimedOut(self.config.renew_deadline)),
            Turn::Create => api.create(&params, &ours).await,
            Turn::Take | Turn::Renew => api.replace(name, &params, &ours).await,
        };
        match written.map_err(Fault::from) {
            Ok(_) => {
                self.saw(holder(&ours));
                Ok(true)
            }
            // Somebody else was faster.
            Err(fault) if fault.code() == Some(409) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    async fn read(&self, api: &Api<Lease>) -> Result<Option<Lease>, Fault> {
        let lease = api.get_opt(&self.config.name).await?;
        self.saw(lease.as_ref().and_then(holder));
        Ok(lease)
    }

    fn saw(&self, holder: Option<Holder>) {
        self.sighting.send_replace(holder.map(|holder| (holder, Instant::now())));
    }

    async fn release(&self, api: &Api<Lease>) {
        let name = &self.config.name;
        let give_back = async {
            let Some(lease) = self.read(api).await?.and_then(|lease| given_back(lease, &self.me)) else { return Ok(()) };
            api.replace(name, &params(), &lease).await?;
            self.saw(holder(&lease));
            Ok::<_, Fault>(())
        };
        match timeout(ANSWER, give_back).await {
            Ok(Ok(())) => tracing::info!(lease = name, "given back"),
            Ok(Err(error)) => tracing::warn!(lease = name, %error, "cannot give the Lease back"),
            Err(_) => tracing::warn!(lease = name, "cannot give the Lease back in time"),
        }
    }

    fn lead(&self, term: Term) {
        let (before, leading) = (self.grant.set(term) != Term::Over, term != Term::Over);
        if before != leading {
            tracing::info!(me = self.me, leading, "the right to write has changed hands");
            self.metrics.leading.set(i64::from(leading));
        }
    }

    /// Returns what is left of the term; `None` where it is over or has no end.
    fn left(&self) -> Option<Duration> {
        match self.grant.term() {
            Term::Until(end) => Some(end.saturating_duration_since(Instant::now())),
            Term::Over | Term::Endless => None,
        }
    }

    /// Returns the time limit of one request: 5 s, half of the renew deadline, or what is left of the term, whichever is least.
    fn patience(&self) -> Duration {
        let answer = ANSWER.min(self.config.renew_deadline / 2);
        self.left().map_or(answer, |left| left.min(answer))
    }

    fn no_answer(&self) {
        tracing::warn!(lease = self.config.name, "the API server did not answer about the Lease");
    }
}

fn params() -> PostParams {
    PostParams { field_manager: Some(COMPONENT.into()), ..PostParams::default() }
}

/// Digest of the engine's policy sets, if it is known.
fn policy(view: &View) -> Option<String> {
    digest(view.borrow().as_deref()).map(str::to_owned)
}

fn digest(status: Option<&Status>) -> Option<&str> {
    status.map(|status| status.digest.as_str()).filter(|digest| !digest.is_empty())
}

/// Waits until the engine is ready, or is not any more.
async fn ready(mut view: View, wanted: bool) {
    let is_ready = |status: &Option<Arc<Status>>| status.as_ref().is_some_and(|status| status.ready);
    if view.wait_for(|status| is_ready(status) == wanted).await.is_err() {
        std::future::pending().await
    }
}
