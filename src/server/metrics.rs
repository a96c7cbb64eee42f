//! What `/metrics` shows. Every label is of a closed set. `docs/metrics.md` describes each; a test holds both equal.

use std::collections::BTreeMap;
use std::time::Duration;

use prometheus::{GaugeVec, Histogram, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, TextEncoder};

use crate::budget::{self, BudgetError};
use crate::decision::Decision;
use crate::management::decision_log::Counts;
use crate::placements::Passes;
use crate::policy_set::last_good;
use crate::server::Engine;
use crate::server::gate;
use crate::server::pool::{Lane, PoolError};
use crate::server::review::ahead::Respected;
use crate::server::review::wire::Version;

/// OPA's buckets, so that its dashboards work.
const HTTP_BUCKETS: [f64; 10] = [1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 1e-2, 0.1, 1.0];
const EVALUATION_BUCKETS: [f64; 12] = [1e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 1e-2, 5e-2, 0.25, 1.0, 5.0];
/// The methods that are told apart.
const METHODS: [&str; 7] = ["get", "head", "post", "put", "patch", "delete", "options"];

/// The API by which a decision was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// OPA's v0 data API.
    V0,
    /// OPA's v1 data API.
    V1,
    /// AdmissionReview v1.
    ReviewV1,
    /// AdmissionReview v1beta1.
    ReviewV1beta1,
    /// AdmissionReview v1alpha1.
    ReviewV1alpha1,
}

impl Protocol {
    /// Every one.
    const ALL: [Self; 5] = [Self::V0, Self::V1, Self::ReviewV1, Self::ReviewV1beta1, Self::ReviewV1alpha1];

    /// Of a review.
    pub fn of_review(version: Version) -> Self {
        match version {
            Version::V1 => Self::ReviewV1,
            Version::V1beta1 => Self::ReviewV1beta1,
            Version::V1alpha1 => Self::ReviewV1alpha1,
        }
    }

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::V1 => "v1",
            Self::ReviewV1 => "review_v1",
            Self::ReviewV1beta1 => "review_v1beta1",
            Self::ReviewV1alpha1 => "review_v1alpha1",
        }
    }
}

/// Counters and histograms of the engine. Gauges are read when metrics are asked for.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: HistogramVec,
    decisions: IntCounterVec,
    stale: IntCounterVec,
    notifications: IntCounterVec,
    refused: IntCounterVec,
    respected: IntCounterVec,
    /// Of listeners.
    pub connections: gate::Counts,
    /// Of policy sets on disk.
    pub last_good: last_good::Counts,
    /// Seconds of one decision or evaluation, without waiting for a worker.
    pub evaluation: Histogram,
}

impl Metrics {
    /// A registry of its own.
    pub fn new() -> Result<Self, prometheus::Error> {
        let http = HistogramOpts::new("http_request_duration_seconds", "A histogram of duration for requests.");
        let evaluation = HistogramOpts::new("plimsoll_evaluation_duration_seconds", "Duration of one decision or evaluation.");
        let metrics = Self {
            registry: Registry::new(),
            requests: HistogramVec::new(http.buckets(HTTP_BUCKETS.to_vec()), &["code", "handler", "method"])?,
            decisions: counters(
                "plimsoll_decisions_total",
                "Decisions by protocol and outcome.",
                &["protocol", "outcome", "cached"],
            )?,
            stale: counters("plimsoll_stale_decisions_total", "Decisions made by what was stale.", &["protocol"])?,
            notifications: counters("plimsoll_notifications_total", "Lines sent on placement streams.", &["type"])?,
            refused: counters("plimsoll_refused_total", "Requests that got no worker or no answer.", &["pool", "reason"])?,
            respected: counters(
                "plimsoll_reviews_ahead_total",
                "Reviews of objects placed by somebody who knew more.",
                &["result"],
            )?,
            connections: gate::Counts::new()?,
            last_good: last_good::Counts::new()?,
            evaluation: Histogram::with_opts(evaluation.buckets(EVALUATION_BUCKETS.to_vec()))?,
        };
        metrics.registry.register(Box::new(metrics.requests.clone()))?;
        metrics.registry.register(Box::new(metrics.decisions.clone()))?;
        metrics.registry.register(Box::new(metrics.stale.clone()))?;
        Protocol::ALL.into_iter().for_each(|protocol| metrics.stale.with_label_values(&[protocol.name()]).inc_by(0));
        metrics.registry.register(Box::new(metrics.notifications.clone()))?;
        metrics.registry.register(Box::new(metrics.refused.clone()))?;
        metrics.registry.register(Box::new(metrics.respected.clone()))?;
        Respected::ALL.into_iter().for_each(|end| metrics.respected.with_label_values(&[end.name()]).inc_by(0));
        metrics.registry.register(Box::new(metrics.evaluation.clone()))?;
        Ok(metrics)
    }

    /// One answered request.
    pub fn answered(&self, code: u16, handler: &str, method: &str, duration: Duration) {
        let method = METHODS.into_iter().find(|known| method.eq_ignore_ascii_case(known)).unwrap_or("other");
        self.requests.with_label_values(&[code.to_string().as_str(), handler, method]).observe(duration.as_secs_f64());
    }

    /// One decision for a caller.
    pub fn decided(&self, protocol: Protocol, decision: &Decision) {
        let cached = if decision.cached { "true" } else { "false" };
        self.decisions.with_label_values(&[protocol.name(), decision.outcome.name(), cached]).inc();
    }

    /// One of these that was made though a source it depends on is stale.
    pub fn decided_stale(&self, protocol: Protocol) {
        self.stale.with_label_values(&[protocol.name()]).inc();
    }

    /// One line sent on a placement stream: `changed`, `removed` or `bookmark`.
    pub fn notified(&self, kind: &'static str) {
        self.notifications.with_label_values(&[kind]).inc();
    }

    /// One request that a pool did not answer.
    pub fn refused(&self, lane: Lane, error: PoolError) {
        let reason = match error {
            PoolError::Overloaded => "overloaded",
            PoolError::Expired => "expired",
            PoolError::Overrun => "overrun",
            PoolError::Panicked => "panicked",
        };
        self.refused.with_label_values(&[lane.name(), reason]).inc();
    }

    /// One review of an object that somebody placed who knew more.
    pub fn respected(&self, end: Respected) {
        self.respected.with_label_values(&[end.name()]).inc();
    }

    /// One request that there was no memory for.
    pub fn short(&self, lane: Lane, error: BudgetError) {
        let reason = match error {
            BudgetError::TooLarge { .. } => "too_large",
            BudgetError::Full => "memory",
        };
        self.refused.with_label_values(&[lane.name(), reason]).inc();
    }

    /// The text that Prometheus reads.
    pub fn render(&self, engine: &Engine) -> Result<String, prometheus::Error> {
        let mut families = self.registry.gather();
        families.extend(present(engine)?.gather());
        families.extend(pools(engine)?.gather());
        families.extend(passes(engine.table.passes())?.gather());
        families.extend(engine.metrics.connections.gather());
        families.extend(engine.metrics.last_good.gather());
        families.extend(engine.settings.decision_log.counts().map(Counts::gather).unwrap_or_default());
        TextEncoder::new().encode_to_string(&families)
    }
}

fn counters(name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, prometheus::Error> {
    IntCounterVec::new(Opts::new(name, help), labels)
}

/// Returns the metrics of the pools of workers.
fn pools(engine: &Engine) -> Result<Registry, prometheus::Error> {
    let registry = Registry::new();
    let jobs = GaugeVec::new(Opts::new("plimsoll_pool_jobs", "Jobs of a pool by state."), &["pool", "state"])?;
    let replaced = counters("plimsoll_pool_replaced_total", "Fresh workers in the place of stuck ones.", &["pool"])?;
    for (lane, condition) in engine.lanes.conditions() {
        let states = [("waiting", condition.waiting), ("running", condition.running), ("stuck", condition.stuck)];
        states.into_iter().for_each(|(state, count)| jobs.with_label_values(&[lane.name(), state]).set(count as f64));
        replaced.with_label_values(&[lane.name()]).inc_by(condition.replaced);
    }
    registry.register(Box::new(jobs))?;
    registry.register(Box::new(replaced))?;
    Ok(registry)
}

/// Returns what became of the passes over the table.
fn passes(passes: Passes) -> Result<Registry, prometheus::Error> {
    let Passes { finished, interrupted, skipped, changed, unchanged, confirmed } = passes;
    let registry = Registry::new();
    let sweeps = counters("plimsoll_sweeps_total", "Passes over the existing objects, by how they ended.", &["result"])?;
    for (result, count) in [("finished", finished), ("interrupted", interrupted), ("skipped", skipped)] {
        sweeps.with_label_values(&[result]).inc_by(count);
    }
    let objects = counters("plimsoll_swept_objects_total", "Existing objects looked at by these, by result.", &["result"])?;
    for (result, count) in [("changed", changed), ("unchanged", unchanged), ("confirmed", confirmed)] {
        objects.with_label_values(&[result]).inc_by(count);
    }
    registry.register(Box::new(sweeps))?;
    registry.register(Box::new(objects))?;
    Ok(registry)
}

/// Gauges of the current snapshot and table, made anew for each reader.
fn present(engine: &Engine) -> Result<Registry, prometheus::Error> {
    let registry = Registry::new();
    let gauges = |name: &str, help: &str, label: &[&str], rows: Vec<(String, f64)>| -> Result<(), prometheus::Error> {
        let gauge = GaugeVec::new(Opts::new(name, help), label)?;
        for (row, value) in rows {
            let labels: &[&str] = if label.is_empty() { &[] } else { &[row.as_str()] };
            gauge.with_label_values(labels).set(value);
        }
        registry.register(Box::new(gauge))
    };
    let one = |value: f64| vec![(String::new(), value)];
    let snapshot = engine.store.load();
    let ready = engine.unready_reasons(&snapshot).is_empty();
    gauges("plimsoll_ready", "1 when decisions can be made.", &[], one(f64::from(u8::from(ready))))?;
    gauges("plimsoll_revision", "Number of the current snapshot.", &[], one(snapshot.revision as f64))?;
    let allocated = budget::in_use();
    gauges("plimsoll_memory_in_use_bytes", "Bytes that the process has allocated.", &[], one(allocated as f64))?;
    let (classes, bytes) = (engine.config.classes.count(), engine.config.classes.bytes());
    gauges("plimsoll_classes", "Classes of objects whose answer is kept.", &[], one(classes as f64))?;
    gauges("plimsoll_classes_bytes", "Bytes that these take, about.", &[], one(bytes as f64))?;
    let swept = engine.table.swept_revision();
    gauges("plimsoll_swept_revision", "Revision at which every placement has been decided.", &[], one(swept as f64))?;

    let mut objects: BTreeMap<String, f64> = BTreeMap::new();
    for kind in snapshot.state.sources.values().flat_map(|source| source.held()) {
        *objects.entry(kind.kind.gvr.to_string()).or_default() += kind.objects as f64;
    }
    gauges("plimsoll_state_objects", "Replicated objects by kind.", &["kind"], objects.into_iter().collect())?;
    let ages = snapshot.ages(engine.store.now()).into_iter();
    let ages = ages.map(|age| (age.name, age.age_seconds.unwrap_or(f64::INFINITY))).collect();
    gauges("plimsoll_source_age_seconds", "Seconds since a source last proved itself current.", &["source"], ages)?;
    let (now, stale_after) = (engine.store.now(), engine.store.freshness().stale_after);
    let is_stale = |name: &String| f64::from(u8::from(snapshot.is_stale(name, now, stale_after)));
    let stale = snapshot.state.sources.keys().map(|name| (name.clone(), is_stale(name))).collect();
    gauges("plimsoll_source_stale", "1 when a source has not proved itself current.", &["source"], stale)?;
    let errors = snapshot.policies.sets.iter();
    let errors = errors.map(|(name, set)| (name.clone(), (set.errors.len() + usize::from(set.unreadable.is_some())) as f64));
    gauges("plimsoll_policy_set_errors", "Errors of the policy set last offered.", &["set"], errors.collect())?;
    let counts = engine.table.counts();
    gauges("plimsoll_placements_held", "Existing objects that ask not to be repaired.", &[], one(counts.held as f64))?;
    gauges("plimsoll_placements_kept", "Placements kept without an opinion of policy.", &[], one(counts.kept as f64))?;
    let unproven = one(counts.unproven as f64);
    gauges("plimsoll_placements_unproven", "Of these, not shown to be policy's own.", &[], unproven)?;
    let letting_go = one(counts.letting_go as f64);
    gauges("plimsoll_placements_letting_go", "Let go when the policies have stayed the same for long enough.", &[], letting_go)?;
    let placements = counts.outcomes.into_iter().map(|(name, count)| (name.to_owned(), count as f64));
    gauges("plimsoll_placements", "Rows of the placements table by outcome.", &["outcome"], placements.collect())?;
    Ok(registry)
}
