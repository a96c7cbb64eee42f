//! Letting go waits while the policies are new.

use std::time::Duration;

use plimsoll_contract::annotations::{APPLIED, Applied, REPLICA_SET_PREFERENCES as KEY};
use plimsoll_contract::kind::{Kind, OnNoOpinion};
use plimsoll_contract::moves::Cause;
use plimsoll_contract::placement::Placement;
use serde_json::{Value as Json, json};

use super::world::{OPINION, World, cluster, clusters, config, deployments, replica_set, replica_sets, with};
use crate::decision::Config;
use crate::decision::testing::Fixed;
use crate::placements::{PassReport, Trigger};

/// The placement path is defined, and there is no opinion on anything.
const NONE: &str = "package kubernetes.placement\n\nannotations[\"x\"] := \"y\" if false\n";
const LONG: Duration = Duration::from_secs(3600);

fn pass(world: &mut World, trigger: Trigger) -> PassReport {
    let (knowledge, snapshot) = world.store.informed();
    world.reconciler.know(knowledge);
    world.reconciler.pass(&snapshot, trigger, &|| false)
}

/// A look at what waits, some time later.
fn later(world: &mut World) -> PassReport {
    let (mut knowledge, snapshot) = world.store.informed();
    knowledge.grace = None;
    world.reconciler.know(knowledge);
    world.reconciler.pass(&snapshot, Trigger::Proved, &|| false)
}

/// `a`, placed and repaired.
fn placed(after: Duration, config: Config) -> (World, Json) {
    let mut world = World::letting_go(after, OPINION);
    world.restart(config);
    world.replace(&replica_sets(), &[replica_set("a", "eu")]);
    pass(&mut world, Trigger::Published);
    let object = world.repair(&replica_sets(), &replica_set("a", "eu"));
    pass(&mut world, Trigger::Published);
    assert!(world.row("a").patch.is_empty() && !world.row("a").letting_go);
    (world, object)
}

#[track_caller]
fn assert_waits(row: &Placement) {
    assert!(row.letting_go && row.patch.is_empty() && row.moves.is_none(), "{row:?}");
    assert!(row.warnings.iter().any(|warning| warning.contains("--letting-go-after")), "{row:?}");
}

#[track_caller]
fn assert_let_go(row: &Placement) {
    assert_eq!((row.patch.get(KEY), row.patch.get(APPLIED)), (Some(&None), Some(&None)), "{row:?}");
    assert!(!row.letting_go && !row.kept, "{row:?}");
}

#[test]
fn what_comes_back_in_time_was_never_asked_to_move() {
    let (mut world, _) = placed(LONG, config());
    let before = world.row("a");
    for trigger in [Trigger::Published, Trigger::Resync, Trigger::Proved, Trigger::Resync] {
        world.policy(NONE);
        pass(&mut world, trigger);
        assert_waits(&world.row("a"));
        assert!(world.row("a").kept);
    }
    world.policy(OPINION);
    pass(&mut world, Trigger::Published);
    let after = world.row("a");
    assert_eq!(after, Placement { revision: after.revision, ..before }, "as if nothing had happened");
}

#[test]
fn what_stays_away_lets_go_once_the_time_is_over_though_nothing_happens() {
    let (mut world, _) = placed(LONG, config());
    let before = world.store.load().policies.digest.to_string();
    world.policy(NONE);
    pass(&mut world, Trigger::Published);
    assert_eq!(world.table().counts().letting_go, 1);
    assert_eq!(pass(&mut world, Trigger::Proved), PassReport::default(), "it is looked at again when the time is over");
    assert_eq!(later(&mut world).decided, 1);
    let row = world.row("a");
    assert_let_go(&row);
    let to = world.store.load().policies.digest.to_string();
    assert_eq!(row.moves.unwrap().cause, Cause::Policy { from: before, to });
    assert_eq!(world.table().counts().letting_go, 0);
    assert_eq!(later(&mut world), PassReport::default(), "and then nothing waits");
}

#[test]
fn the_time_begins_again_with_each_change() {
    let (mut world, _) = placed(LONG, config());
    world.policy(NONE);
    pass(&mut world, Trigger::Published);
    later(&mut world);
    assert_let_go(&world.row("a"));
    // Nobody has written that yet.
    world.policy(&format!("{NONE}\n# said otherwise\n"));
    pass(&mut world, Trigger::Published);
    assert_waits(&world.row("a"));
    later(&mut world);
    assert_let_go(&world.row("a"));
}

#[test]
fn no_time_is_at_once() {
    let (mut world, _) = placed(Duration::ZERO, config());
    world.policy(NONE);
    pass(&mut world, Trigger::Published);
    assert_let_go(&world.row("a"));
}

#[test]
fn what_the_object_or_the_state_asks_for_waits_for_nothing() {
    let (mut world, object) = placed(LONG, config());
    world.put(&replica_sets(), &[with(object.clone(), "/metadata/labels/region", json!("mars"))]);
    pass(&mut world, Trigger::Published);
    assert_let_go(&world.row("a"));
    let (mut world, _) = placed(LONG, config());
    let releases = Kind { on_no_opinion: OnNoOpinion::Release, ..replica_sets() };
    world.declare(vec![clusters(), releases.clone(), deployments()]);
    world.replace(&deployments(), &[]);
    world.replace(&releases, std::slice::from_ref(&object));
    world.replace(&clusters(), &[cluster("u1", "us")]);
    pass(&mut world, Trigger::Published);
    assert_let_go(&world.row("a"));
    world.replace(&clusters(), &[cluster("e1", "eu"), cluster("e2", "eu")]);
    pass(&mut world, Trigger::Published);
    world.policy(NONE);
    pass(&mut world, Trigger::Published);
    assert_waits(&world.row("a"));
}

#[test]
fn after_a_restart_the_time_begins_anew() {
    let signing = || Config { record_keys: Some(std::sync::Arc::new(Fixed::of("a"))), ..config() };
    for (config, unproven) in [(config as fn() -> Config, true), (signing, false)] {
        let (_, object) = placed(LONG, config());
        let mut world = World::letting_go(LONG, NONE);
        world.restart(config());
        world.replace(&replica_sets(), std::slice::from_ref(&object));
        pass(&mut world, Trigger::Resync);
        assert_waits(&world.row("a"));
        assert_eq!(world.row("a").unproven, unproven, "evidence is what it always was");
        later(&mut world);
        assert_let_go(&world.row("a"));
    }
}

#[test]
fn a_set_that_is_gone_altogether_waits_as_well_where_originals_are_asked_back() {
    let releasing = || Config { release_when_disarmed: true, ..config() };
    let (mut world, _) = placed(LONG, releasing());
    world.policy("");
    pass(&mut world, Trigger::Published);
    assert_waits(&world.row("a"));
    assert_eq!(world.row("a").outcome.name(), "unarmed");
    later(&mut world);
    assert_let_go(&world.row("a"));
    let (mut world, _) = placed(LONG, config());
    world.policy("");
    pass(&mut world, Trigger::Published);
    assert!(!world.row("a").letting_go, "it stays for good");
}

#[test]
fn a_record_that_is_lost_while_it_waits_is_put_back_and_does_not_keep_the_object_for_good() {
    let (mut world, object) = placed(LONG, config());
    let before = world.store.load().policies.digest.to_string();
    world.policy(NONE);
    pass(&mut world, Trigger::Published);
    let value = object["metadata"]["annotations"][KEY].clone();
    let bare = with(object, "/metadata/annotations", json!({KEY: value}));
    world.put(&replica_sets(), std::slice::from_ref(&bare));
    pass(&mut world, Trigger::Published);
    let record = world.row("a").patch[APPLIED].clone().unwrap();
    assert_eq!(Applied::parse(&record).unwrap().policy, before, "by those who placed it");
    world.repair(&replica_sets(), &bare);
    pass(&mut world, Trigger::Published);
    assert_waits(&world.row("a"));
    later(&mut world);
    assert_let_go(&world.row("a"));
}

#[test]
fn what_policies_let_go_is_not_their_owners_doing_whatever_he_changed_meanwhile() {
    let (mut world, object) = placed(LONG, config());
    world.policy(NONE);
    pass(&mut world, Trigger::Published);
    assert_waits(&world.row("a"));
    let noted = with(with(object, "/metadata/resourceVersion", json!("9")), "/metadata/annotations/note", json!("3"));
    world.put(&replica_sets(), &[noted]);
    pass(&mut world, Trigger::Published);
    assert_waits(&world.row("a"));
    later(&mut world);
    let row = world.row("a");
    assert_let_go(&row);
    let cause = &row.moves.as_ref().unwrap().cause;
    assert!(matches!(cause, Cause::Policy { .. }), "{cause:?}");
}
