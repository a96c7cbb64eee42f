//! The list of cases that do not pass, its comparison with what was found, and its renewal.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::cases::Case;
use super::judge::Verdict;

/// What the list begins with.
const HEAD: &str = "\
# OPA cases that do not pass, by folder, and why; written by the test itself (CONFORMANCE_LIST), but for the reasons. A case of
# one version of Rego only begins with it; no cases: all of the folder.
# `refused`: modules or query are not accepted. `differs`: answered otherwise than by OPA.
";

/// Cases of one folder that end the same way for the same reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// `refused` or `differs`.
    outcome: String,
    /// For people, by people.
    reason: String,
    /// Notes of cases, of both versions of Rego; `v0: note` is of one. Without notes: every case of the folder.
    #[serde(default)]
    cases: Vec<String>,
}

/// By folder.
pub(super) struct List(BTreeMap<String, Vec<Group>>);

impl List {
    /// The list as it is.
    pub(super) fn read() -> Self {
        Self(yaml_serde::from_str(include_str!("expected.yaml")).unwrap())
    }

    /// Says what is not as listed.
    pub(super) fn compare(&self, cases: &[Case], verdicts: &[Verdict]) -> Vec<String> {
        let mut problems = self.unexplained();
        let mut used = BTreeSet::new();
        for (case, verdict) in cases.iter().zip(verdicts) {
            let found = self.group(case);
            let expected = found.as_ref().map_or("pass", |found| found.group.outcome.as_str());
            if expected != verdict.name() {
                problems.push(format!(
                    "{} {} `{}`: listed as {expected}; {verdict}",
                    case.version.name(),
                    case.folder,
                    case.note
                ));
            }
            used.extend(found.and_then(|found| found.note));
        }
        for (folder, group) in self.0.iter().flat_map(|(folder, groups)| groups.iter().map(move |group| (folder, group))) {
            let unknown = group.cases.iter().filter(|note| !used.contains(note.as_str()));
            problems.extend(unknown.map(|note| format!("{folder} `{note}`: listed, but there is no such case")));
        }
        problems
    }

    /// Groups that nobody has given a reason, or an outcome that is none.
    fn unexplained(&self) -> Vec<String> {
        let groups = self.0.iter().flat_map(|(folder, groups)| groups.iter().map(move |group| (folder, group)));
        let wrong = groups
            .filter(|(_, group)| group.reason.trim().is_empty() || !["refused", "differs"].contains(&group.outcome.as_str()));
        wrong.map(|(folder, group)| format!("{folder} ({}): write the reason", group.outcome)).collect()
    }

    fn group(&self, case: &Case) -> Option<Found<'_>> {
        self.0.get(&case.folder)?.iter().find_map(|group| {
            let note = group.cases.iter().find(|listed| names(listed, case)).map(String::as_str);
            (note.is_some() || group.cases.is_empty()).then_some(Found { group, note })
        })
    }

    /// The list as it should be: known reasons are kept, and the rest have none yet.
    pub(super) fn renewed(&self, cases: &[Case], verdicts: &[Verdict]) -> String {
        let mut folders: BTreeMap<&str, BTreeMap<(&str, &str), Vec<Member<'_>>>> = BTreeMap::new();
        for (case, verdict) in cases.iter().zip(verdicts).filter(|(_, verdict)| verdict.name() != "pass") {
            let known = self.group(case).filter(|found| found.group.outcome == verdict.name());
            let reason = known.map_or("", |found| found.group.reason.as_str());
            folders.entry(&case.folder).or_default().entry((verdict.name(), reason)).or_default().push((case, verdict));
        }
        let mut text = HEAD.to_owned();
        for (folder, groups) in folders {
            text.push_str(&format!("{folder}:\n"));
            let size = cases.iter().filter(|case| case.folder == folder).count();
            for ((outcome, reason), members) in groups {
                text.push_str(&format!("  - outcome: {outcome}\n    reason: {}\n", quoted(reason)));
                if members.len() < size {
                    text.push_str("    cases:\n");
                    text.push_str(&notes(&members, reason.is_empty()));
                }
            }
        }
        text
    }
}

/// A case and what came of it.
type Member<'c> = (&'c Case, &'c Verdict);

struct Found<'l> {
    group: &'l Group,
    note: Option<&'l str>,
}

/// The notes of cases, sorted; what was found stands beside those that want a reason.
fn notes(members: &[Member<'_>], explain: bool) -> String {
    let mut lines = BTreeSet::new();
    for (case, verdict) in members {
        let both = members.iter().any(|(other, _)| other.note == case.note && other.version != case.version);
        let note = if both { case.note.clone() } else { format!("{}: {}", case.version.name(), case.note) };
        let found = if explain { format!(" # {verdict}") } else { String::new() };
        lines.insert(format!("      - {}{found}\n", quoted(&note)));
    }
    lines.into_iter().collect()
}

/// JSON strings are strings in YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn names(listed: &str, case: &Case) -> bool {
    match listed.split_once(": ") {
        Some((version @ ("v0" | "v1"), note)) => version == case.version.name() && note == case.note,
        _ => listed == case.note,
    }
}
