//! What is counted of the audit log, under kube-apiserver's names. Source: `apiserver` `pkg/audit/metrics.go`.

use prometheus::{IntCounter, IntCounterVec, Opts, Registry};

/// Counters of the log.
#[derive(Clone, Debug)]
pub struct Metrics {
    events: IntCounter,
    errors: IntCounterVec,
}

/// Who has lost a line, in upstream's names for its plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plugin {
    /// Whoever writes.
    Log,
    /// The queue of the mode `batch`.
    Buffered,
}

impl Metrics {
    /// Registers the counters. Fails when they are there already.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let errors = Opts::new("apiserver_audit_error_total", "Lines of the audit log that are lost, by plugin.");
        let metrics = Self {
            events: IntCounter::new("apiserver_audit_event_total", "Lines that the audit log was given.")?,
            errors: IntCounterVec::new(errors, &["plugin"])?,
        };
        registry.register(Box::new(metrics.events.clone()))?;
        registry.register(Box::new(metrics.errors.clone()))?;
        Ok(metrics)
    }

    /// One line is to be written.
    pub(super) fn given(&self) {
        self.events.inc();
    }

    /// So many lines are lost.
    pub(super) fn lost(&self, plugin: Plugin, lines: usize) {
        let name = match plugin {
            Plugin::Log => "log",
            Plugin::Buffered => "buffered",
        };
        self.errors.with_label_values(&[name]).inc_by(u64::try_from(lines).unwrap_or(u64::MAX));
    }

    #[cfg(test)]
    pub(super) fn seen(&self) -> [u64; 3] {
        [self.events.get(), self.errors.with_label_values(&["log"]).get(), self.errors.with_label_values(&["buffered"]).get()]
    }
}
