//! The compiler's verdict, told on the ConfigMaps it is about; the same is not told twice.
//!
//! Decided (traps T11, T12): nothing is ever written to a ConfigMap. Several replicas share one ConfigMap; an annotation on
//! it would say what the last of them thought, each write would wake all the others, and a verdict of the past would be
//! taken for the present. So each replica tells its verdict by Events of its own, which name the Pod that told them and
//! are counted, not multiplied; and what holds *now* is asked of the replica itself: `/plimsoll/v1/status` (`policies`, by
//! set, with errors by file and line) and the metric `plimsoll_policy_set_errors`, both per Pod. Retries live in memory.

use std::collections::BTreeMap;

use plimsoll_contract::policy::{Diagnostic, PoliciesAccepted, PoliciesRejected};

use super::maps::{Map, Maps};
use crate::engine::Verdict;
use crate::plan::note::{Note, Reason};

/// The texts of a ConfigMap: modules, and data.
type Texts = [BTreeMap<String, String>; 2];

/// What was reported last of each ConfigMap, by its uid: its texts then, and the Event's reason and message.
#[derive(Debug, Default)]
pub(super) struct ReportedVerdicts {
    last: BTreeMap<String, (Texts, Reason, String)>,
}

impl ReportedVerdicts {
    /// Returns the notes about ConfigMaps that were not reported yet.
    pub(super) fn verdict(&mut self, maps: &Maps, verdict: &Verdict) -> Vec<Note> {
        let mut last = BTreeMap::new();
        let mut notes = Vec::new();
        for map in maps.iter() {
            let uid = map.subject.uid.clone();
            let before = self.last.remove(&uid);
            let Some((reason, message)) = about(map, maps, verdict) else {
                // Not concerned this time: what was told before still stands.
                last.extend(before.map(|before| (uid, before)));
                continue;
            };
            let now = ([map.modules.clone(), map.data.clone()], reason, message);
            if before.as_ref() != Some(&now) {
                notes.push(Note::new(map.subject.clone(), reason, now.2.clone()));
            }
            last.insert(uid, now);
        }
        self.last = last;
        notes
    }
}

fn about(map: &Map, maps: &Maps, verdict: &Verdict) -> Option<(Reason, String)> {
    match verdict {
        Verdict::Accepted(accepted) => Some((Reason::PolicyAccepted, praise(map, accepted))),
        Verdict::Rejected(rejected) => blame(map, maps, rejected).map(|message| (Reason::PolicyRejected, message)),
    }
}

fn praise(map: &Map, accepted: &PoliciesAccepted) -> String {
    let keys: Vec<&str> = map.keys().collect();
    let notes = accepted.notes.iter().filter(|note| map.keys().any(|key| note.contains(&map.module(key))));
    let notes: String = notes.map(|note| format!("; {note}")).collect();
    format!("in force: {}{notes}", keys.join(", "))
}

/// The errors in this ConfigMap, or that name a module of it, such as two defaults of one rule; errors that are in none are told on all.
fn blame(map: &Map, maps: &Maps, rejected: &PoliciesRejected) -> Option<String> {
    let is_nowhere = |error: &Diagnostic| !maps.iter().any(|map| map.has(&error.location.file));
    let is_named = |error: &Diagnostic| map.keys().any(|key| error.message.contains(&format!("{}:", map.module(key))));
    let is_mine = |error: &&Diagnostic| map.has(&error.location.file) || is_named(error) || is_nowhere(error);
    let mine: Vec<String> = rejected.errors.iter().filter(is_mine).map(told).collect();
    let because = if rejected.errors.is_empty() { rejected.message.clone() } else { mine.join("; ") };
    (!because.is_empty()).then(|| format!("rejected, the last good set stays in force: {because}"))
}

/// In one line, with the source line at its end.
fn told(error: &Diagnostic) -> String {
    let line = error.details.first().map(|line| line.trim()).filter(|line| !line.is_empty());
    let line = line.map(|line| format!(" (`{line}`)")).unwrap_or_default();
    format!("{}: {}: {}{line}", error.location, error.code, error.message)
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::policy::Location;

    use super::super::maps::tests::object;
    use super::*;
    use crate::replicate::reflector::Step;

    fn maps(a: &str) -> Maps {
        let mut maps = Maps::default();
        let objects = vec![object("a", &[("a.rego", a)]), object("b", &[("b.rego", "b")])];
        [Step::Begin(crate::replicate::seen::Seen::together(tokio::time::Instant::now())), Step::Page(objects), Step::End]
            .into_iter()
            .for_each(|step| maps.take(step));
        maps
    }

    fn accepted() -> Verdict {
        let notes = vec!["ns/b/b.rego was read as Rego v0".to_owned()];
        Verdict::Accepted(PoliciesAccepted { epoch: "e".into(), revision: 1, digest: "d".into(), notes, warnings: vec![] })
    }

    fn rejected(file: &str) -> Verdict {
        let error = Diagnostic {
            code: "rego_parse_error".into(),
            message: "unexpected token".into(),
            location: Location { file: file.into(), row: 3, col: 7 },
            details: vec!["\tallow := {".into(), "a note".into()],
            idx: None,
        };
        let message = "1 error".to_owned();
        Verdict::Rejected(PoliciesRejected { code: "invalid_parameter".into(), message, errors: vec![error] })
    }

    fn names(notes: Vec<Note>) -> Vec<(String, &'static str)> {
        notes.into_iter().map(|note| (note.subject.name, note.reason.name())).collect()
    }

    #[test]
    fn t11_a_verdict_is_told_once_and_again_only_about_what_changed() {
        let mut memory = ReportedVerdicts::default();
        let both = [("a".to_owned(), "PolicyAccepted"), ("b".to_owned(), "PolicyAccepted")];
        assert_eq!(names(memory.verdict(&maps("1"), &accepted())), both);
        assert!(memory.verdict(&maps("1"), &accepted()).is_empty(), "nothing changed");
        assert_eq!(names(memory.verdict(&maps("2"), &accepted())), both[..1]);
        assert_eq!(names(memory.verdict(&maps("3"), &rejected("ns/a/a.rego"))), [("a".to_owned(), "PolicyRejected")]);
        assert_eq!(names(memory.verdict(&maps("2"), &accepted())), both[..1], "repaired");
    }

    #[test]
    fn a_rejection_names_file_and_line_and_one_without_a_file_is_told_on_all() {
        let notes = ReportedVerdicts::default().verdict(&maps("1"), &rejected("ns/a/a.rego"));
        assert!(notes[0].message.contains("ns/a/a.rego:3:7: rego_parse_error: unexpected token (`allow := {`)"), "{notes:?}");
        assert_eq!(ReportedVerdicts::default().verdict(&maps("1"), &rejected("elsewhere")).len(), 2);
    }

    #[test]
    fn an_error_that_is_between_two_configmaps_is_told_on_both() {
        let Verdict::Rejected(mut both) = rejected("ns/a/a.rego") else { unreachable!() };
        both.errors[0].message = "multiple default rules data.p.x found at ns/a/a.rego:3, ns/b/b.rego:3".into();
        let told = ReportedVerdicts::default().verdict(&maps("1"), &Verdict::Rejected(both));
        assert_eq!(names(told), [("a".to_owned(), "PolicyRejected"), ("b".to_owned(), "PolicyRejected")]);
    }

    #[test]
    fn an_acceptance_carries_the_notes_about_its_own_files() {
        let notes = ReportedVerdicts::default().verdict(&maps("1"), &accepted());
        assert_eq!(notes[0].message, "in force: a.rego");
        assert!(notes[1].message.ends_with("read as Rego v0"), "{notes:?}");
    }
}
