//! What became of the last good sets, for `/metrics`.

use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{IntCounterVec, Opts};

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// A set was written.
    Written,
    /// Sets could not be written.
    WriteFailed,
    /// What is on disk of a set cannot be used.
    Unusable,
    /// Sets from disk came into force.
    Restored,
}

/// Counters of saving and restoring policy sets.
#[derive(Clone, Debug)]
pub struct Counts(IntCounterVec);

impl Count {
    const ALL: [Self; 4] = [Self::Written, Self::WriteFailed, Self::Unusable, Self::Restored];

    fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::WriteFailed => "write_failed",
            Self::Unusable => "unusable",
            Self::Restored => "restored",
        }
    }
}

impl Counts {
    /// All at zero.
    pub fn new() -> Result<Self, prometheus::Error> {
        let counts = IntCounterVec::new(Opts::new("plimsoll_last_good_total", "Last good policy sets on disk."), &["result"])?;
        for count in Count::ALL {
            counts.with_label_values(&[count.name()]);
        }
        Ok(Self(counts))
    }

    /// One more.
    pub fn count(&self, count: Count) {
        self.0.with_label_values(&[count.name()]).inc();
    }

    /// Returns the count since the start of the process.
    pub fn of(&self, count: Count) -> u64 {
        self.0.with_label_values(&[count.name()]).get()
    }

    /// For `/metrics`.
    pub fn gather(&self) -> Vec<MetricFamily> {
        self.0.collect()
    }
}
