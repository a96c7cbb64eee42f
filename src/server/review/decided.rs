//! The decision that a review asks for.

use std::time::Instant;

use plimsoll_contract::outcome::Outcome;

use super::judge::Review;
use super::wire::Request;
use crate::decision::{Config, Decision, Subject, decide_seeing, decide_seen};
use crate::server::Protocol;

/// How many bytes of a kept answer are looked at without a worker: a patch, and why not elsewhere, take some 100 us then.
const SHOWN: usize = 64 << 10;

impl Review<'_> {
    /// The decision, in the time that is left.
    pub(super) fn decided(&self, subject: Subject<'_>) -> Decision {
        let (engine, Request { uid, kind, namespace, name, .. }) = (self.engine, &self.request);
        let (kind, revision) = (&kind.kind, self.snapshot.revision);
        let _span = tracing::info_span!("review", uid, kind, namespace, name, revision).entered();
        let started = Instant::now();
        let sight = engine.sight(&self.snapshot);
        let decision = if self.budget < engine.config.limits.time {
            let mut config = Config::clone(&engine.config);
            config.limits.time = self.budget;
            decide_seeing(&self.snapshot, subject, &config, &sight)
        } else {
            decide_seeing(&self.snapshot, subject, &engine.config, &sight)
        };
        engine.metrics.evaluation.observe(started.elapsed().as_secs_f64());
        engine.record(Protocol::of_review(self.version), &decision, &sight);
        decision
    }

    /// [`Self::decided`], if no policy has to be evaluated for it. Nothing is counted where it returns nothing.
    pub(super) fn seen(&self, subject: Subject<'_>) -> Option<Decision> {
        let (engine, started) = (self.engine, Instant::now());
        let sight = engine.sight(&self.snapshot);
        let decision = decide_seen(&self.snapshot, subject, &engine.config, &sight, SHOWN)?;
        // What is unavailable is answered with an error, and said: elsewhere.
        if matches!(decision.outcome, Outcome::Unavailable { .. }) {
            return None;
        }
        engine.metrics.evaluation.observe(started.elapsed().as_secs_f64());
        engine.record(Protocol::of_review(self.version), &decision, &sight);
        Some(decision)
    }
}
