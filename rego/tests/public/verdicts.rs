//! What OPA said of tests.

use std::collections::BTreeMap;

use plimsoll_rego::testing::Verdict;
use serde::Deserialize;

use crate::run;

/// Of one set of policies.
#[derive(Debug, Deserialize)]
pub(crate) struct Verdicts {
    /// How many there are.
    pub(crate) tests: usize,
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
        let differ = ours.iter().filter(|(name, verdict)| theirs(name) != run::name(verdict));
        let mut differ: Vec<_> = differ.map(|(name, verdict)| format!("{name}: {verdict:?}, OPA: {}", theirs(name))).collect();
        differ.extend(self.other.keys().filter(|name| !ours.contains_key(*name)).map(|name| format!("{name}: not found")));
        if ours.len() != self.tests {
            differ.push(format!("{} tests, OPA: {}", ours.len(), self.tests));
        }
        differ
    }
}
