//! How long the steps of a command took, under OPA's names (`v1/metrics/metrics.go` of its sources).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::rego::Times;

/// Names and nanoseconds of the steps that there were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Timers {
    taken: BTreeMap<String, u64>,
}

impl Timers {
    /// A step has taken so long.
    pub(super) fn took(&mut self, step: &str, time: Duration) {
        self.taken.insert(format!("timer_rego_{step}_ns"), u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Something was read and compiled.
    pub(super) fn compiled(&mut self, what: &str, times: Times) {
        self.took(&format!("{what}_parse"), times.parse);
        self.took(&format!("{what}_compile"), times.compile);
    }

    /// Does a step.
    pub(super) fn time<T>(&mut self, step: &str, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let done = work();
        self.took(step, started.elapsed());
        done
    }

    /// Names and values, sorted.
    pub(super) fn rows(&self) -> impl Iterator<Item = [String; 2]> {
        self.taken.iter().map(|(name, value)| [name.clone(), value.to_string()])
    }

    /// Whether there was no step.
    pub(super) fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }
}
