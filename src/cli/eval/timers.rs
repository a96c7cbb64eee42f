//! How long the steps of a command took, under the names of OPA's metrics (`v1/metrics/metrics.go` of its sources).

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::rego::Times;

/// The steps that were done: names of metrics, with nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Timers {
    taken: BTreeMap<String, u64>,
}

impl Timers {
    /// Records how long a step took.
    pub(super) fn took(&mut self, step: &str, time: Duration) {
        self.taken.insert(format!("timer_rego_{step}_ns"), u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Records how long it took to parse and to compile `what`: `module` or `query`.
    pub(super) fn compiled(&mut self, what: &str, times: Times) {
        self.took(&format!("{what}_parse"), times.parse);
        self.took(&format!("{what}_compile"), times.compile);
    }

    /// Returns names and nanoseconds as text, sorted by name.
    pub(super) fn rows(&self) -> impl Iterator<Item = [String; 2]> {
        self.taken.iter().map(|(name, value)| [name.clone(), value.to_string()])
    }

    /// Returns whether no step was recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }
}
