//! The scheduling-policy admission hook of the federation API server: asks the policy engine where a workload may run and
//! writes the answer on it as annotations. Sources: federation v1.7 `plugin/pkg/admission/schedulingpolicy`, and the
//! proposal "Policy-based Federated Resource Placement".
//!
//! ```text
//!  write ─► scope (asked at all?) ─► encode ─► engine (attempts, deadline) ─► decision (read) ─► annotations merged
//!                                                  │ gave up                     │ errors
//!                                                  └──────► 403 and an Event ◄───┘
//! ```
//!
//! Where this departs from federation v1, and why:
//!
//! * Whether policy is in force is the engine's answer alone, never the existence of a ConfigMap (T1, T2): Plimsoll answers
//!   `{}` while no policy defines the document; a 404 denies, always.
//! * Only the workload kinds of `resources` are asked about, and what the system writes for itself never (T3).
//! * Updates that change nothing placement looks at pass, as do those of objects that are being deleted; what policy wrote on
//!   these stays.
//! * Connections that are refused or reset are tried again, and the request's deadline ends everything (T14).
//! * Values that are no strings are written as canonical JSON, `null` removes the annotation (T16, T17).
//! * The Event has a name, a reason and a subject, and is stored without passing admission again (T15).

mod config;
mod decision;
mod frozen;
mod scope;
mod served;
mod tell;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde_json::{Value as Json, json};
use tokio::time::Instant;

pub use config::{Config, ConfigError, Protocol};
pub use decision::Decision;
pub use served::unserved;

use super::engine::{Engine, Fault, GaveUp, Limits, Persistence, Plan};
use super::events::{Events, Notice, Reason};
use super::metrics::{Metrics, Outcome};
use super::{Attributes, Mutating, forbidden};
use crate::resources::initializers;
use crate::status::Status;
use scope::Scope;

/// The hook's name in messages, configuration and metrics; upstream's own.
pub const NAME: &str = "SchedulingPolicy";

/// Kept back from the request's deadline for the Event and the way back to the caller, at most.
const RESERVE: Duration = Duration::from_millis(500);

/// The hook.
pub struct SchedulingPolicy {
    engine: Arc<Engine>,
    protocol: Protocol,
    scope: Scope,
    first_wait: Duration,
    events: Events,
    metrics: Metrics,
}

impl SchedulingPolicy {
    /// Reads the engine's kubeconfig; speaks to nobody yet.
    pub fn new(config: &Config, events: Events, metrics: Metrics) -> Result<Self, ConfigError> {
        Self::with_limits(config, Limits::default(), events, metrics)
    }

    /// With other limits than the usual ones.
    pub fn with_limits(config: &Config, limits: Limits, events: Events, metrics: Metrics) -> Result<Self, ConfigError> {
        let scope = Scope::new(&config.resources)?;
        let engine = Arc::new(Engine::load(&config.kubeconfig, limits)?);
        Ok(Self { engine, protocol: config.protocol, scope, first_wait: config.first_wait(), events, metrics })
    }

    /// The hook's way to the engine, for those who ask it other things.
    pub fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.engine)
    }

    async fn decide(&self, request: &mut Attributes) -> Result<(), Status> {
        if self.scope.freezes(request) {
            freeze(request);
            return Ok(());
        }
        let Some(object) = request.object.as_ref().filter(|_| self.scope.asks_about(request)) else { return Ok(()) };
        let body = self.encode(object).map_err(|error| self.unencodable(request, &error))?;
        let decision = match self.ask(body, request.deadline).await {
            Ok(decision) => decision,
            Err(gave_up) => return Err(self.failed(request, &gave_up).await),
        };
        request.warnings.get_mut().extend(decision.warnings());
        if decision.is_denied() {
            return Err(self.denied(request, &decision).await);
        }
        let is_changed = request.object.as_mut().is_some_and(|object| decision.apply(object));
        self.metrics.decided(if is_changed { Outcome::Placed } else { Outcome::Untouched });
        Ok(())
    }

    /// The object alone, or as OPA's `input`; as it will be once it is initialized, or its later decisions would not be this one.
    fn encode(&self, object: &Json) -> Result<Bytes, serde_json::Error> {
        let mut object = Cow::Borrowed(object);
        if initializers::of(&object).is_some() {
            initializers::assign(object.to_mut(), []);
        }
        let body = match self.protocol {
            Protocol::Raw => serde_json::to_vec(&object)?,
            Protocol::OpaData => serde_json::to_vec(&json!({ "input": object }))?,
        };
        Ok(body.into())
    }

    async fn ask(&self, body: Bytes, deadline: std::time::Instant) -> Result<Decision, GaveUp> {
        let deadline = Instant::from_std(deadline);
        let reserve = RESERVE.min(deadline.saturating_duration_since(Instant::now()) / 10);
        let plan = Plan { first: self.first_wait, deadline: deadline - reserve };
        let attempt = async |limit| {
            let _timer = self.metrics.attempt();
            let answer = self.engine.post(self.engine.url(), body.clone(), limit).await?;
            Decision::read(self.protocol, &answer)
        };
        let failed = |fault: &Fault, again| {
            tracing::warn!(engine = %self.engine.url(), %fault, again, "the policy engine gave no decision");
            self.metrics.failed(fault.cause(), again);
        };
        Persistence::new(plan).ask(attempt, failed).await
    }

    async fn denied(&self, request: &Attributes, decision: &Decision) -> Status {
        self.metrics.decided(Outcome::Denied);
        let why = tell::denial(decision);
        self.events.warn(request, Notice { reason: Reason::PlacementDenied, topic: &why, message: &why }).await;
        forbidden(request, why)
    }

    async fn failed(&self, request: &Attributes, gave_up: &GaveUp) -> Status {
        self.metrics.decided(Outcome::Failed);
        let why = tell::failure(self.engine.url(), gave_up);
        // The message counts attempts and time; the topic does not, so that an outage is one Event for each object.
        let topic = gave_up.last.cause().name();
        self.events.warn(request, Notice { reason: Reason::PlacementFailed, topic, message: &why }).await;
        forbidden(request, why)
    }

    fn unencodable(&self, request: &Attributes, error: &serde_json::Error) -> Status {
        self.metrics.decided(Outcome::Failed);
        forbidden(request, format!("{NAME}: the object cannot be encoded for the policy engine: {error}"))
    }
}

fn freeze(request: &mut Attributes) {
    if let (Some(old), Some(new)) = (&request.old, &mut request.object) {
        frozen::restore(old, new);
    }
}

impl Mutating for SchedulingPolicy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn admit<'a>(&'a self, request: &'a mut Attributes) -> LocalBoxFuture<'a, Result<(), Status>> {
        self.decide(request).boxed_local()
    }
}
