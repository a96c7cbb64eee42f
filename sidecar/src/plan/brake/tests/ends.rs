//! What does not happen after all, what is over, and what there is too much of.

use super::*;

fn read(brake: &mut Brake, record: Record, release: &str, now: Duration) {
    brake.stored(
        Stored::Read { record: record.into(), requests: Requests { release: release.into(), ..Requests::default() } },
        now,
    );
}

#[test]
fn what_was_announced_and_is_refused_or_not_wanted_counts_on_no_cluster() {
    for is_refused in [true, false] {
        let mut brake = crowded(2);
        for name in ["00", "01"] {
            assert_eq!(brake.permit(&key(name), at(1)), Permit::Wait);
        }
        let record = save(&mut brake, "", at(1));
        for name in ["00", "01"] {
            if is_refused { brake.refused(&key(name)) } else { brake.observe(&moving(name, "a", "a", policy()), at(2)) }
        }
        assert!(brake.clusters.write().is_empty(), "{is_refused}");
        // A record names objects of which nobody knows that they moved.
        let mut next = crowded(0);
        next.leave();
        read(&mut next, Record { moved: BTreeMap::new(), ..record }, "", at(3));
        assert!(next.clusters.write().is_empty());
    }
}

#[test]
fn what_has_moved_counts_though_its_next_move_is_refused() {
    let mut brake = leading(3);
    permits(&mut brake, 0..3, at(1));
    save(&mut brake, "", at(1));
    permits(&mut brake, 0..3, at(2));
    (0..3).for_each(|number| brake.observe(&moving(&number.to_string(), "b", "b", policy()), at(3)));
    for number in 0..3 {
        brake.observe(&moving(&number.to_string(), "b", "c", policy()), at(4));
        brake.refused(&key(&number.to_string()));
    }
    assert_eq!(brake.report(at(5)).moved, 3);
    brake.observe(&moving("7", "a", "b", policy()), at(5));
    assert_eq!(brake.permit(&key("7"), at(5)), Permit::Held, "the room is used");
}

#[test]
fn a_released_move_that_is_refused_does_not_hide_a_later_one() {
    let mut brake = leading(4);
    permits(&mut brake, 0..4, at(1));
    let id = save(&mut brake, "", at(1)).shown[0].id.clone();
    save(&mut brake, &id, at(2));
    assert_eq!(brake.permit(&key("0"), at(3)), Permit::Go(Pass::Released));
    brake.refused(&key("0"));
    brake.observe(&moving("0", "z", "z", Cause::Object), at(4));
    assert_eq!(brake.report(at(5)).moved, 1, "somebody else moved it");
}

#[test]
fn a_share_of_all_limits_clusters_alone_if_they_have_a_limit() {
    let rules = |per_cluster| Rules { share: 10_000, per_cluster, ..rules() };
    let rows: Vec<Placement> = (0..20).map(|number| moving(&number.to_string(), "a", "b", policy())).collect();
    for (per_cluster, expected) in [(None, Permit::Go(Pass::Counted)), (Some(1_000), Permit::Held)] {
        let mut brake = Brake::new(rules(per_cluster), "me");
        brake.observe_all(&rows, at(0));
        read(&mut brake, Record::default(), "", at(0));
        brake.settle(true, at(1));
        assert_eq!(brake.permit(&key("0"), at(1)), expected);
        let is_cluster = |scope: &Scope| matches!(scope, Scope::Cluster(_));
        assert!(brake.report(at(1)).tripped.iter().all(is_cluster), "{per_cluster:?}");
    }
}

#[test]
fn what_waits_for_the_record_goes_where_there_is_no_brake_and_no_record() {
    let mut brake = Brake::new(Rules { share: 10_000, ..rules() }, "me");
    brake.observe_all(&[moving("0", "a", "b", policy())], at(0));
    assert_eq!(brake.permit(&key("0"), at(0)), Permit::Held);
    brake.stored(Stored::Failed("403".into()), at(1));
    assert_eq!(brake.freed(), [key("0")]);
    assert_eq!(brake.permit(&key("0"), at(1)), Permit::Go(Pass::Counted));
}

#[test]
fn more_trips_than_fit_are_written_down_as_the_fleet() {
    let mut brake = Brake::new(Rules { floor: 0, share: 0, ..rules() }, "me");
    let row = |number: usize| Placement { namespace: format!("ns{number}"), ..moving("web", "a", "b", policy()) };
    brake.observe_all(&(0..1_200).map(row).collect::<Vec<_>>(), at(0));
    read(&mut brake, Record::default(), "", at(0));
    brake.settle(true, at(1));
    let record = save(&mut brake, "", at(1));
    assert_eq!((record.trips.len(), Scope::of(&record.trips[0])), (1, Scope::Fleet));
    assert!(brake.report(at(1)).tripped.len() > 1_000);
}

#[test]
fn a_name_that_was_released_and_is_over_is_no_reason_to_complain_for_anybody() {
    let mut brake = leading(4);
    permits(&mut brake, 0..4, at(1));
    let id = save(&mut brake, "", at(1)).shown[0].id.clone();
    save(&mut brake, &id, at(2));
    (0..4).for_each(|number| brake.observe(&moving(&number.to_string(), "b", "b", policy()), at(3)));
    (4..700).for_each(|second| brake.settle(true, at(second)));
    let record = save(&mut brake, &id, at(700));
    let report = brake.report(at(700));
    assert_eq!((report.tripped, report.unknown), (vec![], BTreeSet::new()));
    let mut next = leading(0);
    next.leave();
    read(&mut next, Record { holder: "other".into(), ..record }, &format!("{id}, 0123456789"), at(701));
    let unknown = next.report(at(701)).unknown;
    assert!(unknown.len() == 1 && unknown.iter().all(|said| said.contains("0123456789")), "{unknown:?}");
}

#[test]
fn texts_of_causes_are_read_as_far_as_there_is_room() {
    let mut brake = leading(0);
    let many: String = (0..200).map(|number| format!("policy {number} -> x\n")).collect();
    read(&mut brake, Record::default(), &many, at(1));
    assert_eq!(brake.record(at(2)).unwrap().texts.len(), 100);
    brake.passes.used(&Cause::Policy { from: "199".into(), to: "x".into() }, at(3));
    let spent = |brake: &Brake| {
        let mut record = Record::default();
        brake.passes.write(&mut record, &HashSet::new());
        record.texts
    };
    let before = spent(&brake);
    read(&mut brake, Record::default(), &format!("clusters a: added\n{many}"), at(3));
    assert_eq!(spent(&brake), before, "what is known stays known while it stands there");
    read(&mut brake, Record::default(), &"x".repeat(2_000), at(3));
    assert!(brake.report(at(3)).unknown.iter().any(|said| said.contains("100 of 1024 bytes")));
}

#[test]
fn who_led_before_does_not_know_names_of_then() {
    let mut brake = leading(4);
    permits(&mut brake, 0..4, at(1));
    let id = save(&mut brake, "", at(1)).shown[0].id.clone();
    brake.leave();
    brake.lead();
    let ended = Record { holder: "other".into(), ..Record::default() };
    read(&mut brake, ended, &id, at(10));
    brake.settle(true, at(10));
    assert_eq!(brake.permit(&key("0"), at(11)), Permit::Held, "another one has ended that trip");
}
