//! What is different on purpose: the very lines, each with its reason, and nothing beside them.

use std::fs;

use serde::Deserialize;

use super::compare::{Client, Part};
use super::steps::{Step, directory};

/// One entry of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    /// The step, by name.
    step: String,
    /// Where it shows.
    part: Part,
    /// With this kubectl only; with both where nothing is said.
    client: Option<Client>,
    /// Why it is accepted.
    reason: String,
    /// Its lines: `-` is said by the real API server alone, `+` by the embedded one alone.
    lines: String,
}

/// `differences.yaml`.
pub(super) struct Differences(Vec<Difference>);

impl Differences {
    pub(super) fn load() -> Self {
        Self::parse(&fs::read_to_string(directory().join("differences.yaml")).unwrap())
    }

    pub(super) fn parse(text: &str) -> Self {
        let list: Vec<Difference> = yaml_serde::from_str(text).unwrap();
        for entry in &list {
            assert!(!entry.reason.trim().is_empty(), "a difference without a reason: {}", entry.step);
            assert!(!entry.lines.trim().is_empty(), "a difference without lines: {}", entry.step);
        }
        Self(list)
    }

    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// What is listed of a step: `None` where it must be equal.
    pub(super) fn of(&self, client: Client, name: &str, part: Part) -> Option<&str> {
        let concerns = |entry: &&Difference| entry.step == name && entry.part == part && entry.concerns(client);
        let mut found = self.0.iter().filter(concerns);
        let first = found.next()?;
        assert!(found.next().is_none(), "`{name}`, {part:?} is listed twice for {client:?}");
        Some(&first.lines)
    }

    /// Entries about steps that this client does not run.
    pub(super) fn astray(&self, client: Client, steps: &[Step]) -> Vec<String> {
        let runs = |name: &str| steps.iter().any(|step| step.name == name);
        let astray = self.0.iter().filter(|entry| entry.concerns(client) && !runs(&entry.step));
        astray.map(|entry| format!("`{}` is listed, but {client:?} runs no such step", entry.step)).collect()
    }
}

impl Difference {
    fn concerns(&self, client: Client) -> bool {
        self.client.is_none_or(|only| only == client)
    }
}
