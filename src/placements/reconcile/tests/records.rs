//! Records on stored objects: which are believed, for what, and what is said of the others.

use std::sync::Arc;

use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey, REPLICA_SET_PREFERENCES as KEY, digest};
use serde_json::{Value as Json, json};

use super::world::{OPINION, World, cluster, clusters, config, replica_set, replica_sets, with};
use crate::decision::testing::Fixed;
use crate::decision::{Config, Unproven};

fn signing(secret: &str) -> Config {
    Config { record_keys: Some(Arc::new(Fixed::of(secret))), ..config() }
}

/// A value, and a record of it that anybody can compute.
fn forged(world: &World, region: &str) -> Json {
    let entry = AppliedKey { was: None, sum: digest("mine") };
    let policy = world.store.load().policies.digest.to_string();
    let record = Applied { kind: "ReplicaSet".into(), mac: None, policy, keys: [(KEY.to_owned(), entry)].into(), fleet: None };
    with(replica_set("a", region), "/metadata/annotations", json!({KEY: "mine", APPLIED: record.encode()}))
}

/// `a`, placed by an engine of this configuration and repaired.
fn placed(config: Config) -> (World, Json) {
    let mut world = World::new(OPINION);
    world.restart(config);
    world.put(&replica_sets(), &[replica_set("a", "eu")]);
    world.pass();
    let object = world.repair(&replica_sets(), &replica_set("a", "eu"));
    world.pass();
    (world, object)
}

/// Policy has no opinion any more, since its region has no cluster.
fn bereft(world: &mut World) {
    world.replace(&clusters(), &[cluster("u1", "us")]);
    world.pass();
}

fn record_is_patched(world: &World) -> Option<bool> {
    world.row("a").patch.get(APPLIED).map(Option::is_some)
}

#[test]
fn a_forged_record_is_reported_or_released_and_never_hides_a_value_from_policy() {
    for (unproven, expected) in [(Unproven::Keep, None), (Unproven::Release, Some(false))] {
        let mut world = World::new(OPINION);
        world.restart(Config { unproven, ..config() });
        world.put(&replica_sets(), &[forged(&world, "mars")]);
        world.pass();
        let row = world.row("a");
        assert_eq!((row.kept, row.unproven), (expected.is_none(), expected.is_none()));
        assert_eq!(record_is_patched(&world), expected);
        world.resync();
        assert_eq!(world.row("a").unproven, expected.is_none(), "looking again proves nothing");
    }
}

#[test]
fn a_forged_record_where_policy_has_an_opinion_gives_way() {
    let mut world = World::new(OPINION);
    world.put(&replica_sets(), &[forged(&world, "eu")]);
    world.pass();
    assert!(world.row("a").patch[KEY].as_deref().is_some_and(|value| value.contains("e1")));
}

#[test]
fn memory_shows_what_was_decided() {
    let (mut world, _) = placed(config());
    bereft(&mut world);
    let row = world.row("a");
    assert_eq!((row.kept, row.unproven, row.patch.is_empty()), (true, false, true));
}

#[test]
fn memory_of_a_decision_shows_no_other_value() {
    let (mut world, object) = placed(config());
    bereft(&mut world);
    let forged = forged(&world, "eu")["metadata"]["annotations"].clone();
    world.put(&replica_sets(), &[with(object, "/metadata/annotations", forged)]);
    world.pass();
    assert!(world.row("a").unproven);
}

#[test]
fn after_a_restart_a_mac_shows_it_and_nothing_else_does() {
    let cases = [
        ("no keys", config(), config(), true),
        ("the same keys", signing("a"), signing("a"), false),
        ("other keys", signing("a"), signing("b"), true),
        ("keys that came later", config(), signing("a"), true),
    ];
    for (name, before, after, unproven) in cases {
        let (mut world, _) = placed(before);
        world.restart(after);
        bereft(&mut world);
        let row = world.row("a");
        assert_eq!((row.kept, row.unproven), (true, unproven), "{name}");
    }
}

#[test]
fn removing_the_record_by_hand_does_not_make_our_value_the_developers() {
    let (mut world, object) = placed(config());
    let value = object["metadata"]["annotations"][KEY].clone();
    let bare = with(object, "/metadata/annotations", json!({KEY: value}));
    world.put(&replica_sets(), std::slice::from_ref(&bare));
    world.pass();
    assert_eq!(record_is_patched(&world), Some(true), "policy has an opinion");
    bereft(&mut world);
    assert_eq!(record_is_patched(&world), Some(true), "policy has none any more");
    assert!(world.row("a").kept);
    world.repair(&replica_sets(), &bare);
    world.pass();
    assert!(world.row("a").patch.is_empty());
}

#[test]
fn what_was_let_go_may_come_back_as_the_developers_own_wish() {
    let (mut world, object) = placed(config());
    let value = object["metadata"]["annotations"][KEY].clone();
    let moved = with(object, "/metadata/labels/region", json!("mars"));
    world.put(&replica_sets(), std::slice::from_ref(&moved));
    world.pass();
    assert_eq!(record_is_patched(&world), Some(false), "let go: the developer changed it");
    let free = world.repair(&replica_sets(), &moved);
    world.pass();
    world.put(&replica_sets(), &[with(free, "/metadata/annotations", json!({KEY: value}))]);
    world.pass();
    assert!(world.row("a").patch.is_empty(), "{:?}", world.row("a").patch);
}

#[test]
fn what_is_let_go_and_not_written_for_long_does_not_become_the_developers_wish() {
    let (mut world, object) = placed(config());
    let value = object["metadata"]["annotations"][KEY].clone();
    // As OPA's data API has it, over which nothing is removed: the value stays, and the record says that none is ours.
    let annotations = json!({KEY: value, APPLIED: r#"{"keys":{},"policy":""}"#});
    let moved = with(with(object, "/metadata/labels/region", json!("mars")), "/metadata/annotations", annotations);
    world.put(&replica_sets(), std::slice::from_ref(&moved));
    world.pass();
    // Nobody writes: the brake is on, or the API server is away.
    for _ in 0..3 {
        assert_eq!(world.row("a").patch.get(KEY), Some(&None), "{:?}", world.row("a"));
        world.resync();
    }
    world.put(&replica_sets(), &[with(moved.clone(), "/metadata/resourceVersion", json!("77"))]);
    world.pass();
    assert_eq!(world.row("a").patch.get(KEY), Some(&None));
    world.repair(&replica_sets(), &moved);
    world.pass();
    assert!(world.row("a").patch.is_empty());
}

#[test]
fn a_settled_fleet_is_not_written_for_the_sake_of_macs() {
    let (mut world, _) = placed(config());
    world.restart(signing("a"));
    world.pass();
    assert!(world.row("a").patch.is_empty(), "a record of an older version, or of no key, stays");
}
