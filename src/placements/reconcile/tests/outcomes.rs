//! Which objects have a row, and what it says.

use plimsoll_contract::annotations::HOLD;
use plimsoll_contract::kind::Kind;
use serde_json::{Value as Json, json};

use super::world::{OPINION, REGION, World, cluster, clusters, deployments, replica_set, replica_sets, with};
use crate::decision::Config;

fn swept(policy: &str, object: Json) -> World {
    let mut world = World::new(policy);
    world.replace(&replica_sets(), &[object]);
    world.pass();
    world
}

fn owned_by(kind: &str, controller: bool) -> Json {
    let owner = json!([{"apiVersion": "apps/v1", "kind": kind, "name": "d", "uid": "u", "controller": controller}]);
    with(replica_set("a", "eu"), "/metadata/ownerReferences", owner)
}

#[test]
fn an_object_that_another_placed_object_controls_has_no_row() {
    let cases = [("Deployment", true, 0), ("Deployment", false, 1), ("Rollout", true, 1)];
    for (kind, controller, rows) in cases {
        assert_eq!(swept(REGION, owned_by(kind, controller)).rows().len(), rows, "{kind} {controller}");
    }
}

#[test]
fn t03_exempt_objects_have_no_row() {
    assert!(swept(REGION, with(replica_set("a", "eu"), "/metadata/namespace", json!("kube-system"))).rows().is_empty());
}

#[test]
fn an_object_being_deleted_is_left_alone() {
    let world = swept(REGION, with(replica_set("a", "eu"), "/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z")));
    assert!(world.rows().is_empty());
}

#[test]
fn hold_is_the_word_true() {
    for (value, hold) in [("true", true), ("false", false), ("yes", false)] {
        let world = swept(REGION, with(replica_set("a", "eu"), "/metadata/annotations", json!({HOLD: value})));
        assert_eq!(world.row("a").hold, hold, "{value}");
        assert!(!world.row("a").patch.is_empty(), "the row still says what is left to write");
    }
}

#[test]
fn a_row_with_something_left_to_write_says_what_it_has_seen() {
    let counted = || with(replica_set("a", "eu"), "/metadata/generation", json!(1));
    let seen = |object: Json, kind: Kind| {
        let mut world = World::declared(REGION, vec![clusters(), kind.clone()]);
        world.replace(&clusters(), &[cluster("e1", "eu")]);
        world.replace(&kind, &[object]);
        world.pass();
        assert!(!world.row("a").patch.is_empty());
        world.row("a").seen
    };
    let before = seen(counted(), replica_sets()).unwrap();
    let status = with(with(counted(), "/status", json!({"replicas": 1})), "/metadata/resourceVersion", json!("2"));
    assert_eq!(seen(status, replica_sets()), Some(before.clone()));
    assert_ne!(seen(with(counted(), "/metadata/generation", json!(2)), replica_sets()), Some(before.clone()));
    assert_eq!(seen(replica_set("a", "eu"), replica_sets()), None, "nobody counts its changes");
    let pruned = |pointer: &str| Kind { prune: vec![pointer.into()], ..replica_sets() };
    assert_eq!(seen(counted(), pruned("/metadata/labels/x")), None);
    assert_eq!(seen(counted(), pruned("/*/labels")), None);
    assert_eq!(seen(counted(), pruned("/metadata/managedFields")), Some(before.clone()));
    assert_eq!(seen(counted(), pruned("/status/conditions")), Some(before));
    assert_eq!(seen(counted(), Kind { keep_status: true, ..replica_sets() }), None, "policy sees the status");
}

#[test]
fn hold_that_nobody_guards_has_no_effect_and_that_is_said() {
    let mut world = swept(REGION, with(replica_set("a", "eu"), "/metadata/annotations", json!({HOLD: "true"})));
    assert!(world.row("a").hold && world.row("a").warnings.is_empty());
    world.restart(Config::default());
    world.resync();
    assert!(!world.row("a").hold && world.row("a").warnings[0].contains("--hold=ignore"));
}

#[test]
fn what_is_not_placed_says_why_and_writes_nothing() {
    let package = "package kubernetes.placement\n";
    let cases = [
        ("denied", format!("{package} errors contains \"no\"")),
        ("no_opinion", format!("{package} annotations[k] := v if {{ k := \"x\"; v := \"y\"; false }}")),
        ("invalid", format!("{package} placement := {{\"clusters\": {{\"e1\": {{\"weight\": 0.5}}}}}}")),
        (
            "failed",
            format!(
                "{package} placement := x if {{ x := {{\"clusters\": [\"e1\"]}} }}\nplacement := y if {{ y := {{\"clusters\": [\"e2\"]}} }}"
            ),
        ),
        ("unarmed", String::new()),
    ];
    for (outcome, policy) in cases {
        let world = swept(&policy, replica_set("a", "eu"));
        let row = world.row("a");
        assert_eq!(row.outcome.name(), outcome, "{}", row.outcome);
        assert!(row.patch.is_empty(), "{outcome}: {:?}", row.patch);
        assert_eq!(world.table().counts().outcomes.get(outcome), Some(&1));
    }
}

#[test]
fn t08_t17_the_last_placement_is_kept_when_only_state_changed() {
    let mut world = swept(OPINION, replica_set("a", "eu"));
    world.repair(&replica_sets(), &replica_set("a", "eu"));
    world.pass();
    world.replace(&clusters(), &[cluster("u1", "us")]);
    world.pass();
    let row = world.row("a");
    assert_eq!((row.outcome.name(), row.kept, row.patch.len()), ("no_opinion", true, 0));
    assert_eq!(world.table().counts().kept, 1);
    // A pass over the same again, and a decision that failed in between, still keep it.
    world.resync();
    assert!(world.row("a").kept);
    world.policy(&format!("{OPINION}\n# another set\n"));
    world.pass();
    let row = world.row("a");
    assert!(!row.kept && row.patch.values().all(Option::is_none) && !row.patch.is_empty(), "{row:?}");
    // What is not written yet stays to be written.
    world.put(&clusters(), &[cluster("u2", "us")]);
    world.pass();
    assert_eq!(world.row("a").patch, row.patch);
}

#[test]
fn objects_of_every_placed_kind_have_rows() {
    let mut world = World::new(REGION);
    let deployment = with(replica_set("d", "us"), "/kind", json!("Deployment"));
    world.replace(&deployments(), &[deployment]);
    world.replace(&replica_sets(), &[replica_set("r", "eu")]);
    world.pass();
    let names: Vec<String> = world.rows().into_iter().map(|row| row.object()).collect();
    assert_eq!(names, ["apps/v1/deployments shop/d", "apps/v1/replicasets shop/r"]);
}
