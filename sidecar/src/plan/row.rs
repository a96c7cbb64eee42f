//! What a row of the placements asks for: a patch, an Event, or nothing. Pure.
//!
//! | outcome | mode | patch | Event |
//! |---|---|---|---|
//! | any | off | no | no |
//! | place, no opinion | auto | as the row says | `PlacementUpdated` once written |
//! | nowhere | auto | as the row says | `PlacementNowhere` |
//! | any with a patch | suggest | no | `PlacementSuggested` |
//! | any with a patch | auto, on hold | no | `PlacementHeld` |
//! | no opinion, kept | any | no | `PlacementKept`, or `PlacementUnproven` |
//! | no opinion, kept while the policies are new | any | no | `PlacementKept` |
//! | denied, undefined, failed, invalid | any | no | `PlacementDenied`, `PlacementFailed` |
//! | not ready, stale, exempt | any | no | no |
//!
//! `PlacementUpdated` is said when the answer to the patch shows it; see [`super::answer`] for what else is said then.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_contract::annotations::APPLIED;
use plimsoll_contract::kind::{Gvr, Mode};
use plimsoll_contract::outcome::{Outcome, Unavailable};
use plimsoll_contract::placement::Placement;

use super::note::{Note, Reason, Subject};

/// One merge-patch with preconditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The object that was decided on.
    pub subject: Subject,
    /// Annotations to set and, `None`, to remove.
    pub annotations: Arc<BTreeMap<String, Option<String>>>,
    /// What to say once it is written; `None` when the plan's note says it all.
    pub said: Option<String>,
    /// With an equal digest the patch is good for another version, too.
    pub seen: Option<String>,
    /// It moves the object, and policy says that this cannot wait.
    pub urgent: bool,
}

/// Why a patch that the decision asks for is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// The mode is `suggest`.
    Suggested,
    /// The object asks not to be repaired.
    Held,
}

/// What is to be written and reported about one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// To write.
    pub patch: Option<Patch>,
    /// Instead of a patch.
    pub withheld: Option<Withheld>,
    /// To say now.
    pub note: Option<Note>,
}

/// Names an object in the table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The kind.
    pub gvr: Gvr,
    /// Empty for cluster-scoped objects.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

impl Key {
    /// The row's object.
    pub fn of(row: &Placement) -> Self {
        Self { gvr: Gvr::clone(&row.gvr), namespace: row.namespace.clone(), name: row.name.clone() }
    }
}

impl Patch {
    /// Whether both want the same of one object, whatever the version. The record of what was written does not count beside other
    /// keys: it also changes with the fleet.
    pub fn wants_the_same(&self, other: &Self) -> bool {
        self.subject.uid == other.subject.uid && self.wanted().eq(other.wanted())
    }

    fn wanted(&self) -> impl Iterator<Item = (&String, &Option<String>)> {
        let is_record_alone = self.annotations.len() == 1;
        self.annotations.iter().filter(move |(key, _)| is_record_alone || *key != APPLIED)
    }
}

/// Returns what is to be done about the object of `row`.
pub fn plan(row: &Placement) -> Plan {
    if row.mode == Mode::Off {
        return Plan::default();
    }
    let may_write = match &row.outcome {
        // Unarmed carries a patch only under `--when-disarmed=release`, which the engine decides.
        Outcome::Place | Outcome::Nowhere | Outcome::NoOpinion | Outcome::Unarmed => true,
        // No decision is no reason to touch an object, whatever the row says.
        Outcome::Exempt | Outcome::Undefined | Outcome::Denied { .. } | Outcome::Unavailable { .. } => false,
    };
    let is_due = may_write && !row.patch.is_empty();
    let is_written = is_due && row.mode == Mode::Auto && !row.hold;
    let withheld = match (is_due && !is_written, row.hold) {
        (true, true) => Some(Withheld::Held),
        (true, false) => Some(Withheld::Suggested),
        (false, _) => None,
    };
    Plan { patch: is_written.then(|| patch(row)), withheld, note: note(row, is_due, is_written) }
}

fn patch(row: &Placement) -> Patch {
    let said = (row.outcome != Outcome::Nowhere).then(|| sentence(row));
    let urgent = row.moves.as_ref().is_some_and(|moves| moves.urgent);
    Patch { subject: subject(row), annotations: row.patch.clone(), said, seen: row.seen.clone(), urgent }
}

fn note(row: &Placement, is_due: bool, is_written: bool) -> Option<Note> {
    let cause = || row.moves.as_ref().map(|moves| moves.cause.clone());
    let say = |reason, message: String| Some(Note::new(subject(row), reason, message).because(cause()));
    match &row.outcome {
        Outcome::Denied { .. } => say(
            Reason::PlacementDenied,
            format!("policy would not admit this object now; its placement is kept: {}", row.outcome),
        ),
        Outcome::Undefined => say(Reason::PlacementFailed, format!("{}; the placement is kept", row.outcome)),
        Outcome::Unavailable { reason: Unavailable::Failed | Unavailable::Invalid, message } => {
            say(Reason::PlacementFailed, format!("no decision, the placement is kept: {message}"))
        }
        Outcome::Unavailable { .. } | Outcome::Exempt => None,
        Outcome::Nowhere => say(Reason::PlacementNowhere, nowhere(row)),
        _ if is_due && row.hold => say(Reason::PlacementHeld, format!("on hold, not written: {}", sentence(row))),
        _ if is_due && !is_written => say(Reason::PlacementSuggested, format!("suggested, not written: {}", sentence(row))),
        _ if row.letting_go => say(
            Reason::PlacementKeptForNow,
            "policy has no opinion any more since the policies changed; the placement stays for a while (`serve --letting-go-after`), \
             and is let go then unless they change again"
                .into(),
        ),
        _ if row.kept && row.unproven => say(
            Reason::PlacementUnproven,
            "policy has no opinion, and nothing shows that it gave the placement that stands here; it is kept: change a label, an \
             annotation or the spec of the object to have it decided"
                .into(),
        ),
        _ if row.kept => say(
            Reason::PlacementKept,
            "policy has no opinion any more though neither it nor the object changed; the last placement is kept".into(),
        ),
        _ => None,
    }
}

fn nowhere(row: &Placement) -> String {
    format!("policy finds no cluster for this object{}", rejections(row))
}

/// Returns the decision, and the cause of a move, as a sentence for people.
fn sentence(row: &Placement) -> String {
    let cause = row.moves.as_ref().map(|moves| format!(" ({})", moves.cause)).unwrap_or_default();
    format!("{}{cause}", meaning(row))
}

fn meaning(row: &Placement) -> String {
    match &row.outcome {
        Outcome::Nowhere => nowhere(row),
        _ if !row.clusters.is_empty() => format!("placed on {}", row.clusters.join(", ")),
        Outcome::Place => format!("annotations set: {}", keys(row)),
        _ => format!("policy has no opinion; originals restored: {}", keys(row)),
    }
}

fn keys(row: &Placement) -> String {
    let keys: Vec<&str> = row.patch.keys().map(String::as_str).filter(|key| !key.starts_with("plimsoll.io/")).collect();
    keys.join(", ")
}

fn rejections(row: &Placement) -> String {
    let reasons: Vec<String> = row.rejected.iter().map(|(cluster, reason)| format!("{cluster}: {reason}")).collect();
    if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) }
}

fn subject(row: &Placement) -> Subject {
    Subject {
        gvr: Gvr::clone(&row.gvr),
        kind: row.kind.clone(),
        namespace: row.namespace.clone(),
        name: row.name.clone(),
        uid: row.uid.clone(),
        resource_version: row.resource_version.clone(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use super::*;

    pub(crate) fn row(outcome: Outcome, mode: Mode, patched: bool) -> Placement {
        let patch = if patched { [("example/key".to_owned(), Some("v".to_owned()))].into() } else { BTreeMap::new() };
        Placement {
            gvr: Gvr::try_from("apps/v1/replicasets".to_owned()).unwrap().into(),
            kind: "ReplicaSet".into(),
            namespace: "shop".into(),
            name: "web".into(),
            uid: "u1".into(),
            resource_version: "7".into(),
            seen: None,
            outcome,
            mode,
            hold: false,
            kept: false,
            unproven: false,
            letting_go: false,
            patch: patch.into(),
            stands: String::new(),
            moves: None,
            clusters: Arc::new(vec!["a".into(), "b".into()]),
            rejected: Arc::new([("c".to_owned(), "not certified".to_owned())].into()),
            warnings: vec![],
            revision: 1,
        }
    }

    fn denied() -> Outcome {
        Outcome::Denied { errors: vec!["not allowed".into()] }
    }

    fn unavailable(reason: Unavailable) -> Outcome {
        Outcome::Unavailable { reason, message: "because".into() }
    }

    #[test]
    fn the_table_above_is_what_happens() {
        use Mode::{Auto, Off, Suggest};
        let cases = [
            (Outcome::Place, Auto, true, true, None),
            (Outcome::Place, Auto, false, false, None),
            (Outcome::Place, Suggest, true, false, Some(Reason::PlacementSuggested)),
            (Outcome::Place, Suggest, false, false, None),
            (Outcome::Place, Off, true, false, None),
            (Outcome::NoOpinion, Auto, true, true, None),
            (Outcome::Unarmed, Auto, true, true, None),
            (Outcome::Unarmed, Auto, false, false, None),
            (Outcome::Nowhere, Auto, true, true, Some(Reason::PlacementNowhere)),
            (Outcome::Nowhere, Auto, false, false, Some(Reason::PlacementNowhere)),
            (Outcome::Nowhere, Suggest, true, false, Some(Reason::PlacementNowhere)),
            (denied(), Auto, true, false, Some(Reason::PlacementDenied)),
            (denied(), Suggest, false, false, Some(Reason::PlacementDenied)),
            (denied(), Off, false, false, None),
            (Outcome::Undefined, Auto, true, false, Some(Reason::PlacementFailed)),
            (Outcome::Exempt, Auto, true, false, None),
            (unavailable(Unavailable::NotReady), Auto, true, false, None),
            (unavailable(Unavailable::Stale), Auto, true, false, None),
            (unavailable(Unavailable::Failed), Auto, true, false, Some(Reason::PlacementFailed)),
            (unavailable(Unavailable::Invalid), Auto, true, false, Some(Reason::PlacementFailed)),
        ];
        for (outcome, mode, patched, writes, reason) in cases {
            let plan = plan(&row(outcome.clone(), mode, patched));
            assert_eq!(plan.patch.is_some(), writes, "{outcome:?} {mode:?} {patched}");
            assert_eq!(plan.note.map(|note| note.reason), reason, "{outcome:?} {mode:?} {patched}");
        }
    }

    #[test]
    fn a_patch_carries_the_preconditions_and_exactly_the_rows_annotations() {
        let row = row(Outcome::Place, Mode::Auto, true);
        let patch = plan(&row).patch.unwrap();
        assert_eq!((patch.subject.uid.as_str(), patch.subject.resource_version.as_str()), ("u1", "7"));
        assert_eq!(patch.annotations, row.patch);
        assert_eq!(patch.said.unwrap(), "placed on a, b");
    }

    #[test]
    fn neither_a_version_nor_the_record_makes_another_wish() {
        let patch = |version: &str, annotations: &[(&str, &str)]| {
            let annotations = annotations.iter().map(|(key, value)| ((*key).to_owned(), Some((*value).to_owned())));
            let row = row(Outcome::Place, Mode::Auto, true);
            plan(&Placement { resource_version: version.into(), patch: Arc::new(annotations.collect()), ..row }).patch.unwrap()
        };
        let wish = patch("1", &[("k", "a"), (APPLIED, "x")]);
        assert!(wish.wants_the_same(&patch("2", &[("k", "a"), (APPLIED, "y")])));
        assert!(!wish.wants_the_same(&patch("1", &[("k", "b"), (APPLIED, "x")])));
        assert!(!patch("1", &[(APPLIED, "x")]).wants_the_same(&patch("1", &[(APPLIED, "y")])));
    }

    #[test]
    fn hold_stops_the_patch_and_says_so() {
        let mut row = row(Outcome::Place, Mode::Auto, true);
        row.hold = true;
        let plan = plan(&row);
        assert_eq!((plan.patch, plan.note.unwrap().reason), (None, Reason::PlacementHeld));
        assert_eq!(plan.withheld, Some(Withheld::Held));
    }

    #[test]
    fn a_kept_placement_is_said_and_not_written() {
        let mut row = row(Outcome::NoOpinion, Mode::Auto, false);
        row.kept = true;
        let plan = plan(&row);
        assert_eq!((plan.patch, plan.note.unwrap().reason), (None, Reason::PlacementKept));
        row.unproven = true;
        assert_eq!(super::plan(&row).note.unwrap().reason, Reason::PlacementUnproven);
    }

    #[test]
    fn what_is_to_be_let_go_is_said_and_not_written() {
        for (outcome, kept, unproven) in
            [(Outcome::NoOpinion, true, false), (Outcome::NoOpinion, true, true), (Outcome::Unarmed, false, false)]
        {
            let row = Placement { letting_go: true, kept, unproven, ..row(outcome, Mode::Auto, false) };
            let plan = plan(&row);
            let note = plan.note.unwrap();
            assert_eq!((plan.patch, note.reason.name()), (None, "PlacementKept"));
            assert!(note.message.contains("since the policies changed"), "{}", note.message);
        }
    }

    #[test]
    fn t17_a_removal_is_named_to_people_and_the_record_is_not() {
        let mut row = row(Outcome::NoOpinion, Mode::Auto, true);
        row.clusters = Arc::default();
        row.patch = Arc::new([("example/key".to_owned(), None), ("plimsoll.io/applied".to_owned(), None)].into());
        let patch = plan(&row).patch.unwrap();
        assert_eq!(patch.annotations.len(), 2);
        assert_eq!(patch.said.unwrap(), "policy has no opinion; originals restored: example/key");
    }

    #[test]
    fn t09_nowhere_says_why_not_each_cluster() {
        let note = plan(&row(Outcome::Nowhere, Mode::Auto, true)).note.unwrap();
        assert_eq!(note.message, "policy finds no cluster for this object (c: not certified)");
    }
}
