//! Equal, or different for a reason that is written down.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde::Deserialize;

use super::differences::Differences;
use super::lines::differing;
use super::run::{Outcome, Transcript};
use super::steps::Step;

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
pub(super) enum Part {
    Exit,
    Stdout,
    Stderr,
}

/// Differences other than those of the list, and entries of the list that are not true, or no longer.
pub(super) fn faults(
    client: Client,
    steps: &[Step],
    (real, embedded): (&Transcript, &Transcript),
    listed: &Differences,
) -> Vec<String> {
    let mut faults = listed.astray(client, steps);
    for ((step, real), embedded) in steps.iter().zip(real).zip(embedded) {
        for (part, left, right) in parts(real, embedded) {
            let found = differing(&left, &right);
            match listed.of(client, &step.name, part) {
                None if !found.is_empty() => faults.push(shown(&step.name, part, "differs", &found)),
                Some(_) if found.is_empty() => faults.push(format!("`{}` is listed, but {part:?} is equal", step.name)),
                Some(expected) if expected != found => {
                    faults.push(shown(&step.name, part, "differs otherwise than it is listed", &found));
                }
                _ => {}
            }
        }
    }
    faults
}

fn parts(real: &Outcome, embedded: &Outcome) -> [(Part, String, String); 3] {
    [
        (Part::Exit, real.exit.to_string(), embedded.exit.to_string()),
        (Part::Stdout, real.stdout.clone(), embedded.stdout.clone()),
        (Part::Stderr, real.stderr.clone(), embedded.stderr.clone()),
    ]
}

fn shown(name: &str, part: Part, what: &str, found: &str) -> String {
    let mut text = format!("`{name}`, {part:?} {what} (- real, + embedded):\n");
    for line in found.lines() {
        let _ = writeln!(text, "    {line}");
    }
    text
}

/// Steps that did not end on the real API server as their author meant.
pub(super) fn unexpected_exits(client: Client, steps: &[Step], real: &Transcript) -> Vec<String> {
    let wrong = |(step, outcome): &(&Step, &Outcome)| outcome.exit != step.exit(client);
    let said = |(step, outcome): (&Step, &Outcome)| {
        let Outcome { exit, stdout, stderr, .. } = outcome;
        format!("`{}` ends with {exit} on the real API server:\n{stdout}{stderr}", step.name)
    };
    steps.iter().zip(real).filter(wrong).map(said).collect()
}

/// Leaves both transcripts, and how long each step took, in the directory that `PLIMSOLL_SESSION_DIR` names.
pub(super) fn keep(client: Client, steps: &[Step], real: &Transcript, embedded: &Transcript) {
    let Some(to) = std::env::var_os("PLIMSOLL_SESSION_DIR") else { return };
    let to = std::path::Path::new(&to);
    for (name, transcript) in BTreeMap::from([("real", real), ("embedded", embedded)]) {
        let (mut text, mut times) = (String::new(), String::new());
        for (step, Outcome { exit, stdout, stderr, took }) in steps.iter().zip(transcript) {
            let _ = write!(text, "==== {} ({exit})\n{stdout}-- stderr\n{stderr}", step.name);
            let _ = writeln!(times, "{:8.3} {}", took.as_secs_f64(), step.name);
        }
        fs::write(to.join(format!("{client:?}-{name}.txt")), text).unwrap();
        fs::write(to.join(format!("{client:?}-{name}.times")), times).unwrap();
    }
}

#[test]
fn a_listed_difference_excuses_its_own_lines_and_nothing_else() {
    let steps: Vec<Step> = yaml_serde::from_str("[{name: a, run: x}]").unwrap();
    let said = |stdout: &str| {
        let (stdout, stderr) = (stdout.to_owned(), String::new());
        vec![Outcome { exit: 0, stdout, stderr, took: std::time::Duration::ZERO }]
    };
    let listed = "[{step: a, part: stdout, client: new, reason: so, lines: \"-b\\n+c\\n\"}]";
    let elsewhere = "[{step: b, part: stdout, reason: so, lines: \"-b\\n\"}]";
    let table = [
        (Client::New, listed, "a\nc\n", None),
        (Client::New, listed, "a\nb\n", Some("is equal")),
        (Client::New, listed, "a\nd\n", Some("differs otherwise")),
        (Client::New, listed, "x\nc\n", Some("differs otherwise")),
        (Client::Old, listed, "a\nc\n", Some("differs (")),
        (Client::New, elsewhere, "a\nb\n", Some("runs no such step")),
        (Client::New, "[]", "a\nb\n", None),
    ];
    for (client, list, embedded, expected) in table {
        let found = faults(client, &steps, (&said("a\nb\n"), &said(embedded)), &Differences::parse(list));
        match expected {
            None => assert!(found.is_empty(), "{found:?}"),
            Some(expected) => assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}"),
        }
    }
}
