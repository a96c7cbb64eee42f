//! Rules of several ConfigMaps that may contradict each other: said on each of them while they stand, once.

use std::collections::BTreeMap;

use plimsoll_contract::policy::Diagnostic;

use super::maps::{Map, Maps};
use crate::plan::note::{Note, Reason, Subject};

/// The conflicts that were reported last, by the uid of the ConfigMap.
#[derive(Debug, Default)]
pub(super) struct Conflicts {
    told: BTreeMap<String, String>,
}

impl Conflicts {
    /// Returns the notes about ConfigMaps of an accepted set that were not reported yet.
    pub(super) fn told(&mut self, maps: &Maps, warnings: &[Diagnostic]) -> Vec<Note> {
        let about = |map: &Map| Some((map.subject.clone(), warning(map, warnings)?));
        let now: Vec<(Subject, String)> = maps.iter().filter_map(about).collect();
        let is_news = |(subject, message): &&(Subject, String)| self.told.get(&subject.uid) != Some(message);
        let note = |(subject, message): &(Subject, String)| Note::new(subject.clone(), Reason::PolicyConflict, message.clone());
        let notes = now.iter().filter(is_news).map(note).collect();
        self.told = now.into_iter().map(|(subject, message)| (subject.uid, message)).collect();
        notes
    }
}

/// Every module, and its ConfigMap.
pub(super) fn files(maps: &Maps) -> BTreeMap<String, Subject> {
    maps.iter().flat_map(|map| map.modules.keys().map(|key| (map.module(key), map.subject.clone()))).collect()
}

/// Returns the conflicts of this ConfigMap with others as a message; `None` without any. Conflicts within one ConfigMap are left out:
/// whoever writes it sees all of it.
fn warning(map: &Map, warnings: &[Diagnostic]) -> Option<String> {
    let own: Vec<String> = map.modules.keys().map(|key| format!("{}:", map.module(key))).collect();
    let is_own = |place: &String| own.iter().any(|own| place.starts_with(own.as_str()));
    let is_with_others = |warning: &Diagnostic| !warning.details.iter().all(is_own);
    let mine = warnings.iter().filter(|warning| map.has(&warning.location.file) && is_with_others(warning));
    let mine: Vec<String> = mine.map(|warning| format!("{}: {}", warning.location, warning.message)).collect();
    (!mine.is_empty()).then(|| format!("in force, and may contradict other policies: {}", mine.join("; ")))
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::policy::{CONFLICT, Location};
    use tokio::time::Instant;

    use super::super::maps::tests::object;
    use super::*;
    use crate::replicate::reflector::Step;
    use crate::replicate::seen::Seen;

    fn maps() -> Maps {
        let mut maps = Maps::default();
        let objects = vec![
            object("a", &[("one.rego", "x"), ("two.rego", "x")]),
            object("b", &[("p.rego", "x")]),
            object("c", &[("p.rego", "x")]),
        ];
        [Step::Begin(Seen::together(Instant::now())), Step::Page(objects), Step::End]
            .into_iter()
            .for_each(|step| maps.take(step));
        maps
    }

    fn warning(file: &str, others: &[&str]) -> Diagnostic {
        let location = Location { file: format!("ns/{file}"), row: 3, col: 1 };
        let details: Vec<String> = others.iter().map(|other| format!("ns/{other}:3:1")).collect();
        let message = format!("data.p.x may have another value at {}", details.join(", "));
        Diagnostic { code: CONFLICT.into(), message, location, details, idx: None }
    }

    #[test]
    fn both_configmaps_are_told_with_both_places_once_as_long_as_it_is_so() {
        let (mut conflicts, maps) = (Conflicts::default(), maps());
        let both = [warning("a/one.rego", &["b/p.rego"]), warning("b/p.rego", &["a/one.rego"])];
        let told = conflicts.told(&maps, &both);
        let names: Vec<&str> = told.iter().map(|note| note.subject.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        for note in &told {
            let is_complete = ["ns/a/one.rego:3:1", "ns/b/p.rego:3:1"].iter().all(|place| note.message.contains(place));
            assert!(is_complete && note.reason == Reason::PolicyConflict, "{note:?}");
        }
        assert_eq!(conflicts.told(&maps, &both), []);
        assert_eq!(conflicts.told(&maps, &[]), []);
        assert_eq!(conflicts.told(&maps, &both).len(), 2, "again");
    }

    #[test]
    fn what_one_configmap_has_with_itself_is_its_authors() {
        let own = [warning("a/one.rego", &["a/two.rego"]), warning("a/two.rego", &["a/one.rego"])];
        assert_eq!(Conflicts::default().told(&maps(), &own), []);
        let others = [warning("a/one.rego", &["a/two.rego", "c/p.rego"])];
        assert_eq!(Conflicts::default().told(&maps(), &others).len(), 1);
    }
}
