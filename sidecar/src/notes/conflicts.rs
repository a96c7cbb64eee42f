//! ConfigMaps whose policies contradict each other for an object: said on them at the first one that shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use plimsoll_contract::policy::{CONFLICT, Diagnostic, Location};

use crate::plan::note::{Note, Reason, Subject};

/// Of more places nothing is said before the policies are others.
const MOST: usize = 1_000;

/// Modules in force, and the conflicts between them that are reported on their ConfigMaps.
#[derive(Clone, Debug, Default)]
pub struct Conflicts(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// Every module, and its ConfigMap.
    files: BTreeMap<String, Subject>,
    /// Places that may contradict others, by file and line, and these others.
    warnings: BTreeMap<(String, u32), Vec<String>>,
    said: BTreeSet<(String, u32)>,
}

impl Conflicts {
    /// These modules are in force, with these warnings: what was said of others is old.
    pub fn known(&self, files: BTreeMap<String, Subject>, warnings: &[Diagnostic]) {
        let place = |place: &Location| (place.file.clone(), place.row);
        let warnings = warnings.iter().map(|warning| (place(&warning.location), warning.details.clone()));
        *self.0.lock() = Known { files, warnings: warnings.collect(), said: BTreeSet::new() };
    }

    /// Says of ConfigMaps what is to be said beside a note on an object: if no decision about it could be made because policies contradict
    /// each other, and no object was shown yet for which these do. As long as `say` does not take all of it, it is said again.
    pub fn show(&self, note: &Note, mut say: impl FnMut(Note) -> bool) {
        let Some(place) = place(note) else { return };
        let mut known = self.0.lock();
        if !known.is_news(&place) {
            return;
        }
        let mut is_taken = true;
        for subject in known.concerned(&place) {
            is_taken &= say(about(subject, note));
        }
        if is_taken {
            known.said.insert(place);
        }
    }
}

impl Known {
    /// Whether it is a place in a module, and nothing was said of it. What is said of an object may quote what its owner wrote.
    fn is_news(&self, place: &(String, u32)) -> bool {
        self.files.contains_key(&place.0) && !self.said.contains(place) && self.said.len() < MOST
    }

    /// The ConfigMap with this place, and those with the others that a warning names.
    fn concerned(&self, place: &(String, u32)) -> Vec<Subject> {
        let others = self.warnings.get(place).map(Vec::as_slice).unwrap_or_default();
        let is_concerned = |file: &str| file == place.0 || others.iter().any(|other| other.starts_with(&format!("{file}:")));
        let subjects = self.files.iter().filter(|(file, _)| is_concerned(file)).map(|(_, subject)| subject.clone());
        subjects.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Where evaluation found rules that contradict each other, if that is what a note on an object says.
fn place(note: &Note) -> Option<(String, u32)> {
    if note.reason != Reason::PlacementFailed {
        return None;
    }
    let (before, _) = note.message.split_once(&format!(": {CONFLICT}"))?;
    let place = before.rsplit_once(' ').map_or(before, |(_, place)| place);
    let mut parts = place.rsplitn(3, ':');
    let (_column, row, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((file.to_owned(), row.parse().ok()?))
}

fn about(map: Subject, note: &Note) -> Note {
    let object = &note.subject;
    let slash = if object.namespace.is_empty() { "" } else { "/" };
    let message = format!(
        "policies contradict each other for {} {}{slash}{}, and may for others: {}",
        object.kind, object.namespace, object.name, note.message
    );
    Note::new(map, Reason::PolicyConflict, message)
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Gvr;

    use super::*;

    fn failed(name: &str, message: &str) -> Note {
        let gvr = Gvr::try_from("apps/v1/deployments".to_owned()).unwrap();
        let subject = Subject { gvr, kind: "Deployment".into(), name: name.into(), ..Subject::config_map("shop", "") };
        Note::new(subject, Reason::PlacementFailed, format!("no decision, the placement is kept: {message}"))
    }

    fn conflict(file: &str) -> String {
        format!("ns/{file}:3:1: eval_conflict_error: complete rules must not produce multiple outputs")
    }

    fn known() -> Conflicts {
        let conflicts = Conflicts::default();
        let files = ["a", "b", "c"].map(|name| (format!("ns/{name}/p.rego"), Subject::config_map("ns", name)));
        let location = Location { file: "ns/a/p.rego".into(), row: 3, col: 1 };
        let details = vec!["ns/b/p.rego:7:1".to_owned()];
        let warning =
            Diagnostic { code: CONFLICT.into(), message: "may have another value".into(), location, details, idx: None };
        conflicts.known(files.into(), &[warning]);
        conflicts
    }

    fn shown(conflicts: &Conflicts, note: &Note) -> Vec<Note> {
        let mut notes = Vec::new();
        conflicts.show(note, |note| {
            notes.push(note);
            true
        });
        notes
    }

    fn names(notes: &[Note]) -> Vec<&str> {
        notes.iter().map(|note| note.subject.name.as_str()).collect()
    }

    #[test]
    fn the_first_object_that_shows_it_is_named_on_both_configmaps_and_no_other() {
        let conflicts = known();
        let notes = shown(&conflicts, &failed("web", &conflict("a/p.rego")));
        assert_eq!(names(&notes), ["a", "b"]);
        assert!(
            notes.iter().all(|note| note.message.contains("Deployment shop/web") && note.message.contains("ns/a/p.rego:3:1"))
        );
        assert_eq!(shown(&conflicts, &failed("api", &conflict("a/p.rego"))), []);
        assert_eq!(names(&shown(&conflicts, &failed("api", &conflict("c/p.rego")))), ["c"], "nobody warned of that");
        conflicts.known([("ns/a/p.rego".to_owned(), Subject::config_map("ns", "a"))].into(), &[]);
        assert_eq!(names(&shown(&conflicts, &failed("api", &conflict("a/p.rego")))), ["a"], "other policies");
    }

    #[test]
    fn nothing_else_is_a_conflict() {
        let conflicts = known();
        let notes = [
            failed("web", "ns/a/p.rego:3:1: eval_builtin_error: x"),
            failed("web", "eval_conflict_error"),
            failed("web", "x:y: eval_conflict_error: x"),
            failed("web", &conflict("unknown/p.rego")),
            Note { reason: Reason::PlacementDenied, ..failed("web", &conflict("a/p.rego")) },
        ];
        for note in notes {
            assert_eq!(shown(&conflicts, &note), [], "{note:?}");
        }
        assert!(conflicts.0.lock().said.is_empty(), "nothing is kept of them");
    }

    #[test]
    fn what_found_no_room_is_said_again() {
        let conflicts = known();
        let web = failed("web", &conflict("a/p.rego"));
        for room in [0, 1] {
            let mut left = room;
            conflicts.show(&web, |_| std::mem::replace(&mut left, 0) > 0);
            assert!(conflicts.0.lock().said.is_empty(), "room for {room} of two");
        }
        assert_eq!(names(&shown(&conflicts, &web)), ["a", "b"]);
        assert_eq!(shown(&conflicts, &web), []);
    }

    #[test]
    fn no_more_places_are_kept_than_there_is_room_for() {
        let conflicts = known();
        for row in 0..=MOST {
            let notes = shown(&conflicts, &failed("web", &format!("ns/c/p.rego:{row}:1: eval_conflict_error: x")));
            assert_eq!(notes.len(), usize::from(row < MOST), "{row}");
        }
    }
}
