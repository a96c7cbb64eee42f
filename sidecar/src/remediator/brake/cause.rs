//! Where the brake's Event is found by whoever does not know of the brake: on the cluster, or the ConfigMap with the policy, whose change
//! makes most moves stand still.

use plimsoll_contract::moves::Cause;

use super::Braking;
use crate::notes::causes::Causes;
use crate::plan::note::{Note, Reason};

/// The cause that was reported last, while the brake is on.
#[derive(Debug, Default)]
pub(in crate::remediator) struct ReportedCause(Option<Cause>);

impl Braking {
    /// Returns what is to be said beside a note on the record: that the brake is on, once on each cause that comes to make most moves stand
    /// still.
    pub(in crate::remediator) fn on_cause(&self, note: &Note, causes: &Causes, reported: &mut ReportedCause) -> Vec<Note> {
        let heaviest = self.brake.heaviest(self.now()).filter(|_| note.reason == Reason::BrakeOn);
        beside(note, heaviest, causes, reported)
    }
}

fn beside(note: &Note, heaviest: Option<(Cause, usize)>, causes: &Causes, reported: &mut ReportedCause) -> Vec<Note> {
    let Some((cause, count)) = heaviest else {
        reported.0 = None;
        return Vec::new();
    };
    if reported.0.as_ref() == Some(&cause) {
        return Vec::new();
    }
    let record = note.subject.key();
    let message = format!(
        "the brake is on, and {count} moves stand still because of this ({cause}): see them with `plimsoll brake`, let them go with \
         `plimsoll brake release`, or put the cause right"
    );
    let on = |subject| Note::new(subject, Reason::BrakeOn, message.clone()).because(Some(cause.clone()));
    let subjects = causes.subjects(Some(&cause)).into_iter().filter(|subject| subject.key() != record);
    let notes = subjects.map(on).collect();
    reported.0 = Some(cause);
    notes
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::{Gvr, Kind};

    use super::*;
    use crate::plan::note::Subject;
    use crate::replicate::discovery::Discovered;

    fn clusters() -> Gvr {
        Gvr::try_from("fleet.example.com/v1/clusters".to_owned()).unwrap()
    }

    fn label(name: &str) -> Cause {
        Cause::Data {
            gvr: clusters(),
            namespace: String::new(),
            name: name.into(),
            change: "label `x` removed".into(),
            others: 0,
        }
    }

    fn names(notes: &[Note]) -> Vec<&str> {
        notes.iter().map(|note| note.subject.name.as_str()).collect()
    }

    #[test]
    fn the_cluster_or_the_policy_that_stops_most_is_told_once() {
        let record = || Subject::config_map("ns", "brake");
        let causes = Causes::new(Some(("ns".into(), "brake".into())), Discovered::of(vec![Kind::new(clusters(), "Cluster")]));
        causes.policies("new", vec![Subject::config_map("ns", "eu")]);
        let on = Note::new(record(), Reason::BrakeOn, "40 moves stand still".into());
        let off = Note::new(record(), Reason::BrakeOff, "nothing stands still any more".into());
        let policy = Cause::Policy { from: "old".into(), to: "new".into() };
        let mut reported = ReportedCause::default();
        let mut said = |note: &Note, heaviest| beside(note, heaviest, &causes, &mut reported);
        let first = said(&on, Some((label("c1"), 40)));
        assert_eq!((names(&first), first[0].reason), (vec!["c1"], Reason::BrakeOn));
        for part in ["40 moves", "clusters c1: label `x` removed", "plimsoll brake release"] {
            assert!(first[0].message.contains(part), "{}", first[0].message);
        }
        assert_eq!(said(&on, Some((label("c1"), 41))), [], "it was reported");
        assert_eq!(names(&said(&on, Some((policy, 50)))), ["eu"]);
        assert_eq!(said(&on, Some((Cause::First, 60))), [], "the record says it already");
        assert_eq!(said(&off, None), []);
        assert_eq!(names(&said(&on, Some((label("c1"), 40)))), ["c1"], "again");
    }
}
