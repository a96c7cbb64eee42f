//! The decision that a review asks for.

use std::time::{Duration, Instant};

use plimsoll_contract::annotations::APPLIED;
use plimsoll_contract::outcome::Outcome;

use super::ahead::annotations;
use super::judge::{Review, Undecided};
use super::wire::Request;
use crate::decision::{Config, Decision, Sight, Subject, Way, decide_seeing, decide_seen, retention};
use crate::server::Protocol;
use crate::why;

/// How many bytes of a kept answer are looked at without a worker: a patch, and why not elsewhere, take some 100 us then.
const SHOWN: usize = 64 << 10;

impl Review<'_> {
    /// The decision, in the time that there is. What a sidecar lets go was decided by an engine for which the time was over, if perhaps
    /// not yet for this one; what it places was decided before the policies changed, and lets nothing go.
    pub(super) fn ruled(&self, subject: Subject<'_>) -> Result<Decision, Undecided> {
        let decision = self.brief_or_decided(subject, self.knowledge.grace)?;
        let is_changed = |decision: &Decision| decision.patch.keys().any(|key| key != APPLIED);
        let is_sidecar = || self.engine.config.sidecars.contains(&self.request.user_info.username);
        if !(decision.letting_go && is_changed(&decision) && is_sidecar() && self.is_let_go(subject)) {
            return Ok(decision);
        }
        let released = self.brief_or_decided(subject, None)?;
        Ok(if is_changed(&released) { decision } else { released })
    }

    /// Whether the developer's own values stand where the stored object has ours.
    fn is_let_go(&self, subject: Subject<'_>) -> bool {
        let Way::Update(previous) = subject.way else { return false };
        let (allowed, known, new) = (self.allowed(), retention::seen_with(subject.last), annotations(subject.object));
        let intent = previous.intent(&allowed, &known);
        previous.ours(&allowed, &known).keys().all(|key| new.get(key) == intent.get(key))
    }

    fn brief_or_decided(&self, subject: Subject<'_>, grace: Option<Duration>) -> Result<Decision, Undecided> {
        if self.is_brief { self.seen(subject, grace).ok_or(Undecided::Long) } else { Ok(self.decided(subject, grace)) }
    }

    /// The decision, in the time that is left; `grace` is how long letting go waits, if it does.
    pub(super) fn decided(&self, subject: Subject<'_>, grace: Option<Duration>) -> Decision {
        let (engine, Request { uid, kind, namespace, name, .. }) = (self.engine, &self.request);
        let (kind, revision) = (&kind.kind, self.snapshot.revision);
        let _span = tracing::info_span!("review", uid, kind, namespace, name, revision).entered();
        let started = Instant::now();
        let sight = Sight { grace, ..engine.sight(&self.snapshot) };
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
    fn seen(&self, subject: Subject<'_>, grace: Option<Duration>) -> Option<Decision> {
        let (engine, started) = (self.engine, Instant::now());
        let sight = Sight { grace, ..engine.sight(&self.snapshot) };
        let decision = decide_seen(&self.snapshot, subject, &engine.config, &sight, SHOWN)?;
        // What is unavailable is answered with an error, and said, and what is denied is explained: elsewhere.
        if matches!(decision.outcome, Outcome::Unavailable { .. }) || why::is_short_of_words(&decision) {
            return None;
        }
        engine.metrics.evaluation.observe(started.elapsed().as_secs_f64());
        engine.record(Protocol::of_review(self.version), &decision, &sight);
        Some(decision)
    }
}
