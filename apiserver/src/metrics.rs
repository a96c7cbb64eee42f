//! What `/metrics` shows. Labels are of closed sets: verbs, the table of kinds, status codes (lesson of CVE-2020-8552).
//! Names are those of kube-apiserver where it has the same thing.

use std::time::Duration;

use prometheus::{Gauge, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry, TextEncoder};

use crate::admission::metrics::Metrics as AdmissionMetrics;
use crate::audit::Metrics as AuditMetrics;
use crate::resources::Resource;
use crate::resources::connect::Connect;
use crate::storage::Store;

const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// What is counted.
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    watches: IntGauge,
    /// What the audit log counts.
    pub audit: AuditMetrics,
    /// What admission counts.
    pub admission: AdmissionMetrics,
}

/// What a request was about, in words of closed sets.
#[derive(Clone, Debug, Default)]
pub struct Label {
    verb: &'static str,
    group: String,
    version: String,
    resource: String,
    subresource: &'static str,
}

/// One watch; ends when dropped.
pub struct WatchGuard(IntGauge);

impl Label {
    /// Of a request for a resource; unknown ones are not told apart.
    pub fn of(verb: &'static str, resource: Option<&Resource>, subresource: &str) -> Self {
        let known = ["status", "scale", "finalize", "token"].into_iter().chain(Connect::ALL.map(Connect::name));
        let subresource = known.into_iter().find(|known| *known == subresource).unwrap_or_default();
        let (group, version, resource) =
            resource.map(|row| (row.group.clone(), row.version.clone(), row.plural.clone())).unwrap_or_default();
        Self { verb, group, version, resource, subresource }
    }
}

impl Metrics {
    /// A registry of its own.
    pub fn new() -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let names = ["verb", "group", "version", "resource", "subresource"];
        let counted = [names.as_slice(), &["code"]].concat();
        let requests = Opts::new("apiserver_request_total", "Requests by verb, resource and HTTP status code.");
        let durations = HistogramOpts::new("apiserver_request_duration_seconds", "Time until the answer was ready.");
        let metrics = Self {
            requests: IntCounterVec::new(requests, &counted)?,
            durations: HistogramVec::new(durations.buckets(BUCKETS.to_vec()), &names)?,
            watches: IntGauge::new("apiserver_longrunning_requests", "Watches that are open.")?,
            audit: AuditMetrics::register(&registry)?,
            admission: AdmissionMetrics::register(&registry)?,
            registry,
        };
        metrics.registry.register(Box::new(metrics.requests.clone()))?;
        metrics.registry.register(Box::new(metrics.durations.clone()))?;
        metrics.registry.register(Box::new(metrics.watches.clone()))?;
        Ok(metrics)
    }

    /// One answered request.
    pub fn answered(&self, label: &Label, code: u16, took: Duration) {
        let names = [label.verb, &label.group, &label.version, &label.resource, label.subresource];
        let code = code.to_string();
        let [verb, group, version, resource, subresource] = names;
        self.requests.with_label_values(&[verb, group, version, resource, subresource, &code]).inc();
        self.durations.with_label_values(&names).observe(took.as_secs_f64());
    }

    /// One more watch.
    pub fn watching(&self) -> WatchGuard {
        self.watches.inc();
        WatchGuard(self.watches.clone())
    }

    /// The text that Prometheus reads; `in_flight` are the reads and the writes that are being answered.
    pub fn render(&self, store: &Store, in_flight: (usize, usize)) -> Result<String, prometheus::Error> {
        let mut families = self.registry.gather();
        families.extend(present(store, in_flight)?.gather());
        TextEncoder::new().encode_to_string(&families)
    }
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// What merely is, read when it is asked for.
#[expect(clippy::cast_precision_loss, reason = "gauges are floating")]
fn present(store: &Store, (reads, writes): (usize, usize)) -> Result<Registry, prometheus::Error> {
    let registry = Registry::new();
    let gauge = |name: &str, help: &str, value: f64| -> Result<(), prometheus::Error> {
        let gauge = Gauge::new(name, help)?;
        gauge.set(value);
        registry.register(Box::new(gauge))
    };
    let snapshot = store.snapshot();
    gauge("apiserver_storage_objects_total", "Objects in the store.", snapshot.total() as f64)?;
    let uninitialized = snapshot.uninitialized().len() as f64;
    gauge("apiserver_storage_uninitialized_objects", "Objects that wait for their initializers.", uninitialized)?;
    gauge("apiserver_storage_revision", "The last revision.", snapshot.revision() as f64)?;
    gauge(
        "apiserver_storage_commits_total",
        "Commits since the start; writes at the same time share one.",
        store.commits() as f64,
    )?;
    gauge("apiserver_current_inflight_reads", "Reads that are being answered.", reads as f64)?;
    gauge("apiserver_current_inflight_writes", "Writes that are being answered.", writes as f64)?;
    Ok(registry)
}
