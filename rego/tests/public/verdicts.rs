//! What OPA said of tests.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::run::Verdict;

/// Of one set of policies.
#[derive(Debug, Deserialize)]
pub(crate) struct Verdicts {
    /// How many there are.
    pub(crate) tests: usize,
    /// How many of them have the name of another one.
    repeated: usize,
    /// Those that do not pass: `fail`, `skip` or `error`.
    pub(crate) other: BTreeMap<String, String>,
}

/// What was recorded of a set.
pub(crate) fn of(name: &str) -> Verdicts {
    let mut all: BTreeMap<String, Verdicts> = serde_json::from_str(include_str!("verdicts.json")).unwrap();
    all.remove(name).unwrap()
}

impl Verdicts {
    /// Tests with another verdict than here, and tests that only one side has.
    pub(crate) fn differences(&self, ours: &BTreeMap<String, Verdict>) -> Vec<String> {
        let theirs = |name: &str| self.other.get(name).map_or("pass", String::as_str);
        let differ = ours.iter().filter(|(name, verdict)| theirs(name) != verdict.name());
        let mut differ: Vec<_> = differ.map(|(name, verdict)| format!("{name}: {verdict:?}, OPA: {}", theirs(name))).collect();
        differ.extend(self.other.keys().filter(|name| !ours.contains_key(*name)).map(|name| format!("{name}: not found")));
        if ours.len() + self.repeated != self.tests {
            differ.push(format!("{} names of tests, OPA: {} less {}", ours.len(), self.tests, self.repeated));
        }
        differ
    }
}
