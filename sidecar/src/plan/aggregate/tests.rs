//! When notes are said one by one, and when together.

use plimsoll_contract::kind::Gvr;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn subject(name: &str) -> Subject {
    Subject {
        gvr: Gvr::try_from("apps/v1/replicasets".to_owned()).unwrap(),
        kind: "ReplicaSet".into(),
        namespace: "shop".into(),
        name: name.into(),
        uid: format!("uid-{name}"),
        resource_version: "7".into(),
    }
}

fn policy() -> Cause {
    Cause::Policy { from: "sha256:aaaaaaaa".into(), to: "sha256:bbbbbbbb".into() }
}

fn note(name: usize, reason: Reason, cause: Option<Cause>) -> Note {
    Note::new(subject(&name.to_string()), reason, "x".into()).because(cause)
}

/// Takes notes on objects of these names at one time; how many are said by themselves.
fn take(aggregator: &mut NoteAggregator, names: std::ops::Range<usize>, now: Duration) -> usize {
    names.filter(|name| aggregator.take(note(*name, Reason::PlacementSuggested, Some(policy())), now).is_some()).count()
}

#[test]
fn of_many_for_one_cause_the_first_few_are_said_alone_and_the_others_together() {
    let mut aggregator = NoteAggregator::default();
    assert_eq!(take(&mut aggregator, 0..460, SECOND), FEW);
    assert_eq!((aggregator.due(SECOND * 5), aggregator.next_due()), (None, Some(SECOND * 6)), "more may come");
    let said = aggregator.due(SECOND * 6).unwrap();
    assert_eq!((said.count, said.objects.len(), said.objects[0].name.as_str()), (460, 440, "20"));
    let sentence = said.sentence();
    for part in ["460 objects would move (policy aaaaaaaa -> bbbbbbbb)", "such as replicasets shop/0", "placements?pending"] {
        assert!(sentence.contains(part), "{sentence}");
    }
    assert_eq!((aggregator.due(SECOND * 60), aggregator.next_due()), (None, None), "once");
}

#[test]
fn few_are_said_alone_however_many_there_are_in_the_end() {
    let mut aggregator = NoteAggregator::default();
    for minute in 0..10 {
        assert_eq!(
            take(&mut aggregator, minute * 20..minute * 20 + 20, SECOND * 61 * u32::try_from(minute).unwrap()),
            20,
            "{minute}"
        );
    }
    assert_eq!(aggregator.next_due(), None);
}

#[test]
fn a_crowd_that_goes_on_is_said_each_minute_and_counted_as_one() {
    let mut aggregator = NoteAggregator::default();
    let (mut alone, mut said) = (0, Vec::new());
    for second in 0_u32..180 {
        let first = usize::try_from(second).unwrap() * 10;
        alone += take(&mut aggregator, first..first + 10, SECOND * second);
        said.extend(aggregator.due(SECOND * second).map(|said| said.count));
    }
    said.extend(aggregator.due(SECOND * 190).map(|said| said.count));
    assert_eq!((alone, said.len(), said.last()), (FEW, 3, Some(&1800)), "{said:?}");
    aggregator.due(SECOND * 400);
    assert_eq!(take(&mut aggregator, 0..10, SECOND * 400), 10, "it is over");
}

#[test]
fn an_object_that_has_it_twice_counts_once() {
    let mut aggregator = NoteAggregator::default();
    take(&mut aggregator, 0..30, SECOND);
    take(&mut aggregator, 0..30, SECOND * 2);
    assert_eq!(aggregator.due(SECOND * 10).unwrap().count, 30);
}

#[test]
fn what_was_done_and_what_somebody_must_look_at_is_never_gathered() {
    let (mut aggregator, mut alone) = (NoteAggregator::default(), 0);
    let reasons = [
        Reason::PlacementUpdated,
        Reason::PlacementReverted,
        Reason::PlacementUnproven,
        Reason::PlacementDenied,
        Reason::PlacementNowhere,
        Reason::PlacementFailed,
        Reason::BrakePassed,
    ];
    for reason in reasons {
        alone += (0..100).filter(|name| aggregator.take(note(*name, reason, Some(policy())), SECOND).is_some()).count();
    }
    assert_eq!((alone, aggregator.next_due()), (700, None));
}

#[test]
fn each_reason_and_cause_is_a_crowd_of_its_own() {
    let mut aggregator = NoteAggregator::default();
    let cases = [
        (Reason::PlacementSuggested, Some(policy()), "would move (policy"),
        (Reason::PlacementSuggested, Some(Cause::First), "would be placed (first placement)"),
        (Reason::PlacementSuggested, None, "would be patched without moving"),
        (Reason::PlacementHeld, Some(policy()), "on hold"),
        (Reason::PlacementKept, None, "their last placement is kept"),
    ];
    for (reason, cause, _) in &cases {
        let alone = (0..21).filter(|name| aggregator.take(note(*name, *reason, cause.clone()), SECOND).is_some()).count();
        assert_eq!(alone, FEW, "{reason:?} {cause:?}");
    }
    let mut said = BTreeMap::new();
    while let Some(gathered) = aggregator.due(SECOND * 9) {
        said.insert((gathered.reason, gathered.cause.clone()), gathered.sentence());
    }
    for (reason, cause, words) in cases {
        let sentence = &said[&(reason, cause)];
        assert!(sentence.starts_with("21 objects ") && sentence.contains(words), "{sentence}");
    }
}

#[test]
fn what_is_taken_back_names_each_object_that_was_not_said() {
    let mut aggregator = NoteAggregator::default();
    take(&mut aggregator, 0..25, SECOND);
    let names: Vec<String> = aggregator.clear().into_iter().map(|key| key.name).collect();
    assert_eq!(names, ["20", "21", "22", "23", "24"]);
    assert_eq!(take(&mut aggregator, 20..25, SECOND * 2), 5, "anew");
}
