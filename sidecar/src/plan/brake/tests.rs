mod ends;
mod slow;
mod world;

use std::sync::Arc;

use plimsoll_contract::kind::Mode;
use plimsoll_contract::moves::{Cause, Move};
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::placement::Placement;
use proptest::prelude::*;

use super::kept::Requests;
use super::*;
use crate::plan::row::tests::row;
use world::{Step, World};

pub(super) fn rules() -> Rules {
    Rules { share: 3_000, per_cluster: None, floor: 2, window: Duration::from_secs(600), first: false, urgent: true }
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(1_000_000 + seconds)
}

/// The row of an object that stands on `from` and, if that is another cluster, is to move to `to`.
pub(super) fn moving(name: &str, from: &str, to: &str, cause: Cause) -> Placement {
    let moves = (from != to).then(|| Arc::new(Move { from: vec![from.into()], cause, urgent: false }));
    Placement {
        name: name.into(),
        uid: format!("uid-{name}"),
        stands: from.into(),
        clusters: Arc::new(vec![to.to_owned()]),
        patch: Arc::new((from != to).then(|| ("k".to_owned(), Some(to.to_owned()))).into_iter().collect()),
        moves,
        ..row(Outcome::Place, Mode::Auto, true)
    }
}

fn policy() -> Cause {
    Cause::Policy { from: "sha256:aaaaaaaaaa".into(), to: "sha256:bbbbbbbbbb".into() }
}

/// A brake that leads, on a fleet of ten objects that stand on `a`, of which the first `moves` are to go to `b`.
fn leading(moves: usize) -> Brake {
    let mut brake = Brake::new(rules(), "me");
    let rows: Vec<Placement> =
        (0..10).map(|number| moving(&number.to_string(), "a", if number < moves { "b" } else { "a" }, policy())).collect();
    brake.observe_all(&rows, at(0));
    brake.stored(Stored::Read { record: Record::default().into(), requests: Requests::default() }, at(0));
    brake
}

fn key(name: &str) -> Key {
    Key::of(&moving(name, "a", "b", policy()))
}

/// What is to be written down is.
fn save(brake: &mut Brake, release: &str, now: Duration) -> Record {
    let record = brake.record(now).or_else(|| brake.changes.last.clone()).unwrap();
    brake.stored(
        Stored::Read { record: record.clone().into(), requests: Requests { release: release.into(), ..Requests::default() } },
        now,
    );
    record
}

fn permits(brake: &mut Brake, names: std::ops::Range<usize>, now: Duration) -> Vec<Permit> {
    names.map(|number| brake.permit(&key(&number.to_string()), now)).collect()
}

#[test]
fn what_fits_is_announced_and_then_moves() {
    let mut brake = leading(3);
    assert_eq!(permits(&mut brake, 0..3, at(1)), [Permit::Wait; 3]);
    let record = save(&mut brake, "", at(1));
    assert_eq!(record.moved.values().map(String::len).sum::<usize>(), 30, "{record:?}");
    assert_eq!(brake.freed().len(), 3);
    assert_eq!(permits(&mut brake, 0..3, at(2)), [Permit::Go(Pass::Counted); 3]);
    assert_eq!(brake.permit(&key("9"), at(2)), Permit::Go(Pass::Still));
    assert_eq!(brake.report(at(2)), Report { moved: 3, limit: 3, ..Report::default() });
}

#[test]
fn room_comes_back_when_the_window_and_the_time_of_an_announcement_are_over() {
    for (later, expected) in [(601, Permit::Held), (630, Permit::Held), (632, Permit::Wait)] {
        let mut brake = leading(3);
        permits(&mut brake, 0..3, at(1));
        save(&mut brake, "", at(1));
        permits(&mut brake, 0..3, at(2));
        (0..3).for_each(|number| brake.observe(&moving(&number.to_string(), "b", "b", policy()), at(3)));
        brake.observe(&moving("7", "a", "b", policy()), at(later));
        assert_eq!(brake.permit(&key("7"), at(later)), expected, "{later}");
    }
}

#[test]
fn what_is_too_much_stands_still_as_a_whole_until_it_is_released() {
    let mut brake = leading(4);
    assert_eq!(permits(&mut brake, 0..4, at(1)), [Permit::Held; 4]);
    let record = save(&mut brake, "", at(1));
    assert_eq!((record.trips[0].moves, record.trips[0].limit), (4, 3));
    assert_eq!((record.shown.len(), record.shown[0].moves), (1, 4));
    assert_eq!(record.shown[0].cause, "policy aaaaaaaa -> bbbbbbbb");
    let tripped = vec![Scope::Fleet, Scope::Namespace("shop".into())];
    assert_eq!((brake.report(at(1)).tripped, brake.report(at(1)).held), (tripped, 4));
    // One more than what is released wants to move.
    brake.observe(&moving("7", "a", "b", policy()), at(2));
    save(&mut brake, &record.shown[0].id, at(10));
    assert_eq!(brake.freed().len(), 4);
    assert_eq!(permits(&mut brake, 0..4, at(11)), [Permit::Go(Pass::Released); 4]);
    assert_eq!(brake.permit(&key("7"), at(11)), Permit::Held, "nobody was shown that");
    // The same object elsewhere is another move.
    brake.observe(&moving("0", "a", "c", policy()), at(12));
    assert_eq!(brake.permit(&key("0"), at(12)), Permit::Held);
}

#[test]
fn the_brake_lets_go_when_nothing_stands_still_any_more() {
    let mut brake = leading(4);
    permits(&mut brake, 0..4, at(1));
    let back: Vec<Placement> = (0..10).map(|number| moving(&number.to_string(), "a", "a", policy())).collect();
    brake.observe_all(&back, at(2));
    for (is_open, now, is_tripped) in [(true, 3, true), (false, 20, true), (true, 21, true), (true, 50, true), (true, 51, false)]
    {
        brake.settle(is_open, at(now));
        assert_eq!(!brake.trips.is_empty(), is_tripped, "{now}");
    }
    assert!(brake.record(at(51)).unwrap().trips.is_empty());
}

#[test]
fn moves_at_admission_count_and_first_ones_if_they_are_to() {
    let mut brake = leading(1);
    for name in ["7", "8", "9"] {
        brake.observe(&moving(name, "b", "b", Cause::Object), at(1));
    }
    assert_eq!(brake.permit(&key("0"), at(2)), Permit::Held, "three have moved without us");
    for (first, expected) in [(false, Permit::Held), (true, Permit::Go(Pass::First))] {
        let mut brake = Brake::new(Rules { first, ..rules() }, "me");
        let rows: Vec<Placement> = (0..10)
            .map(|number| Placement { stands: String::new(), ..moving(&number.to_string(), "a", "b", Cause::First) })
            .collect();
        brake.observe_all(&rows, at(0));
        brake.stored(Stored::Read { record: Record::default().into(), requests: Requests::default() }, at(0));
        assert_eq!(permits(&mut brake, 0..10, at(1)), [expected; 10]);
        brake.observe(&moving("0", "b", "b", Cause::First), at(2));
        assert_eq!(brake.report(at(2)).moved, usize::from(!first));
    }
}

#[test]
fn what_nobody_can_write_down_does_not_happen() {
    let mut brake = Brake::new(rules(), "me");
    brake.observe(&moving("0", "a", "b", policy()), at(0));
    assert_eq!(brake.permit(&key("0"), at(0)), Permit::Held, "the record is not read yet");
    brake.stored(Stored::Failed("forbidden".into()), at(1));
    assert_eq!(brake.freed(), [key("0")], "it is asked anew what stands still, and why");
    assert_eq!(brake.permit(&key("0"), at(1)), Permit::Held);
    assert_eq!((brake.report(at(1)).failed.as_deref(), brake.record(at(1))), (Some("forbidden"), None));
    brake.stored(Stored::Read { record: Record::default().into(), requests: Requests::default() }, at(2));
    assert_eq!(brake.freed(), [key("0")]);
    assert_eq!(brake.permit(&key("0"), at(2)), Permit::Wait);
}

#[test]
fn an_urgent_move_goes_past_the_brake_and_counts() {
    let mut brake = leading(4);
    permits(&mut brake, 0..4, at(1));
    let mut urgent = moving("7", "a", "b", policy());
    Arc::make_mut(urgent.moves.as_mut().unwrap()).urgent = true;
    brake.observe(&urgent, at(2));
    assert_eq!(brake.permit(&key("7"), at(2)), Permit::Go(Pass::Urgent));
    assert_eq!(brake.report(at(2)).moved, 1);
    brake.rules.urgent = false;
    assert_eq!(brake.permit(&key("7"), at(2)), Permit::Held);
}

#[test]
fn a_cause_is_released_by_its_text_before_it_moves_anything() {
    let mut brake = leading(0);
    save(&mut brake, "policy aaaaaaaa -> bbbbbbbb\n0123456789", at(1));
    assert!(brake.report(at(1)).unknown.iter().any(|said| said.contains("`0123456789` is nothing that was shown")));
    let rows: Vec<Placement> = (0..10).map(|number| moving(&number.to_string(), "a", "b", policy())).collect();
    brake.observe_all(&rows, at(5_000));
    assert_eq!(permits(&mut brake, 0..10, at(5_000)), [Permit::Go(Pass::Released); 10]);
    let other: Vec<Placement> = (0..10).map(|number| moving(&number.to_string(), "b", "c", Cause::Unknown)).collect();
    brake.observe_all(&other, at(5_001));
    assert_eq!(permits(&mut brake, 0..10, at(5_001)), [Permit::Held; 10], "another cause");
    brake.observe_all(&rows, at(5_700));
    assert_eq!(permits(&mut brake, 0..10, at(5_700)), [Permit::Held; 10], "it was good for one window");
}

#[test]
fn a_record_of_many_thousand_moves_and_a_thousand_causes_fits_into_an_object() {
    let mut brake = Brake::new(Rules { share: 9_999, ..rules() }, "me");
    let rows: Vec<Placement> = (0..35_000)
        .map(|number| {
            let cause = Cause::Policy { from: String::new(), to: format!("sha256:{:08}", number % 1_000) };
            moving(&format!("a-name-of-some-length-{number}"), "a-cluster-of-some-length", "another-cluster", cause)
        })
        .collect();
    brake.observe_all(&rows, at(0));
    brake.stored(Stored::Read { record: Record::default().into(), requests: Requests::default() }, at(0));
    let name = "a-name-of-some-length-0";
    assert_eq!(brake.permit(&key(name), at(1)), Permit::Held, "more than are ever written down");
    let record = save(&mut brake, "", at(1));
    let size = serde_json::to_string_pretty(&record).unwrap().len();
    assert!(size < 700_000 && record.shown.iter().map(|shown| shown.moves).sum::<usize>() > 3_000, "{size}");
    // All that is shown is released, and what is left is shown then.
    let names: Vec<&str> = record.shown.iter().map(|shown| shown.id.as_str()).collect();
    let next = {
        save(&mut brake, &names.join(","), at(2));
        save(&mut brake, &names.join(","), at(8))
    };
    assert!(next.shown.iter().all(|shown| !names.contains(&shown.id.as_str())) && !next.shown.is_empty());
    assert!(serde_json::to_string_pretty(&next).unwrap().len() < 1_000_000);
}

#[test]
fn a_share_of_all_is_no_brake() {
    let mut brake = Brake::new(Rules { share: 10_000, ..rules() }, "me");
    brake.observe(&moving("0", "a", "b", policy()), at(0));
    brake.stored(Stored::Failed("out of reach".into()), at(0));
    assert_eq!(brake.permit(&key("0"), at(0)), Permit::Go(Pass::Counted), "whatever is known of the record");
}

#[test]
fn what_is_paused_stays_where_it_is_whatever_was_released_until_it_is_resumed() {
    let mut brake = leading(4);
    let record = Record::default();
    let asked = |pause: &str| Requests { release: "policy aaaaaaaa -> bbbbbbbb".into(), pause: pause.into() };
    let (here, released) = (Permit::Held, Permit::Go(Pass::Released));
    let cases = [
        ("fleet", here, here),
        ("namespace/shop", here, here),
        ("kind/replicasets.apps", here, here),
        ("namespace/other\nkind/deployments.apps", released, Permit::Go(Pass::Still)),
        ("", released, Permit::Go(Pass::Still)),
    ];
    for (pause, moves, stays) in cases {
        brake.stored(Stored::Read { record: record.clone().into(), requests: asked(pause) }, at(1));
        assert_eq!((brake.permit(&key("0"), at(1)), brake.permit(&key("9"), at(1))), (moves, stays), "{pause}");
        assert_eq!(brake.report(at(1)).paused, Scopes::read(pause).0);
    }
    brake.stored(Stored::Read { record: record.clone().into(), requests: asked("namespaces/shop") }, at(1));
    assert!(
        brake.report(at(1)).unknown.iter().any(|said| said.contains("`namespaces/shop`")),
        "it pauses nothing, and that is said"
    );
    brake.stored(Stored::Read { record: record.clone().into(), requests: asked("fleet") }, at(1));
    assert_eq!(brake.permit(&key("0"), at(2)), Permit::Held);
    brake.freed();
    brake.stored(Stored::Read { record: record.into(), requests: asked("") }, at(3));
    assert_eq!(brake.freed(), [key("0")], "resumed");
}

#[test]
fn what_is_paused_is_so_without_a_brake_too() {
    let mut brake = Brake::new(Rules { share: 10_000, ..rules() }, "me");
    brake.observe(&moving("0", "a", "b", policy()), at(0));
    assert_eq!(brake.permit(&key("0"), at(0)), Permit::Held, "nobody knows yet what is paused");
    let asked = Requests { pause: "fleet".into(), ..Requests::default() };
    brake.stored(Stored::Read { record: Record::default().into(), requests: asked }, at(0));
    brake.stored(Stored::Failed("out of reach".into()), at(1));
    assert_eq!(brake.permit(&key("0"), at(1)), Permit::Held, "it is still paused, as far as is known");
}

#[test]
fn what_changed_unseen_when_another_version_took_over_is_its_doing() {
    let mut brake = Brake::new(rules(), "me");
    let rows: Vec<Placement> = (0..10).map(|number| moving(&number.to_string(), "a", "b", Cause::Unknown)).collect();
    brake.observe_all(&rows, at(0));
    brake.version = "2".into();
    let read = |version: &str| Record { version: version.into(), holder: "other".into(), ..Record::default() };
    brake.stored(Stored::Read { record: read("1").into(), requests: Requests::default() }, at(0));
    permits(&mut brake, 0..10, at(1));
    let record = save(&mut brake, "", at(1));
    assert_eq!(record.shown[0].cause, "version 1 -> 2 of plimsoll");
    // The next leader of this version knows it, for a window; one of the same version as before knows nothing of the kind.
    for (version, record, now, expected) in [
        ("2", record.clone(), 2, "version 1 -> 2 of plimsoll"),
        ("2", record, 700, "unknown since start"),
        ("1", read("1"), 2, "unknown since start"),
        ("1", read(""), 2, "unknown since start"),
    ] {
        let mut brake = Brake::new(rules(), "next");
        brake.version = version.into();
        brake.stored(Stored::Read { record: record.into(), requests: Requests::default() }, at(now));
        brake.observe_all(&rows, at(now));
        permits(&mut brake, 0..10, at(now));
        assert_eq!(save(&mut brake, "", at(now)).shown[0].cause, expected);
    }
}

#[test]
fn a_namespace_has_a_share_of_its_own() {
    let mut brake = Brake::new(rules(), "me");
    let rows = (0..100).map(|number| Placement {
        namespace: if number < 5 { "small".into() } else { "large".into() },
        ..moving(&format!("{number:02}"), "a", if number < 3 { "b" } else { "a" }, policy())
    });
    brake.observe_all(&rows.collect::<Vec<_>>(), at(0));
    brake.stored(Stored::Read { record: Record::default().into(), requests: Requests::default() }, at(0));
    let small = |name: &str| Key { namespace: "small".into(), ..key(name) };
    assert_eq!(brake.permit(&small("00"), at(1)), Permit::Held, "three of five");
    assert_eq!(brake.report(at(1)).tripped, [Scope::Namespace("small".into())]);
    brake.observe(&Placement { namespace: "large".into(), ..moving("50", "a", "b", policy()) }, at(2));
    assert_eq!(brake.permit(&Key { namespace: "large".into(), ..key("50") }, at(2)), Permit::Wait, "elsewhere things go on");
}

/// Forty objects, all of them on `a`, of which `moves` are to leave it; one more cluster is told apart from them.
fn crowded(moves: usize) -> Brake {
    let mut brake = Brake::new(Rules { per_cluster: Some(1_000), ..rules() }, "me");
    let rows: Vec<Placement> = (0..40)
        .map(|number| {
            moving(
                &format!("{number:02}"),
                if number < 30 { "a" } else { "c" },
                if number < moves {
                    "b"
                } else if number < 30 {
                    "a"
                } else {
                    "c"
                },
                policy(),
            )
        })
        .collect();
    brake.observe_all(&rows, at(0));
    brake.stored(Stored::Read { record: Record::default().into(), requests: Requests::default() }, at(0));
    brake
}

#[test]
fn a_cluster_has_a_limit_of_its_own_if_somebody_says_so() {
    // Of thirty on `a` three may leave it; of none on `b` as many as the floor may come.
    let mut brake = crowded(2);
    assert_eq!(brake.permit(&key("00"), at(1)), Permit::Wait);
    let record = save(&mut brake, "", at(1));
    assert_eq!(record.clusters.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(brake.permit(&key("00"), at(2)), Permit::Go(Pass::Counted));
    let mut brake = crowded(3);
    assert_eq!(brake.permit(&key("00"), at(1)), Permit::Held, "three come to `b`");
    assert_eq!(brake.report(at(1)).tripped, [Scope::Cluster("b".into())]);
    let record = save(&mut brake, "", at(1));
    assert_eq!((record.trips[0].cluster.as_deref(), record.trips[0].moves, record.trips[0].limit), (Some("b"), 3, 2));
    // What touches neither of them goes on.
    brake.observe(&moving("35", "c", "d", policy()), at(2));
    assert_eq!(brake.permit(&key("35"), at(2)), Permit::Wait);
    // Whoever leads next knows what moved where, and what stands still.
    let mut next = Brake::new(Rules { per_cluster: Some(1_000), ..rules() }, "next");
    next.stored(Stored::Read { record: save(&mut brake, "", at(3)).into(), requests: Requests::default() }, at(3));
    assert_eq!(next.report(at(3)).tripped, [Scope::Cluster("b".into())]);
    assert_eq!(next.clusters.write(), brake.clusters.write());
}

#[test]
fn what_moves_at_admission_counts_on_its_clusters() {
    let mut brake = crowded(1);
    for name in ["10", "11"] {
        brake.observe(&moving(name, "b", "b", Cause::Object), at(1));
    }
    assert_eq!(brake.permit(&key("00"), at(2)), Permit::Held, "two have come to `b` without us");
    let tripped = ["a", "b"].map(|name| Scope::Cluster(name.into()));
    assert_eq!(brake.report(at(2)).tripped, tripped, "and left `a`, where 28 are left");
}

#[test]
fn what_the_api_server_refuses_does_not_stop_others() {
    let mut brake = leading(3);
    (0..3).for_each(|number| brake.refused(&key(&number.to_string())));
    brake.observe(&moving("7", "a", "b", policy()), at(1));
    assert_eq!(brake.permit(&key("7"), at(1)), Permit::Wait);
}

#[test]
fn what_was_announced_before_the_lease_was_lost_and_won_again_is_not_stuck() {
    let mut world = World::new();
    let want = Step::Want { first: 0, count: 3, to: 1 };
    let announce = [Step::Write(0), Step::Read(0), Step::Put(0)];
    let lose_and_win = [Step::Lead(1), Step::Pass(1), Step::Lead(0), Step::Pass(1)];
    [Step::Work, want].into_iter().chain(announce).chain(lose_and_win).for_each(|step| world.step(step));
    world.ends();
}

#[test]
fn what_was_released_moved_and_is_wanted_again_goes_under_a_new_leader_too() {
    use Step::{Lead, Release, Restart, Want, Work};
    let want = |first, count, to| Want { first, count, to };
    let mut world = World::new();
    let steps = [want(0, 6, 1), want(19, 1, 1), Work, Release(0), Work, want(6, 14, 0), Restart(0), Work, Release(0)];
    let more = [want(6, 14, 1), Work, Lead(1), want(0, 1, 1), want(18, 2, 0)];
    steps.into_iter().chain(more).for_each(|step| world.step(step));
    world.ends();
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..20_usize, 1..5_usize, 0..4_u8).prop_map(|(first, count, to)| Step::Want { first, count, to }),
        1 => (0..20_usize, 1..20_usize, 0..4_u8).prop_map(|(first, count, to)| Step::Want { first, count, to }),
        8 => (0..2_usize).prop_map(Step::Write),
        8 => (0..2_usize).prop_map(Step::Read),
        8 => (0..2_usize).prop_map(Step::Put),
        8 => Just(Step::Work),
        5 => (0..2_usize).prop_map(Step::Lead),
        1 => (0..2_usize).prop_map(Step::Restart),
        1 => (0..20_usize, 0..4_u8).prop_map(|(object, to)| Step::Admit { object, to }),
        1 => (0..20_usize, any::<bool>()).prop_map(|(object, is_taken)| Step::Take { object, is_taken }),
        1 => any::<bool>().prop_map(Step::Reach),
        1 => (0..8_usize).prop_map(Step::Release),
        1 => Just(Step::Edit),
        1 => Just(Step::Remove),
        6 => (0..9_u64).prop_map(Step::Pass),
        2 => (0..300_u64).prop_map(Step::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_more_than_the_share_without_a_release_and_nothing_is_stuck(steps in prop::collection::vec(step(), 0..250)) {
        let mut world = World::new();
        for step in steps {
            world.step(step);
        }
        world.ends();
    }
}
