use std::sync::Arc;

use plimsoll_contract::kind::Mode;
use plimsoll_contract::outcome::Outcome;

use super::super::answer::Reverted;
use super::super::note::Reason;
use super::super::row::tests::row;
use super::*;

const NOW: Duration = Duration::from_secs(100);
const WAITS: Waits = Waits {
    first: Duration::from_secs(1),
    longest: Duration::from_secs(300),
    unreachable: Duration::from_secs(30),
    grace: Duration::from_secs(30),
};

fn queue() -> Queue {
    Queue::new(WAITS)
}

fn named(name: &str, version: &str) -> Placement {
    Placement { name: name.into(), resource_version: version.into(), ..row(Outcome::Place, Mode::Auto, true) }
}

fn settled(name: &str, version: &str) -> Placement {
    Placement { patch: Default::default(), ..named(name, version) }
}

fn wanting(value: &str, version: &str) -> Placement {
    Placement { patch: Arc::new([("example/key".to_owned(), Some(value.to_owned()))].into()), ..named("a", version) }
}

fn denied(name: &str, version: &str) -> Placement {
    let outcome = Outcome::Denied { errors: vec!["no".into()] };
    Placement { outcome, ..named(name, version) }
}

fn patched(version: &str) -> Answer {
    Answer::Patched { version: version.into() }
}

fn conflict() -> Answer {
    Answer::Conflict { version: None }
}

fn reverted(managers: &[&str]) -> Answer {
    let managers = managers.iter().map(|manager| (*manager).to_owned()).collect();
    Answer::Reverted(Reverted { keys: vec!["example/key".into()], managers })
}

fn names(queue: &mut Queue, now: Duration) -> Vec<String> {
    std::iter::from_fn(|| queue.take(now)).map(|(key, _)| key.name).collect()
}

/// Takes what is due and answers it.
#[track_caller]
fn answered(queue: &mut Queue, answer: &Answer, now: Duration) -> Option<Note> {
    let (key, patch) = queue.take(now).expect("something is due");
    queue.finished(&key, &patch, answer, now)
}

#[test]
fn each_object_is_written_once_in_order_and_the_latest_row_wins() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    queue.observe(&named("b", "1"), NOW);
    queue.observe(&named("a", "2"), NOW);
    let (key, patch) = queue.take(NOW).unwrap();
    assert_eq!((key.name.as_str(), patch.subject.resource_version.as_str()), ("a", "2"));
    assert_eq!(names(&mut queue, NOW), ["b"]);
}

#[test]
fn t04_a_patch_that_was_written_is_not_written_again_until_the_object_changes() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    let note = answered(&mut queue, &patched("2"), NOW).unwrap();
    assert_eq!(note.reason, Reason::PlacementUpdated);
    queue.observe_all(&[named("a", "1")], NOW);
    assert!(!queue.is_due(NOW), "the periodic pass came before the replication");
    queue.observe(&wanting("other", "1"), NOW);
    assert!(!queue.is_due(NOW), "a new decision on a version that is gone");
    queue.observe(&settled("a", "2"), NOW);
    assert_eq!((queue.counts().pending, queue.entries.len()), (0, 0), "our own patch asks for nothing");
    queue.observe(&named("a", "3"), NOW);
    assert!(queue.is_due(NOW));
}

#[test]
fn what_was_written_on_a_newer_version_outdates_all_rows_before_it() {
    let mut queue = queue();
    queue.observe(&named("a", "7"), NOW);
    answered(&mut queue, &patched("12"), NOW);
    for version in ["8", "11"] {
        queue.observe(&named("a", version), NOW);
        assert!(!queue.is_due(NOW), "{version}");
    }
    queue.observe(&named("a", "12"), NOW);
    assert!(queue.is_due(NOW), "the mirror shows the written version undone");
}

#[test]
fn a_mirror_that_does_not_show_what_was_written_is_believed_after_the_grace() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    answered(&mut queue, &patched("2"), NOW);
    assert_eq!((queue.counts().pending, queue.oldest(NOW)), (0, Duration::ZERO));
    let later = NOW + WAITS.grace;
    queue.observe(&named("a", "1"), later);
    assert!(!queue.is_due(later), "one row is no look at everything");
    queue.observe_all(&[named("a", "1")], later);
    assert!(queue.is_due(later));
    assert_eq!((queue.counts().pending, queue.oldest(later)), (1, WAITS.grace), "it has been asked for since then");
}

#[test]
fn a_conflict_is_dropped_until_the_newer_object_is_decided() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    answered(&mut queue, &conflict(), NOW);
    assert!(!queue.is_due(NOW + WAITS.longest));
    assert_eq!(queue.counts().pending, 1);
    queue.observe(&named("a", "2"), NOW);
    assert_eq!(names(&mut queue, NOW), ["a"]);
}

#[test]
fn after_a_conflict_rows_older_than_what_was_looked_up_wait() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    answered(&mut queue, &Answer::Conflict { version: Some("10".into()) }, NOW);
    queue.observe(&named("a", "9"), NOW);
    assert!(!queue.is_due(NOW));
    queue.observe(&named("a", "10"), NOW);
    assert!(queue.is_due(NOW));
}

#[test]
fn the_periodic_pass_looks_again_at_what_was_dropped() {
    for answer in [conflict(), Answer::Gone, Answer::Conflict { version: Some("9".into()) }] {
        let mut queue = queue();
        queue.observe(&named("a", "1"), NOW);
        answered(&mut queue, &answer, NOW);
        queue.observe(&named("a", "1"), NOW);
        assert!(!queue.is_due(NOW));
        queue.observe_all(&[named("a", "1")], NOW);
        assert_eq!(names(&mut queue, NOW), ["a"]);
    }
}

#[test]
fn an_undone_patch_is_due_again_though_nothing_is_replicated() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    assert_eq!(answered(&mut queue, &reverted(&[]), NOW), None, "once is no news, and nothing was updated");
    assert_eq!((queue.counts().pending, queue.counts().reverted), (1, 1));
    assert!(!queue.is_due(NOW));
    let due = queue.next_due().unwrap();
    assert!((WAITS.first..WAITS.first * 2).contains(&(due - NOW)));
    answered(&mut queue, &patched("2"), due);
    assert_eq!((queue.counts().pending, queue.counts().reverted), (0, 0));
}

#[test]
fn a_fight_bumps_versions_and_is_fought_more_and_more_slowly() {
    let mut queue = queue();
    let (mut now, mut waits, mut notes) = (NOW, Vec::new(), Vec::new());
    for version in 0..12 {
        queue.observe(&named("a", &format!("1{version}")), now);
        notes.extend(answered(&mut queue, &reverted(&["argo"]), now));
        queue.observe(&named("a", &format!("2{version}")), now);
        let due = queue.next_due().unwrap();
        waits.push(due - now);
        now = due;
    }
    assert!(waits.is_sorted() && waits[11] >= WAITS.longest, "{waits:?}");
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    assert_eq!((note.reason, note.subject.resource_version.as_str()), (Reason::PlacementReverted, "12"), "the third time");
    assert!(note.message.contains("field manager argo"), "{}", note.message);
}

#[test]
fn an_undone_patch_without_another_owner_is_said_to_be_undone_at_admission() {
    let mut queue = queue();
    let mut now = NOW;
    queue.observe(&named("a", "1"), now);
    let mut said = Vec::new();
    for _ in 0..3 {
        said.push(answered(&mut queue, &reverted(&[]), now));
        now = queue.next_due().unwrap();
    }
    assert!(said[2].as_ref().unwrap().message.contains("undone at admission in the same request: look for"), "{said:?}");
    queue.unsay(&Key::of(&named("a", "1")), now);
    assert!(answered(&mut queue, &reverted(&[]), now).is_some(), "what could not be said is said the next time");
}

#[test]
fn another_wish_starts_again_and_another_version_does_not() {
    let mut queue = queue();
    queue.observe(&wanting("x", "1"), NOW);
    answered(&mut queue, &Answer::Refused { reason: "no".into() }, NOW);
    queue.observe(&wanting("x", "2"), NOW);
    assert!(!queue.is_due(NOW), "20 versions a second are no reason for 20 refusals");
    queue.observe(&wanting("y", "3"), NOW);
    assert!(queue.is_due(NOW));
}

#[test]
fn a_failure_waits_longer_each_time() {
    for (answer, longest) in [
        (Answer::Refused { reason: "no".into() }, WAITS.longest),
        (Answer::Unreachable, WAITS.unreachable),
        (reverted(&[]), WAITS.longest),
    ] {
        let mut queue = queue();
        queue.observe(&named("a", "1"), NOW);
        let (mut now, mut waits) = (NOW, Vec::new());
        for _ in 0..12 {
            answered(&mut queue, &answer, now);
            let due = queue.next_due().unwrap();
            waits.push(due - now);
            now = due;
        }
        assert!(waits[0] >= WAITS.first && waits[0] < WAITS.first * 2, "{waits:?}");
        assert!(waits.is_sorted() && waits[11] >= longest && waits[11] < longest * 2, "{waits:?}");
        assert_eq!(queue.oldest(now), now - NOW);
    }
}

#[test]
fn what_fails_again_and_again_gives_way_to_first_tries() {
    for answer in [Answer::Unreachable, Answer::Refused { reason: "no".into() }, reverted(&[])] {
        let mut queue = queue();
        queue.observe(&named("broken", "1"), NOW);
        answered(&mut queue, &answer, NOW);
        // All writes stood still for as long as this; the broken one is due for longer.
        let later = NOW + WAITS.unreachable;
        queue.observe(&named("new", "1"), later);
        assert_eq!(names(&mut queue, later), ["new", "broken"], "{answer:?}");
    }
    let mut queue = queue();
    queue.observe(&wanting("x", "1"), NOW);
    answered(&mut queue, &Answer::Unreachable, NOW);
    queue.observe(&named("b", "1"), NOW + WAITS.first);
    queue.observe(&wanting("y", "1"), NOW + WAITS.first);
    assert_eq!(names(&mut queue, NOW + WAITS.longest), ["b", "a"], "another wish is a first try, in its turn");
    assert_eq!(queue.next_due(), None);
}

#[test]
fn a_row_that_changes_while_a_write_is_under_way_is_written_after_it_and_never_beside_it() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    let (key, patch) = queue.take(NOW).unwrap();
    assert_eq!(queue.counts().pending, 1, "under way is not written");
    queue.observe(&wanting("other", "2"), NOW);
    assert!(!queue.is_due(NOW));
    queue.finished(&key, &patch, &patched("2"), NOW);
    assert_eq!(queue.take(NOW).unwrap().1.subject.resource_version, "2");
}

#[test]
fn a_cancelled_write_is_due_again() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    answered(&mut queue, &Answer::Cancelled, NOW);
    assert!(queue.is_due(NOW));
}

#[test]
fn an_object_that_is_gone_is_neither_written_nor_spoken_of() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    queue.observe(&denied("b", "1"), NOW);
    let (key, patch) = queue.take(NOW).unwrap();
    queue.observe_all(&[], NOW);
    assert!(queue.take(NOW).is_none() && queue.take_note().is_none());
    queue.finished(&key, &patch, &patched("2"), NOW);
    assert!(queue.entries.is_empty());
    assert_eq!(queue.counts().pending, 0);
}

#[test]
fn another_object_of_the_same_name_starts_again() {
    let mut queue = queue();
    queue.observe(&named("a", "1"), NOW);
    answered(&mut queue, &patched("9"), NOW);
    queue.observe(&Placement { uid: "u2".into(), ..named("a", "1") }, NOW);
    assert!(queue.is_due(NOW));
}

#[test]
fn what_is_suggested_or_held_is_counted_as_it_is() {
    let mut queue = queue();
    queue.observe(&Placement { mode: Mode::Suggest, ..named("a", "1") }, NOW);
    queue.observe(&Placement { hold: true, ..named("b", "1") }, NOW);
    let counts = queue.counts();
    assert_eq!((counts.pending, counts.suggested, counts.held), (0, 1, 1));
    queue.observe(&named("a", "2"), NOW);
    queue.forget(&Key::of(&named("b", "1")), NOW);
    let counts = queue.counts();
    assert_eq!((counts.pending, counts.suggested, counts.held), (1, 0, 0));
}

#[test]
fn t15_a_note_is_said_once_per_content_and_again_when_it_comes_back() {
    let mut queue = queue();
    queue.observe(&denied("a", "1"), NOW);
    assert_eq!(queue.take_note().unwrap().0.name, "a");
    queue.observe(&denied("a", "2"), NOW);
    assert!(queue.take_note().is_none(), "a newer version of the object is no news");
    let other = Placement { outcome: Outcome::Denied { errors: vec!["else".into()] }, ..denied("a", "2") };
    queue.observe(&other, NOW);
    assert!(queue.take_note().is_some(), "another error is");
    queue.observe(&settled("a", "3"), NOW);
    queue.observe(&other, NOW);
    let (key, _) = queue.take_note().unwrap();
    queue.unsay(&key, NOW);
    assert!(queue.take_note().is_some(), "what could not be said is said later");
}
