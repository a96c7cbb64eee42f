//! What is counted of reads of another API server's configurations.

use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::{GaugeVec, IntCounterVec, Opts, Registry};

/// Counters of reads; cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics {
    refreshes: IntCounterVec,
    /// Without labels: not shown before there was a read.
    last: GaugeVec,
}

impl Metrics {
    /// Shown by `registry`.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let name = |rest: &str| format!("plimsoll_remote_admission_configuration_{rest}");
        let help = "Reads of the other API server's configurations of webhooks and initializers, by how they ended.";
        let refreshes = IntCounterVec::new(Opts::new(name("refreshes_total"), help), &["status"])?;
        let last = Opts::new(name("last_refresh_timestamp_seconds"), "When such a read succeeded last.");
        let last = GaugeVec::new(last, &[])?;
        registry.register(Box::new(refreshes.clone()))?;
        registry.register(Box::new(last.clone()))?;
        Ok(Self { refreshes, last })
    }

    /// A read has ended.
    pub(super) fn refreshed(&self, succeeded: bool) {
        self.refreshes.with_label_values(&[if succeeded { "success" } else { "failure" }]).inc();
    }

    /// It has succeeded.
    pub(super) fn read(&self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.last.with_label_values::<&str>(&[]).set(now.as_secs_f64());
    }
}
