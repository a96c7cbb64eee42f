//! Equal, or different for a reason that is written down.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde::Deserialize;

use super::run::{Outcome, Transcript};
use super::steps::{Step, directory};

/// Which kubectl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Client {
    /// 1.36.3
    New,
    /// 1.20.2
    Old,
}

/// What of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Exit,
    Stdout,
    Stderr,
}

/// One entry of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    /// Steps, by name.
    steps: Vec<String>,
    /// Where it shows.
    parts: Vec<Part>,
    /// With this kubectl only.
    client: Option<Client>,
    /// Why it is accepted.
    reason: String,
}

/// `differences.yaml`.
pub(super) struct Differences(Vec<Difference>);

impl Differences {
    pub(super) fn load(steps: &[Step]) -> Self {
        let text = fs::read_to_string(directory().join("differences.yaml")).unwrap();
        let list: Vec<Difference> = yaml_serde::from_str(&text).unwrap();
        for entry in &list {
            assert!(!entry.reason.trim().is_empty(), "a difference without a reason: {:?}", entry.steps);
            for name in &entry.steps {
                assert!(steps.iter().any(|step| step.name == *name), "no step is called `{name}`");
            }
        }
        Self(list)
    }

    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    fn accepts(&self, client: Client, name: &str, part: Part) -> bool {
        let concerns = |entry: &&Difference| entry.client.is_none_or(|only| only == client);
        self.0.iter().filter(concerns).any(|entry| entry.parts.contains(&part) && entry.steps.iter().any(|step| step == name))
    }

    /// Differences that are not in the list, and entries that are no longer true.
    pub(super) fn check(&self, client: Client, steps: &[Step], real: &Transcript, embedded: &Transcript) -> Vec<String> {
        let mut faults = Vec::new();
        for ((step, real), embedded) in steps.iter().zip(real).zip(embedded) {
            for (part, left, right) in parts(real, embedded) {
                match (left == right, self.accepts(client, &step.name, part)) {
                    (true, true) => faults.push(format!("`{}` is listed, but {part:?} is equal now", step.name)),
                    (false, false) => faults.push(shown(&step.name, part, &left, &right)),
                    _ => {}
                }
            }
        }
        faults
    }
}

fn parts(real: &Outcome, embedded: &Outcome) -> [(Part, String, String); 3] {
    [
        (Part::Exit, real.exit.to_string(), embedded.exit.to_string()),
        (Part::Stdout, real.stdout.clone(), embedded.stdout.clone()),
        (Part::Stderr, real.stderr.clone(), embedded.stderr.clone()),
    ]
}

fn shown(name: &str, part: Part, real: &str, embedded: &str) -> String {
    let mut text = format!("`{name}`, {part:?}:\n");
    let (left, right): (Vec<&str>, Vec<&str>) = (real.lines().collect(), embedded.lines().collect());
    let same = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
    for (mark, lines) in [("real    ", left), ("embedded", right)] {
        for line in lines.iter().skip(same).take(12) {
            let _ = writeln!(text, "  {mark} | {line}");
        }
    }
    text
}

/// Steps that did not end on the real API server as their author meant.
pub(super) fn unexpected_exits(client: Client, steps: &[Step], real: &Transcript) -> Vec<String> {
    let wrong = |(step, outcome): &(&Step, &Outcome)| outcome.exit != step.exit(client);
    let said = |(step, outcome): (&Step, &Outcome)| {
        let Outcome { exit, stdout, stderr } = outcome;
        format!("`{}` ends with {exit} on the real API server:\n{stdout}{stderr}", step.name)
    };
    steps.iter().zip(real).filter(wrong).map(said).collect()
}

/// Leaves both transcripts in the directory that `PLIMSOLL_SESSION_DIR` names, for a look at them side by side.
pub(super) fn keep(client: Client, steps: &[Step], real: &Transcript, embedded: &Transcript) {
    let Some(to) = std::env::var_os("PLIMSOLL_SESSION_DIR") else { return };
    for (name, transcript) in BTreeMap::from([("real", real), ("embedded", embedded)]) {
        let mut text = String::new();
        for (step, Outcome { exit, stdout, stderr }) in steps.iter().zip(transcript) {
            let _ = write!(text, "==== {} ({exit})\n{stdout}-- stderr\n{stderr}", step.name);
        }
        fs::write(std::path::Path::new(&to).join(format!("{client:?}-{name}.txt")), text).unwrap();
    }
}
