//! The sidecar as an initializer: what waits for `--initializer` is placed before anybody else sees it. For API servers that have
//! initializers (`docs/initializers.md`), instead of a webhook: no certificate, and the engine may be away for a moment.
//!
//! ```text
//!   API server: list, watch with includeUninitialized ─► turn: is it ours? ─► engine: decide ─► decision ─► write/initialize
//!                                                            ▲                    │ not now
//!                                                            └──── waiting ◄──────┘
//! ```
//!
//! What is written is what the API server's own hook would write. Who is refused by policy gets policy's words as the answer to
//! its create. While the engine cannot decide, nothing is written: the API server passes the initializer over, or fails the
//! object, as the `failurePolicy` of its configuration says.

mod decision;
mod served;
mod turn;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::Kind;
use tokio::time::{Instant, sleep_until};

pub use decision::{Decision, Unread};
pub use served::Served;
pub use turn::Turn;

use crate::backoff::Backoff;
use crate::cluster::connection::Connection;
use crate::config::Config;
use crate::engine::Engine;
use crate::engine::status::View;
use crate::metrics::Metrics;
use crate::replicate::discovery::Discovered;
use crate::replicate::reflector::{Reflector, Step};
use crate::replicate::scope::Scope;
use crate::write::apply::Apply;
use crate::write::initialize::Ended;
use crate::write::throttle::Throttle;
use waiting::Waiting;

/// What cannot be decided or written now is tried again after this time: the API server does not wait for long.
const AGAIN: Duration = Duration::from_millis(500);

/// Initializes the objects of one kind.
pub struct Initializer {
    /// Its name, as in `metadata.initializers.pending`.
    pub name: String,
    /// The API server.
    pub connection: Connection,
    /// The engine.
    pub engine: Arc<Engine>,
    /// The whole configuration.
    pub config: Arc<Config>,
    /// Position in the table of kinds.
    pub row: usize,
    /// What the API server serves.
    pub discovered: Discovered,
    /// The engine's status: where policies decide.
    pub view: View,
    /// Writes.
    pub apply: Apply,
    /// The one brake of all writes.
    pub throttle: Throttle,
    /// Where to count.
    pub metrics: Metrics,
}

impl Initializer {
    /// Runs for ever.
    pub async fn run(mut self) {
        let mut backoff = Backoff::new(self.config.mirror.retry, self.config.mirror.retry_most);
        while let Some(kind) = self.discovered.served(self.row).await {
            self.follow(&kind).await;
            backoff.wait().await;
        }
    }

    /// Until the kind cannot be followed any more.
    async fn follow(&self, kind: &Kind) {
        let scopes = Scope::of_kind(&self.connection, kind, &self.config.mirror);
        let scopes = scopes.into_iter().map(Scope::with_uninitialized).collect();
        let (relist, pace, metrics) = (self.config.relist, self.config.mirror, self.metrics.clone());
        let mut steps = Reflector { gvr: kind.gvr.clone(), scopes, relist, pace, metrics }.start();
        let (mut waiting, mut pause) = (Waiting::default(), Instant::now());
        loop {
            tokio::select! {
                step = steps.recv() => match step {
                    Some(Step::Trouble(trouble)) => tracing::warn!(%trouble, "new objects may wait for their initializer"),
                    Some(step) => waiting.take(step, &self.name),
                    None => return,
                },
                () = sleep_until(pause), if !waiting.is_empty() => {
                    while let Some(turn) = waiting.next() {
                        if !self.initialize(kind, &turn).await {
                            waiting.put_back(turn);
                            pause = Instant::now() + AGAIN;
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Whether nothing is left to do for this turn.
    async fn initialize(&self, kind: &Kind, turn: &Turn) -> bool {
        let path = self.view.borrow().as_ref().map(|status| status.placement_path.clone());
        let Some(path) = path.filter(|_| self.apply.may_write()) else { return false };
        let decision = match self.engine.decide(&path, turn.asked.to_string()).await {
            Ok(decision) => decision,
            Err(error) => {
                tracing::warn!(kind = %kind.gvr, namespace = turn.name.namespace, name = turn.name.name, %error, "not decided yet");
                return false;
            }
        };
        let permit = self.throttle.begin().await;
        self.apply.initialize(&kind.gvr, &turn.name, decision.patch(turn), permit).await == Ended::Done
    }
}

#[cfg(test)]
mod tests;
