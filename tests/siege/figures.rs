//! What is printed of a siege.

use std::collections::BTreeMap;
use std::time::Duration;

/// Times of one kind of request, by what came of them.
#[derive(Debug, Default)]
pub(super) struct Figures(BTreeMap<String, Vec<Duration>>);

impl Figures {
    pub(super) fn add(&mut self, what: impl Into<String>, took: Duration) {
        self.0.entry(what.into()).or_default().push(took);
    }

    pub(super) fn join(&mut self, other: Self) {
        for (what, times) in other.0 {
            self.0.entry(what).or_default().extend(times);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// A line for each kind: how many, the median, the 99th of a hundred, the longest.
    pub(super) fn table(&self) -> String {
        let line = |(what, times): (&String, &Vec<Duration>)| {
            let mut times = times.clone();
            times.sort_unstable();
            let at = |percent: usize| times[(times.len() - 1) * percent / 100];
            format!("{:>6}  p50 {:>10.1?}  p99 {:>10.1?}  max {:>10.1?}  {what}\n", times.len(), at(50), at(99), at(100))
        };
        self.0.iter().map(line).collect()
    }
}
