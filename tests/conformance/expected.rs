//! The list of cases that do not pass, and its comparison with what was found.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::cases::Case;
use super::run::Verdict;

/// Cases of one folder that end the same way for the same reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// `refused` or `differs`.
    outcome: String,
    /// For people.
    reason: String,
    /// Notes of cases, of both versions of Rego; `v0: note` is of one. Without notes: every case of the folder.
    #[serde(default)]
    cases: Vec<String>,
}

/// Says what is not as listed.
pub(super) fn compare(cases: &[Case], verdicts: &[Verdict]) -> Vec<String> {
    let listed: BTreeMap<String, Vec<Group>> = yaml_serde::from_str(include_str!("expected.yaml")).unwrap();
    let mut problems = Vec::new();
    let mut used: BTreeMap<(&str, usize, usize), bool> = BTreeMap::new();
    for (folder, groups) in &listed {
        for (at, group) in groups.iter().enumerate() {
            assert!(!group.reason.is_empty() && ["refused", "differs"].contains(&group.outcome.as_str()), "{folder}");
            (0..group.cases.len()).for_each(|case| {
                used.insert((folder, at, case), false);
            });
        }
    }
    for (case, verdict) in cases.iter().zip(verdicts) {
        let mut expected = "pass";
        for (at, group) in listed.get(&case.folder).into_iter().flatten().enumerate() {
            let named = group.cases.iter().position(|listed| names(listed, case));
            if let Some(place) = named {
                used.insert((&case.folder, at, place), true);
            }
            if named.is_some() || group.cases.is_empty() {
                expected = &group.outcome;
            }
        }
        if expected != verdict.name() {
            problems.push(format!("{} {} `{}`: listed as {expected}; {verdict}", case.version, case.folder, case.note));
        }
    }
    let unknown = used.into_iter().filter(|(_, used)| !used);
    problems.extend(unknown.filter_map(|((folder, at, case), _)| {
        let note = listed.get(folder)?.get(at)?.cases.get(case)?;
        Some(format!("{folder} `{note}`: listed, but there is no such case"))
    }));
    problems
}

fn names(listed: &str, case: &Case) -> bool {
    match listed.split_once(": ") {
        Some((version @ ("v0" | "v1"), note)) => version == case.version && note == case.note,
        _ => listed == case.note,
    }
}
