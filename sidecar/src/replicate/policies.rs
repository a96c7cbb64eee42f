//! The policy ConfigMaps of one namespace as one set: sent whole, on each change and to each new engine process.
//!
//! A ConfigMap labelled as data (`openpolicyagent.org/data: opa`, as kube-mgmt has it, or `plimsoll.io/data: "true"`) is
//! `data.<namespace>.<name>.<key>`, each key JSON or YAML, in the same set.
//!
//! A key that leaves a ConfigMap leaves the set; an empty set is sent, too, so that the engine knows. What the compiler
//! says is told by an Event on each ConfigMap concerned, never by writing to the ConfigMap.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::policy::{PoliciesRejected, PutPolicies};
use plimsoll_contract::source::Declared;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::age::Age;
use super::reflector::{Reflector, Step};
use super::scope::Scope;
use super::session::Sessions;
use crate::backoff::Backoff;
use crate::cluster::connection::Connection;
use crate::config::MirrorConfig;
use crate::engine::{Engine, EngineError, Verdict};
use crate::health::Condition;
use crate::metrics::Metrics;
use crate::notes::Notes;
use crate::plan::note::Note;
use crate::results::PolicyEnd;

mod changed;
mod conflicts;
mod empty;
mod maps;
mod verdict;

use changed::Accepted;
use conflicts::Conflicts;
use maps::Maps;
use verdict::ReportedVerdicts;

/// The ConfigMaps' way into the engine.
pub struct Policies {
    /// The API server.
    pub connection: Connection,
    /// The engine.
    pub engine: Arc<Engine>,
    /// The source's name.
    pub source: String,
    /// Where the ConfigMaps are.
    pub namespace: String,
    /// Which of them.
    pub selector: Option<String>,
    /// Time between two full lists, give or take a tenth.
    pub relist: Duration,
    /// All other times.
    pub pace: MirrorConfig,
    /// The source's session.
    pub sessions: Sessions,
    /// Met once the current set has been sent; lapses while there may be a newer one.
    pub sent: Condition,
    /// Met while the set that was sent last is in force and has policies.
    pub in_force: Condition,
    /// How old is what the engine has of it.
    pub age: Age,
    /// Where verdicts are told.
    pub notes: Notes,
    /// Where to count.
    pub metrics: Metrics,
}

/// What was last reported of each ConfigMap, so that nothing is reported twice.
#[derive(Default)]
struct Memory {
    verdicts: ReportedVerdicts,
    conflicts: Conflicts,
    accepted: Accepted,
}

impl Memory {
    /// Returns the notes about ConfigMaps that were not reported yet.
    fn notes(&mut self, maps: &Maps, verdict: &Verdict) -> Vec<Note> {
        let mut notes = self.verdicts.verdict(maps, verdict);
        if let Verdict::Accepted(accepted) = verdict {
            notes.extend(self.conflicts.told(maps, &accepted.warnings));
        }
        notes
    }
}

/// The policy set that was sent last, and its session.
#[derive(Default)]
struct Sent {
    session: Option<Arc<Declared>>,
    set: Option<PutPolicies>,
    /// As of when the API server was asked.
    proved: Option<Instant>,
}

impl Policies {
    /// Runs for ever.
    pub async fn run(mut self) {
        let mut steps = self.follow();
        let (mut maps, mut sent, mut told) = (Maps::default(), Sent::default(), Memory::default());
        let mut backoff = Backoff::new(self.pace.retry, self.pace.retry_most);
        let mut retry: Option<Instant> = None;
        loop {
            tokio::select! {
                step = steps.recv() => match step {
                    Some(step) => self.take(step, &mut maps, &mut steps),
                    None => steps = self.follow(),
                },
                () = self.sessions.changed() => {}
                () = at(retry) => {}
            }
            retry = match self.send(&maps, &mut sent, &mut told).await {
                Ok(()) => {
                    backoff.reset();
                    None
                }
                Err(error) => {
                    self.failed(&error, &sent);
                    Some(Instant::now() + backoff.next_delay())
                }
            };
        }
    }

    fn follow(&self) -> mpsc::Receiver<Step> {
        let gvr = Gvr { group: String::new(), version: "v1".into(), resource: "configmaps".into() };
        let mut kind = Kind::new(gvr.clone(), "ConfigMap");
        kind.namespaces = vec![self.namespace.clone()];
        kind.label_selector.clone_from(&self.selector);
        let scopes = Scope::of_kind(&self.connection, &kind, &self.pace);
        Reflector { gvr, scopes, relist: self.relist, pace: self.pace, metrics: self.metrics.clone() }.start()
    }

    /// Takes a step and all that are there already: an edit of several ConfigMaps is one set.
    fn take(&self, first: Step, maps: &mut Maps, steps: &mut mpsc::Receiver<Step>) {
        let mut next = Some(first);
        while let Some(step) = next.take() {
            if let Step::Trouble(trouble) = &step {
                self.sent.lapsed(trouble);
            }
            maps.take(step);
            next = steps.try_recv().ok();
        }
    }

    /// Sends the set unless this session has it.
    async fn send(&self, maps: &Maps, sent: &mut Sent, memory: &mut Memory) -> Result<(), EngineError> {
        let (Some(modules), Some(session)) = (maps.modules(), self.sessions.now()) else { return Ok(()) };
        let set = PutPolicies { modules, data: maps.data(), session: Some(session.session.clone()) };
        if sent.set.as_ref() == Some(&set) {
            self.has(maps, sent);
            return Ok(());
        }
        sent.session = Some(session);
        let verdict = self.engine.put_policies(&self.source, &set).await?;
        self.judged(&set, &verdict);
        if let Verdict::Accepted(accepted) = &verdict {
            self.notes.causes().policies(&accepted.digest, memory.accepted.changed(maps));
            self.notes.conflicts().known(conflicts::files(maps), &accepted.warnings);
        }
        memory.notes(maps, &verdict).into_iter().for_each(|note| {
            if !self.notes.say(note) {
                self.metrics.event(crate::results::EventEnd::Dropped);
            }
        });
        sent.set = Some(set);
        sent.proved = None;
        self.has(maps, sent);
        Ok(())
    }

    /// The engine has the set as it was when the API server was last asked.
    fn has(&self, maps: &Maps, sent: &mut Sent) {
        if let Some(proved) = maps.proved().filter(|proved| sent.proved != Some(*proved)) {
            sent.proved = Some(proved);
            self.age.prove(proved);
            self.sent.met();
        }
    }

    fn judged(&self, set: &PutPolicies, verdict: &Verdict) {
        match verdict {
            Verdict::Accepted(accepted) => {
                self.metrics.policy(PolicyEnd::Accepted);
                tracing::info!(modules = set.modules.len(), digest = accepted.digest, "policies are in force");
                if set.modules.is_empty() {
                    let reason = empty::reason(&self.namespace, self.selector.as_deref());
                    tracing::warn!("{reason}");
                    self.in_force.unmet(reason);
                } else {
                    self.in_force.met();
                }
            }
            Verdict::Rejected(PoliciesRejected { errors, message, .. }) => {
                self.metrics.policy(PolicyEnd::Rejected);
                tracing::warn!(message, "policies are rejected; the last good set stays in force");
                self.in_force.unmet(format!("rejected; the last good set stays in force: {message}"));
                for error in errors {
                    tracing::warn!(%error, "rejected");
                }
            }
        }
    }

    fn failed(&self, error: &EngineError, sent: &Sent) {
        self.metrics.policy(PolicyEnd::Failed);
        self.sent.lapsed(format!("the policy set cannot be sent: {error}"));
        if let (EngineError::SessionEnded(_), Some(session)) = (error, &sent.session) {
            self.sessions.ended(session);
        }
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
