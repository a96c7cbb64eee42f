//! What is decided again, and what is told, after which change.

use std::sync::atomic::{AtomicUsize, Ordering};

use plimsoll_contract::kind::{Kind, Mode};
use serde_json::json;

use super::world::{REGION, World, cluster, clusters, config_maps, deployments, replica_set, replica_sets, with};
use crate::placements::{PassReport, Trigger};

/// `a` and `b` in `eu`, `c` in `us`; swept, repaired and settled.
fn settled(policy: &str) -> World {
    let mut world = World::new(policy);
    let objects = [replica_set("a", "eu"), replica_set("b", "eu"), replica_set("c", "us")];
    world.replace(&replica_sets(), &objects);
    world.pass();
    for object in &objects {
        world.repair(&replica_sets(), object);
    }
    world.pass();
    world.events();
    assert!(world.rows().iter().all(|row| row.patch.is_empty()), "{:?}", world.rows());
    world
}

#[test]
fn a_new_object_is_decided_told_and_repaired_once() {
    let mut world = World::new(REGION);
    world.pass();
    world.put(&replica_sets(), &[replica_set("a", "eu")]);
    assert_eq!(world.pass(), PassReport { decided: 1, changed: 1, ..PassReport::default() });
    let row = world.row("a");
    assert_eq!((&**row.clusters, row.uid.as_str()), (&["e1".to_owned(), "e2".to_owned()][..], "uid-a"));
    assert_eq!(row.resource_version, "1");
    assert!(row.patch.contains_key("federation.kubernetes.io/replica-set-preferences"), "{:?}", row.patch);
    assert_eq!(world.events(), ["a"]);
}

#[test]
fn t04_our_own_patch_makes_no_further_patch() {
    let mut world = World::new(REGION);
    world.replace(&replica_sets(), &[replica_set("a", "eu")]);
    world.pass();
    world.repair(&replica_sets(), &replica_set("a", "eu"));
    world.pass();
    assert!(world.row("a").patch.is_empty());
    assert_eq!(world.resync().changed, 0);
}

#[test]
fn a_second_pass_over_a_settled_table_tells_nothing() {
    let mut world = settled(REGION);
    let report = world.resync();
    assert_eq!((report.decided, report.changed), (3, 0));
    assert_eq!(world.pass(), PassReport::default());
    assert!(world.events().is_empty());
}

#[test]
fn t06_a_change_that_no_policy_reads_decides_nothing() {
    let mut world = settled(REGION);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "shop", "uid": "u", "resourceVersion": "1"}});
    world.put(&config_maps(), &[map]);
    assert_eq!(world.pass(), PassReport::default());
}

#[test]
fn an_object_update_decides_that_object() {
    let mut world = settled(REGION);
    world.put(&replica_sets(), &[with(replica_set("c", "eu"), "/metadata/resourceVersion", json!("7"))]);
    assert_eq!(world.pass(), PassReport { decided: 1, changed: 1, ..PassReport::default() });
    assert_eq!(world.events(), ["c"]);
    assert_eq!(world.row("c").resource_version, "7");
}

#[test]
fn a_policy_change_decides_all_and_tells_the_affected() {
    let mut world = settled(REGION);
    world.policy(&REGION.replace("c.metadata", "name != \"u1\"; c.metadata"));
    let report = world.pass();
    assert_eq!((report.decided, report.changed), (3, 1));
    assert_eq!(world.events(), ["c"]);
}

#[test]
fn a_cluster_change_tells_the_affected_and_decides_them_first() {
    let mut world = settled(REGION);
    world.put(&clusters(), &[cluster("u1", "eu")]);
    let report = world.pass();
    assert_eq!((report.decided, report.changed), (3, 3));
    assert_eq!(world.events(), ["c", "a", "b"], "`c` names the cluster that changed");
    world.remove(&clusters(), "", "u1");
    world.pass();
    assert_eq!(*world.row("a").clusters, ["e1", "e2"]);
}

/// A helper rule stands in the same package, so that it is in every answer; one object of each class is asked about, and says what it did.
#[test]
fn a_change_of_a_step_on_the_way_decides_one_object_of_each_class() {
    let mut world = settled(&format!("{REGION}\nlabels contains c.metadata.labels.tier if some c in data.kubernetes.clusters\n"));
    world.put(&clusters(), &[with(cluster("u1", "us"), "/metadata/labels/tier", json!("gold"))]);
    let classes = 2;
    assert_eq!(world.pass(), PassReport { decided: classes, ..PassReport::default() });
    assert!(world.events().is_empty());
}

/// `a` stands for `b` after a change; then it changes itself, and is told of its new class what was told of the old one.
#[test]
fn an_object_that_changes_during_a_pass_stands_for_nobody() {
    let mut world = settled(REGION);
    world.put(&clusters(), &[cluster("e1", "ap"), cluster("e2", "ap")]);
    let queued = world.reconciler.pass(&world.store.load(), Trigger::Published, &|| true);
    assert!(queued.left > 0, "{queued:?}");
    world.put(&clusters(), &[cluster("e1", "eu"), cluster("e2", "ap")]);
    world.put(&replica_sets(), &[with(replica_set("a", "ap"), "/metadata/resourceVersion", json!("8"))]);
    world.pass();
    assert_eq!((&**world.row("a").clusters, &**world.row("b").clusters), (&["e2".to_owned()][..], &["e1".to_owned()][..]));
}

#[test]
fn deleted_objects_are_told_as_removed_and_forgotten() {
    let mut world = settled(REGION);
    assert!(world.table().last("uid-a").is_some());
    world.remove(&replica_sets(), "shop", "a");
    assert_eq!(world.pass(), PassReport { decided: 1, changed: 1, ..PassReport::default() });
    assert_eq!(world.events(), ["-a"]);
    assert!(world.table().last("uid-a").is_none());
}

#[test]
fn rows_go_when_the_kind_is_not_placed_any_more() {
    let unplaced = [
        ("not declared", vec![clusters()]),
        ("not placed", vec![clusters(), Kind { place: false, ..replica_sets() }]),
        ("off", vec![clusters(), Kind { mode: Mode::Off, ..replica_sets() }]),
    ];
    for (name, kinds) in unplaced {
        let mut world = settled(REGION);
        world.declare(kinds);
        world.pass();
        assert_eq!(world.events(), ["-a", "-b", "-c"], "{name}");
        assert!(world.rows().is_empty(), "{name}");
    }
}

#[test]
fn a_new_mode_is_told_for_every_row() {
    let mut world = settled(REGION);
    world.declare(vec![clusters(), Kind { mode: Mode::Suggest, ..replica_sets() }, deployments(), config_maps()]);
    world.pass();
    assert_eq!(world.events(), ["a", "b", "c"]);
    assert!(world.rows().iter().all(|row| row.mode == Mode::Suggest));
}

#[test]
fn t10_nothing_is_decided_before_everything_required_is_loaded() {
    let mut world = World::declared(REGION, vec![clusters(), replica_sets()]);
    world.replace(&replica_sets(), &[replica_set("a", "eu")]);
    let report = world.resync();
    assert_eq!((report.skipped, report.decided, report.changed), (true, 0, 0));
    assert!(world.rows().is_empty() && world.table().swept_revision() == 0);
    world.replace(&clusters(), &[cluster("e1", "eu")]);
    world.pass();
    assert_eq!(*world.row("a").clusters, ["e1"]);
}

#[test]
fn t10_a_source_that_is_missing_again_changes_no_row() {
    let mut world = settled(REGION);
    let before = world.rows();
    let late = Kind::new(super::world::gvr("v1/services"), "Service");
    world.declare(vec![clusters(), replica_sets(), deployments(), config_maps(), late.clone()]);
    world.replace(&clusters(), &[cluster("u1", "us")]);
    assert!(world.pass().skipped && world.resync().skipped);
    assert_eq!((world.rows(), world.events()), (before, Vec::<String>::new()));
    world.replace(&clusters(), &[cluster("e1", "eu")]);
    world.replace(&late, &[]);
    world.pass();
    assert_eq!(*world.row("a").clusters, ["e1"]);
}

#[test]
fn an_interrupted_pass_keeps_what_it_decided_and_starves_nobody() {
    let mut world = World::new(REGION);
    let objects: Vec<_> = (0..40).map(|n| replica_set(&format!("o{n:02}"), "eu")).collect();
    world.replace(&replica_sets(), &objects);
    let mut passes = 0;
    // A cluster comes and goes during every pass: each time everything is in doubt again, behind what still waits.
    while world.rows().len() < objects.len() {
        world.put(&clusters(), &[cluster("e1", if passes % 2 == 0 { "us" } else { "eu" })]);
        let asked = AtomicUsize::new(0);
        let interrupted = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
        let report = world.reconciler.pass(&world.store.load(), Trigger::Published, &interrupted);
        assert!(report.decided > 0 && report.left > 0, "{report:?}");
        passes += 1;
        assert!(passes <= 4 * objects.len(), "some object is never reached");
    }
    let swept = world.table().swept_revision();
    assert!(swept < world.store.load().revision, "rows decided before the last change are not up to date");
    assert_eq!(world.pass().left, 0);
    assert_eq!(world.table().swept_revision(), world.store.load().revision);
}

#[test]
fn a_list_is_as_new_as_the_sweep() {
    let mut world = settled(REGION);
    world.put(&config_maps(), &[]);
    world.policy(&format!("{REGION}\n# said otherwise\n"));
    world.pass();
    let revision = world.store.load().revision;
    assert!(world.rows().iter().all(|row| row.revision == revision));
}

#[test]
fn objects_of_a_namespace_that_becomes_exempt_are_left_alone_until_it_is_not_any_more() {
    let mut world = settled(REGION);
    let kinds = || vec![clusters(), replica_sets(), deployments(), config_maps()];
    world.declare_exempting(kinds(), &["shop"]);
    world.put(&clusters(), &[cluster("u1", "eu")]);
    world.pass();
    let mut gone = world.events();
    gone.sort();
    assert_eq!(gone, ["-a", "-b", "-c"]);
    world.resync();
    assert!(world.rows().is_empty() && world.events().is_empty());
    world.declare_exempting(kinds(), &["elsewhere"]);
    world.pass();
    assert_eq!(world.rows().len(), 3);
    assert_eq!(world.row("a").clusters.len(), 3, "by the fleet as it is now");
}
