//! One replica writes: a `coordination.k8s.io/v1` Lease, taken by those whose engine is ready, given back as soon as it is
//! not: a replica that cannot write leaves the Lease to others.
//!
//! Clocks of different machines are never compared: another holder's time runs from when this process last saw the Lease
//! change. The right to write ends `deadline` after the last renewal that was *sent*, before anybody else may take it.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
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

mod term;

use term::{Seen, Turn};

/// How long things take.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Others may take the Lease when it has not changed for this long; whole seconds.
    duration: Duration,
    /// Without a renewal for this long the right to write is over; shorter than `duration`.
    deadline: Duration,
    /// Time between two looks at the Lease.
    period: Duration,
}

/// As client-go has it.
const PACE: Pace = Pace { duration: Duration::from_secs(15), deadline: Duration::from_secs(10), period: Duration::from_secs(2) };
/// One request.
const ANSWER: Duration = Duration::from_secs(5);

/// Competes for the Lease.
pub struct Elector {
    api: Option<(Api<Lease>, String)>,
    me: String,
    view: View,
    leading: watch::Sender<bool>,
    metrics: Metrics,
    pace: Pace,
}

impl Elector {
    /// `me` tells this process from all others. Without a Lease, a ready engine is enough.
    pub fn new(
        client: &Client,
        config: Option<&LeaseConfig>,
        me: String,
        view: View,
        metrics: Metrics,
    ) -> (Self, watch::Receiver<bool>) {
        let (leading, receiver) = watch::channel(false);
        let api = config.map(|lease| (Api::namespaced(client.clone(), &lease.namespace), lease.name.clone()));
        (Self { api, me, view, leading, metrics, pace: PACE }, receiver)
    }

    /// For tests: the same in less time.
    #[cfg(test)]
    pub(super) fn hurried(mut self) -> Self {
        let millis = Duration::from_millis;
        self.pace = Pace { duration: Duration::from_secs(1), deadline: millis(200), period: millis(20) };
        self
    }

    /// Runs until `stop`; gives the Lease back before it returns.
    pub async fn run(self, stop: CancellationToken) {
        let terms = async {
            loop {
                ready(self.view.clone(), true).await;
                tokio::select! {
                    () = self.serve() => {}
                    () = ready(self.view.clone(), false) => {}
                }
                self.leave().await;
            }
        };
        tokio::select! {
            () = terms => {}
            () = stop.cancelled() => self.leave().await,
        }
    }

    async fn serve(&self) {
        match &self.api {
            Some((api, name)) => self.compete(api, name).await,
            None => {
                self.lead(true);
                std::future::pending().await
            }
        }
    }

    async fn leave(&self) {
        let was_leading = *self.leading.borrow();
        self.lead(false);
        if let (true, Some((api, name))) = (was_leading, &self.api) {
            self.release(api, name).await;
        }
    }

    /// Takes the Lease when it is free and keeps it; for ever.
    async fn compete(&self, api: &Api<Lease>, name: &str) {
        let clock = Instant::now();
        let Pace { deadline, period, .. } = self.pace;
        let mut seen = Seen::default();
        let mut renewed: Option<Instant> = None;
        loop {
            let sent = Instant::now();
            let left = renewed.map_or(ANSWER, |at| (at + deadline).saturating_duration_since(sent).min(ANSWER));
            match timeout(left, self.look(api, name, &mut seen, clock)).await {
                Ok(Ok(true)) => {
                    renewed = Some(sent);
                    self.lead(true);
                }
                Ok(Ok(false)) => {
                    renewed = None;
                    self.lead(false);
                }
                Ok(Err(fault)) => tracing::warn!(lease = name, error = %fault, "cannot read or write the Lease"),
                Err(_) => tracing::warn!(lease = name, "the API server did not answer about the Lease"),
            }
            if renewed.is_some_and(|at| at.elapsed() >= deadline) {
                tracing::warn!(lease = name, "not renewed in time: this replica stops writing");
                renewed = None;
                self.lead(false);
            }
            let until = renewed.map(|at| at + deadline);
            let wait = until.map_or(period, |until| until.saturating_duration_since(Instant::now()).min(period));
            sleep(wait.max(Duration::from_millis(20))).await;
        }
    }

    /// One look: true if the Lease is ours afterwards.
    async fn look(&self, api: &Api<Lease>, name: &str, seen: &mut Seen, clock: Instant) -> Result<bool, Fault> {
        let params = PostParams { field_manager: Some(COMPONENT.into()), ..PostParams::default() };
        let lease = api.get_opt(name).await?;
        let now = Timestamp::now();
        let written = match seen.turn(lease.as_ref(), &self.me, clock.elapsed()) {
            Turn::Wait => return Ok(false),
            Turn::Create => {
                let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
                let spec = Some(taken(None, &self.me, now, self.pace));
                api.create(&params, &Lease { metadata, spec }).await
            }
            Turn::Take | Turn::Renew => {
                let mut lease = lease.unwrap_or_default();
                lease.spec = Some(taken(lease.spec.as_ref(), &self.me, now, self.pace));
                api.replace(name, &params, &lease).await
            }
        };
        match written.map_err(Fault::from) {
            Ok(_) => Ok(true),
            // Somebody else was faster.
            Err(fault) if fault.code() == Some(409) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    async fn release(&self, api: &Api<Lease>, name: &str) {
        let give_back = async {
            let Some(mut lease) = api.get_opt(name).await? else { return Ok(()) };
            let Some(spec) = lease.spec.as_mut().filter(|spec| spec.holder_identity.as_deref() == Some(&self.me)) else {
                return Ok(());
            };
            spec.holder_identity = None;
            spec.lease_duration_seconds = Some(1);
            api.replace(name, &PostParams::default(), &lease).await.map(|_| ())
        };
        match timeout(ANSWER, give_back).await {
            Ok(Ok(())) => tracing::info!(lease = name, "given back"),
            Ok(Err(error)) => tracing::warn!(lease = name, error = %Fault::from(error), "cannot give the Lease back"),
            Err(_) => tracing::warn!(lease = name, "cannot give the Lease back in time"),
        }
    }

    fn lead(&self, leading: bool) {
        let changed = self.leading.send_if_modified(|now| std::mem::replace(now, leading) != leading);
        if changed {
            tracing::info!(me = self.me, leading, "the right to write has changed hands");
            self.metrics.leading.set(i64::from(leading));
        }
    }
}

/// Waits until the engine is ready, or is not any more.
async fn ready(mut view: View, wanted: bool) {
    let is_ready = |status: &Option<Arc<Status>>| status.as_ref().is_some_and(|status| status.ready);
    if view.wait_for(|status| is_ready(status) == wanted).await.is_err() {
        std::future::pending().await
    }
}

/// The Lease as ours: renewed if it was, else taken.
fn taken(before: Option<&LeaseSpec>, me: &str, now: Timestamp, pace: Pace) -> LeaseSpec {
    let before = before.cloned().unwrap_or_default();
    let is_mine = before.holder_identity.as_deref() == Some(me);
    let is_first = before.holder_identity.is_none() && before.acquire_time.is_none();
    let transitions = before.lease_transitions.unwrap_or(0);
    LeaseSpec {
        holder_identity: Some(me.into()),
        lease_duration_seconds: i32::try_from(pace.duration.as_secs()).ok(),
        acquire_time: before.acquire_time.filter(|_| is_mine).or(Some(MicroTime(now))),
        renew_time: Some(MicroTime(now)),
        lease_transitions: Some(if is_mine || is_first { transitions } else { transitions.saturating_add(1) }),
        ..LeaseSpec::default()
    }
}
