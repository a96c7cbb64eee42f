//! What is counted of initializers. A label is the name of a configured initializer, which its configuration bounds, never one
//! that a client chose.

use prometheus::{IntCounterVec, Opts, Registry};

/// What stands for every name that is not configured.
const UNCONFIGURED: &str = "unconfigured";

/// Counters of initializers; cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics {
    failed_open: IntCounterVec,
}

/// Who noticed that an initializer did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOpen {
    /// Its timer.
    Timer,
    /// A read of the object, much later.
    ReadRepair,
}

impl FailOpen {
    /// As metrics and logs spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timer => "timer",
            Self::ReadRepair => "read-repair",
        }
    }
}

impl Metrics {
    /// Shown by `registry`.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let help = "Initializers that the server took off an object because they did not answer in time.";
        let failed_open = IntCounterVec::new(Opts::new("apiserver_initializer_fail_open_count", help), &["name", "reason"])?;
        registry.register(Box::new(failed_open.clone()))?;
        Ok(Self { failed_open })
    }

    /// One was passed over; `name` only if it is configured.
    pub fn failed_open(&self, name: Option<&str>, reason: FailOpen) {
        self.failed_open.with_label_values(&[name.unwrap_or(UNCONFIGURED), reason.name()]).inc();
    }
}
