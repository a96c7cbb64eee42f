//! What admission counts. Every label is of a closed set.

use std::time::Duration;

use prometheus::{Histogram, HistogramOpts, HistogramTimer, HistogramVec, IntCounterVec, Opts, Registry};

use super::Operation;
use super::engine::Cause;
use super::{initializers, remote, webhook};

/// As upstream's `apiserver_admission_controller_admission_duration_seconds`.
const STAGE_BUCKETS: [f64; 6] = [0.005, 0.025, 0.1, 0.5, 1.0, 2.5];
const ATTEMPT_BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0];

/// Counters of the chain and of the scheduling policy; cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics {
    stages: HistogramVec,
    steps: HistogramVec,
    attempts: Histogram,
    faults: IntCounterVec,
    decisions: IntCounterVec,
    events: IntCounterVec,
    checks: IntCounterVec,
    /// Of webhooks.
    pub webhooks: webhook::Metrics,
    /// Of initializers.
    pub initializers: initializers::Metrics,
    /// Of configurations that another API server has.
    pub remote: remote::Metrics,
}

/// A stage of the chain at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Its own name.
    pub name: &'static str,
    /// What it is asked about.
    pub operation: Operation,
    /// As what it is asked.
    pub phase: Phase,
}

/// Which half of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "upstream's own names")]
pub enum Phase {
    Admit,
    Validate,
}

/// How asking about a write ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Annotations changed.
    Placed,
    /// Nothing to change.
    Untouched,
    /// Policy refused.
    Denied,
    /// No decision, hence refused.
    Failed,
}

/// What became of an Event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventEnd {
    /// Stored.
    Created,
    /// One more of the same.
    Counted,
    /// Too many at once.
    Dropped,
    /// The store refused it.
    Failed,
}

/// What became of a policy ConfigMap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// It compiles.
    Accepted,
    /// It does not.
    Rejected,
    /// Let through: the engine could not be asked.
    Unchecked,
}

// --- impl Metrics ---

impl Metrics {
    /// Shown by `registry`.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let metrics = Self {
            stages: stages()?,
            steps: steps()?,
            attempts: attempts()?,
            faults: counters("faults_total", "Attempts without a decision, by cause and end.", &["cause", "end"])?,
            decisions: counters("decisions_total", "Writes that the engine was asked about.", &["outcome"])?,
            events: counters("events_total", "Events of refused writes.", &["end"])?,
            webhooks: webhook::Metrics::register(registry)?,
            initializers: initializers::Metrics::register(registry)?,
            remote: remote::Metrics::register(registry)?,
            checks: counters("policy_checks_total", "Policy ConfigMaps that were checked.", &["verdict"])?,
        };
        registry.register(Box::new(metrics.stages.clone()))?;
        registry.register(Box::new(metrics.steps.clone()))?;
        registry.register(Box::new(metrics.attempts.clone()))?;
        for counters in [&metrics.faults, &metrics.decisions, &metrics.events, &metrics.checks] {
            registry.register(Box::new(counters.clone()))?;
        }
        Ok(metrics)
    }

    /// A stage of the chain has spoken.
    pub fn stage(&self, stage: Stage, rejected: bool, took: Duration) {
        let labels = [stage.name, stage.operation.name(), flag(rejected), stage.phase.name()];
        self.stages.with_label_values(&labels).observe(took.as_secs_f64());
    }

    /// A whole phase of the chain is over.
    pub fn step(&self, phase: Phase, operation: Operation, rejected: bool, took: Duration) {
        let labels = [operation.name(), flag(rejected), phase.name()];
        self.steps.with_label_values(&labels).observe(took.as_secs_f64());
    }

    /// Times one request to the engine until it is dropped.
    pub fn attempt(&self) -> HistogramTimer {
        self.attempts.start_timer()
    }

    /// An attempt gave no decision.
    pub fn failed(&self, cause: Cause, again: bool) {
        self.faults.with_label_values(&[cause.name(), if again { "retried" } else { "final" }]).inc();
    }

    /// A write was asked about.
    pub fn decided(&self, outcome: Outcome) {
        let outcome = match outcome {
            Outcome::Placed => "placed",
            Outcome::Untouched => "untouched",
            Outcome::Denied => "denied",
            Outcome::Failed => "failed",
        };
        self.decisions.with_label_values(&[outcome]).inc();
    }

    /// An Event was written, or not.
    pub fn event(&self, end: EventEnd) {
        let end = match end {
            EventEnd::Created => "created",
            EventEnd::Counted => "counted",
            EventEnd::Dropped => "dropped",
            EventEnd::Failed => "failed",
        };
        self.events.with_label_values(&[end]).inc();
    }

    /// A policy ConfigMap was checked, or not.
    pub fn checked(&self, check: Check) {
        let verdict = match check {
            Check::Accepted => "accepted",
            Check::Rejected => "rejected",
            Check::Unchecked => "unchecked",
        };
        self.checks.with_label_values(&[verdict]).inc();
    }

    /// Requests to the engine so far.
    pub fn attempts(&self) -> u64 {
        self.attempts.get_sample_count()
    }
}

fn flag(flag: bool) -> &'static str {
    if flag { "true" } else { "false" }
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Admit => "admit",
            Self::Validate => "validate",
        }
    }
}

/// Upstream's own name and labels. Its second form, a summary, is not made: the library has none.
fn steps() -> Result<HistogramVec, prometheus::Error> {
    let name = "apiserver_admission_step_admission_duration_seconds";
    let help = "Admission sub-step latency histogram in seconds, for each operation and type (admit or validate).";
    let options = HistogramOpts::new(name, help).buckets(STAGE_BUCKETS.to_vec());
    HistogramVec::new(options, &["operation", "rejected", "type"])
}

/// Upstream's own name and labels.
fn stages() -> Result<HistogramVec, prometheus::Error> {
    let name = "apiserver_admission_controller_admission_duration_seconds";
    let help = "Admission controller latency histogram in seconds.";
    let options = HistogramOpts::new(name, help).buckets(STAGE_BUCKETS.to_vec());
    HistogramVec::new(options, &["name", "operation", "rejected", "type"])
}

fn attempts() -> Result<Histogram, prometheus::Error> {
    let name = "plimsoll_scheduling_policy_attempt_duration_seconds";
    let options = HistogramOpts::new(name, "Duration of one request to the policy engine.");
    Histogram::with_opts(options.buckets(ATTEMPT_BUCKETS.to_vec()))
}

fn counters(name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, prometheus::Error> {
    IntCounterVec::new(Opts::new(format!("plimsoll_scheduling_policy_{name}"), help), labels)
}
