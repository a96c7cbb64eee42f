//! Children: who is left to follow an owner, and for how long one that is not there is waited for.

use plimsoll_contract::annotations::{APPLIED, Applied};
use plimsoll_contract::kind::Kind;
use serde_json::{Value as Json, json};

use super::world::{REGION, World, cluster, clusters, deployments, replica_set, replica_sets, with};

fn deployment(uid: &str) -> Json {
    let deployment = with(replica_set("d", "eu"), "/kind", json!("Deployment"));
    with(deployment, "/metadata/uid", json!(uid))
}

fn child(uid: &str) -> Json {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": uid, "controller": true}]);
    with(replica_set("a", "eu"), "/metadata/ownerReferences", owner)
}

fn world(deployments_there: &[Json], child: &Json) -> World {
    let mut world = World::new(REGION);
    world.replace(&deployments(), deployments_there);
    world.put(&replica_sets(), std::slice::from_ref(child));
    world.pass();
    world
}

/// Whether the child has a row after each of so many resyncs.
fn has_row(world: &mut World, resyncs: usize) -> Vec<bool> {
    let has = |world: &World| world.rows().iter().any(|row| row.name == "a");
    (0..resyncs)
        .map(|_| {
            world.resync();
            has(world)
        })
        .collect()
}

#[test]
fn a_child_whose_owner_is_mirrored_follows_it() {
    assert_eq!(has_row(&mut world(&[deployment("u")], &child("u")), 4), [false; 4]);
}

#[test]
fn an_owner_that_is_asserted_is_waited_for_and_then_not_believed() {
    for (name, there) in [("nobody", vec![]), ("another uid", vec![deployment("other")])] {
        assert_eq!(has_row(&mut world(&there, &child("u")), 3), [false, true, true], "{name}");
    }
}

#[test]
fn after_an_owners_deletion_a_whole_resync_is_left_to_garbage_collection() {
    let mut world = world(&[deployment("u")], &child("u"));
    world.resync();
    world.remove(&deployments(), "shop", "d");
    world.pass();
    assert_eq!(has_row(&mut world, 3), [false, false, true], "seen at the first, a whole one, decided");
}

#[test]
fn an_owner_that_no_mirror_would_show_is_not_missed() {
    let world = |kind: Kind, is_loaded: bool| {
        let world = World::declared(REGION, vec![clusters(), replica_sets(), kind.clone()]);
        if is_loaded {
            world.replace(&kind, &[]);
        }
        world.replace(&clusters(), &[cluster("e1", "eu")]);
        world.replace(&replica_sets(), &[child("u")]);
        world
    };
    let within = |namespace: &str| Kind { namespaces: vec![namespace.into()], ..deployments() };
    let labelled = Kind { label_selector: Some("team=a".into()), ..deployments() };
    let fielded = Kind { field_selector: Some("metadata.name!=d".into()), ..deployments() };
    let late = Kind { required: false, ..deployments() };
    for (name, kind) in [("namespace", within("bank")), ("label", labelled), ("field", fielded), ("late", late)] {
        let rows = has_row(&mut world(kind, name != "late"), 4);
        assert_eq!(rows, [false; 4], "{name}: a controller may have made it, and would write against us");
    }
    assert_eq!(has_row(&mut world(within("shop"), true), 3), [false, false, true], "there it would be shown");
}

#[test]
fn an_owner_that_comes_late_is_in_time() {
    let mut world = world(&[], &child("u"));
    assert_eq!(has_row(&mut world, 1), [false]);
    world.put(&deployments(), &[deployment("u")]);
    world.pass();
    assert_eq!(has_row(&mut world, 3), [false; 3]);
    world.remove(&deployments(), "shop", "d");
    assert_eq!(has_row(&mut world, 3), [false, false, true], "and its absence counts anew");
}

#[test]
fn another_object_of_the_name_does_not_inherit_the_wait() {
    let mut world = world(&[], &child("u"));
    assert_eq!(has_row(&mut world, 1), [false]);
    world.put(&replica_sets(), &[with(child("u"), "/metadata/uid", json!("another"))]);
    assert_eq!(has_row(&mut world, 3), [false, false, true]);
}

#[test]
fn what_policy_placed_is_decided_whatever_owner_it_claims() {
    let record = |kind: &str| Applied { kind: kind.into(), ..Applied::default() }.encode();
    let with_record = |kind: &str| with(child("u"), "/metadata/annotations", json!({APPLIED: record(kind)}));
    for there in [vec![], vec![deployment("u")]] {
        assert_eq!(has_row(&mut world(&there, &with_record("ReplicaSet")), 1), [true]);
    }
    let mut copied = world(&[deployment("u")], &with_record("Deployment"));
    assert_eq!(has_row(&mut copied, 2), [false; 2], "the deployment controller's copy is nobody's");
}
