//! Connections by listener, for `/metrics`.

use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts};

/// Of all listeners.
#[derive(Clone, Debug)]
pub struct Counts {
    open: IntGaugeVec,
    closed: IntCounterVec,
}

/// Of one.
#[derive(Clone, Debug)]
pub struct OfListener {
    pub(super) open: IntGauge,
    pub(super) full: IntCounter,
    pub(super) rate: IntCounter,
    pub(super) evicted: IntCounter,
    pub(super) handshake: IntCounter,
}

impl Counts {
    /// All at zero.
    pub fn new() -> Result<Self, prometheus::Error> {
        let closed = Opts::new(
            "plimsoll_connections_closed_total",
            "Connections closed by the listener's limits, or before TLS was agreed on.",
        );
        let counts = Self {
            open: IntGaugeVec::new(Opts::new("plimsoll_connections", "Open connections."), &["listener"])?,
            closed: IntCounterVec::new(closed, &["listener", "reason"])?,
        };
        for listener in ["api", "review", "diagnostic"] {
            counts.of(listener);
        }
        Ok(counts)
    }

    /// Of one listener; those of one name count together.
    pub fn of(&self, listener: &'static str) -> OfListener {
        let closed = |reason| self.closed.with_label_values(&[listener, reason]);
        OfListener {
            open: self.open.with_label_values(&[listener]),
            full: closed("full"),
            rate: closed("rate"),
            evicted: closed("evicted"),
            handshake: closed("handshake"),
        }
    }

    /// For `/metrics`.
    pub fn gather(&self) -> Vec<MetricFamily> {
        self.open.collect().into_iter().chain(self.closed.collect()).collect()
    }
}
