//! Moves that take their time, records that are not taken, and fleets of many clusters.

use super::super::kept::{Found, Kept};
use super::*;

/// Fifty objects in as many pairs: no namespace has too many.
fn spread(number: usize, from: &str) -> Placement {
    Placement { namespace: format!("ns{}", number / 2), ..moving(&format!("{number:02}"), from, "b", policy()) }
}

fn open(brake: &mut Brake, rows: &[Placement]) {
    brake.observe_all(rows, at(0));
    brake.stored(Stored::Read { record: Record::default().into(), requests: Requests::default() }, at(0));
    brake.settle(true, at(1));
}

#[test]
fn a_release_lasts_until_its_moves_are_made_and_then_the_brake_lets_go() {
    let mut brake = Brake::new(rules(), "me");
    open(&mut brake, &(0..50).map(|number| spread(number, "a")).collect::<Vec<_>>());
    let id = save(&mut brake, "", at(1)).shown[0].id.clone();
    save(&mut brake, &id, at(2));
    for made in 0..50 {
        let now = at(5 + 5 * u64::try_from(made).unwrap());
        brake.settle(true, now);
        let permit = brake.permit(&Key::of(&spread(made, "a")), now);
        assert_eq!(permit, Permit::Go(Pass::Released), "{made}");
        brake.observe(&spread(made, "b"), now);
        save(&mut brake, &id, now);
    }
    (300..400).for_each(|second| brake.settle(true, at(second)));
    assert_eq!(brake.report(at(400)).tripped, []);
}

#[test]
fn a_record_that_is_not_taken_is_written_otherwise_when_there_is_less_to_say() {
    let mut brake = Brake::new(rules(), "me");
    let rows = |moves: usize| -> Vec<Placement> {
        (0..10).map(|number| moving(&number.to_string(), "a", if number < moves { "b" } else { "a" }, policy())).collect()
    };
    brake.observe_all(&rows(6), at(0));
    brake.lead();
    let (mut kept, mut desired) = (Kept::default(), brake.desired(at(0)).unwrap());
    kept.found(Found { version: Some("1".into()), ..Found::default() });
    brake.observe_record(kept.observed(&desired), at(0));
    for second in 1..200 {
        brake.settle(true, at(second));
        match second {
            100 => brake.observe_all(&rows(0), at(second)),
            150.. => {
                brake.observe_all(&rows(1), at(second));
                brake.permit(&key("0"), at(second));
            }
            _ => {}
        }
        desired = brake.desired(at(second)).unwrap_or(desired);
        match kept.due(&desired).cloned() {
            // The API server refuses what shows something: as if that were too large.
            Some(record) if !record.shown.is_empty() => brake.observe_record(kept.failed("413".into(), &desired), at(second)),
            Some(record) => {
                kept.wrote(Some(second.to_string()), &record);
                brake.observe_record(kept.observed(&desired), at(second));
            }
            None => brake.observe_record(kept.observed(&desired), at(second)),
        }
        assert_eq!(brake.report(at(second)).failed.is_some(), (1..100).contains(&second), "{second}");
    }
    assert_eq!(brake.permit(&key("0"), at(200)), Permit::Go(Pass::Counted));
}

#[test]
fn a_fleet_of_a_thousand_clusters_has_a_record_that_fits() {
    let names: Vec<String> = (0..1_000).map(|number| format!("prod-eu-west-1-cluster-{number:04}")).collect();
    let row = |number: usize| {
        let mut row = moving(&format!("a-name-of-some-length-{number:04}"), "a", "b", policy());
        Arc::make_mut(row.moves.as_mut().unwrap()).from = names.clone();
        row.clusters = Arc::new(names[number % 50..].to_vec());
        row
    };
    for per_cluster in [None, Some(1_000)] {
        let mut brake = Brake::new(Rules { per_cluster, ..rules() }, "me");
        open(&mut brake, &(0..2_000).map(row).collect::<Vec<_>>());
        let record = save(&mut brake, "", at(1));
        assert_eq!(record.shown[0].moves, 2_000);
        assert!(record.shown[0].examples[1].from.last().is_some_and(|more| more == "and 995 more"));
        let size = serde_json::to_string(&record).unwrap().len();
        assert!(size < 700_000, "{size}");
    }
}

#[test]
fn the_same_patch_from_elsewhere_is_another_move() {
    let mut brake = Brake::new(Rules { per_cluster: Some(1_000), ..rules() }, "me");
    open(&mut brake, &[moving("0", "a", "b", policy())]);
    brake.observe(&moving("0", "c", "b", policy()), at(1));
    let touched: Vec<&str> = brake.wanted[&key("0")].touched.iter().map(|name| &**name).collect();
    assert_eq!(touched, ["b", "c"]);
}

#[test]
fn a_text_that_is_over_counts_again_what_it_let_go() {
    let mut brake = leading(10);
    save(&mut brake, "policy aaaaaaaa -> bbbbbbbb", at(1));
    brake.settle(true, at(2));
    assert_eq!(brake.permit(&key("0"), at(2)), Permit::Go(Pass::Released), "the time begins");
    assert_eq!(brake.report(at(3)).tripped, []);
    brake.settle(true, at(700));
    let tripped = brake.report(at(700)).tripped;
    assert!(tripped.contains(&Scope::Fleet), "what was not made counts at once: {tripped:?}");
}

#[test]
fn a_list_of_names_may_end_with_a_comma_and_a_kind_that_is_not_placed_is_said() {
    let mut brake = leading(4);
    permits(&mut brake, 0..4, at(1));
    let id = save(&mut brake, "", at(1)).shown[0].id.clone();
    save(&mut brake, &format!("{id}, "), at(2));
    assert_eq!(brake.permit(&key("0"), at(3)), Permit::Go(Pass::Released));
    let asked = Requests { pause: "kind/deployment.apps".into(), ..Requests::default() };
    brake.stored(Stored::Read { record: Record::default().into(), requests: asked }, at(4));
    let said = brake.report(at(4)).unknown;
    assert!(said.iter().any(|said| said.contains("`kind/deployment.apps` pauses nothing")), "{said:?}");
}
