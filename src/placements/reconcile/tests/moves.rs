//! Where objects stand, which patches move them, and what is said to be the cause.

use plimsoll_contract::annotations::{APPLIED, REPLICA_SET_PREFERENCES as KEY};
use plimsoll_contract::moves::Move;
use serde_json::{Value as Json, json};

use super::world::{OPINION, REGION, World, cluster, clusters, config, config_maps, replica_set, replica_sets, with};

fn moves(world: &World, name: &str) -> Option<Move> {
    world.row(name).moves.map(|moves| (*moves).clone())
}

fn cause(world: &World, name: &str) -> String {
    moves(world, name).map_or_else(|| "stays".into(), |moves| moves.cause.to_string())
}

/// `a` in `eu`, placed by this policy, written and seen.
fn placed(policy: &str) -> (World, Json) {
    let mut world = World::new(policy);
    world.put(&replica_sets(), &[replica_set("a", "eu")]);
    world.pass();
    assert_eq!((cause(&world, "a").as_str(), world.row("a").stands.as_str()), ("first placement", ""));
    let object = world.repair(&replica_sets(), &replica_set("a", "eu"));
    world.pass();
    assert_eq!((cause(&world, "a").as_str(), world.row("a").stands.is_empty()), ("stays", false));
    (world, object)
}

/// What happens to the fleet.
type Happens = fn(&World);

fn unlabelled(name: &str) -> Json {
    with(cluster(name, "eu"), "/metadata/labels", json!({}))
}

#[test]
fn data_that_moves_an_object_is_named_with_what_changed_of_it() {
    let cases: [(&str, Happens, &str); 5] = [
        ("a label", |world| world.put(&clusters(), &[unlabelled("e1")]), "clusters e1: label `region` removed"),
        ("another value", |world| world.put(&clusters(), &[cluster("u1", "eu")]), "clusters u1: label `region`: `us` -> `eu`"),
        (
            "a new one",
            |world| world.put(&clusters(), &[cluster("a1", "us"), cluster("e3", "eu")]),
            "clusters e3: added (and 1 more)",
        ),
        ("none any more", |world| world.remove(&clusters(), "", "e2"), "clusters e2: removed"),
        (
            "beside what nobody reads",
            |world| {
                let heartbeat = |name| with(cluster(name, "eu"), "/status", json!({"beat": 1}));
                world.put(&clusters(), &[heartbeat("e1"), with(heartbeat("e2"), "/metadata/labels", json!({}))]);
            },
            "clusters e2: label `region` removed, `status` changed",
        ),
    ];
    for (name, change, expected) in cases {
        let (mut world, _) = placed(REGION);
        change(&world);
        world.pass();
        assert_eq!(cause(&world, "a"), expected, "{name}");
        assert_eq!(moves(&world, "a").unwrap().from, ["e1", "e2"], "{name}");
    }
}

#[test]
fn a_pass_that_comes_late_names_what_came_of_all_that_happened() {
    let (mut world, _) = placed(REGION);
    world.put(&clusters(), &[unlabelled("e1")]);
    world.put(&clusters(), &[cluster("e1", "us"), cluster("e2", "eu")]);
    world.resync();
    assert_eq!(cause(&world, "a"), "clusters e1: label `region`: `eu` -> `us`");
}

#[test]
fn other_kinds_that_policies_read_are_named_if_the_fleet_is_as_it_was() {
    let policy = REGION.replace("]}", "; not data.kubernetes.configmaps.shop.closed.data[name]]}");
    let (mut world, _) = placed(&policy);
    let map = |name: &str, data: Json| {
        let metadata = json!({"name": name, "namespace": "shop", "uid": "m", "resourceVersion": "1"});
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    };
    world.put(&config_maps(), &[map("closed", json!({})), map("other", json!({}))]);
    world.pass();
    world.put(&config_maps(), &[map("closed", json!({"e1": "1"})), map("other", json!({"x": "1"}))]);
    world.pass();
    assert_eq!(cause(&world, "a"), "configmaps shop/closed: `data.e1` changed");
}

#[test]
fn policy_owner_and_others_are_told_apart() {
    let elsewhere = REGION.replace("c.metadata", "name != \"e2\"; c.metadata");
    let (mut world, object) = placed(REGION);
    let before = world.store.load().policies.digest.clone();
    world.policy(&elsewhere);
    world.pass();
    let after = world.store.load().policies.digest.clone();
    assert_eq!(cause(&world, "a"), format!("policy {} -> {}", &before[7..15], &after[7..15]));

    let other = r#"{"clusters":{"u1":{"weight":1}}}"#;
    let kept = |key: &str| json!({key: object["metadata"]["annotations"][key]});
    let valued = json!({KEY: other, APPLIED: object["metadata"]["annotations"][APPLIED]});
    let drift = "its placement was changed by somebody else";
    let cases = [
        ("another wish", "/metadata/labels/region", json!("us"), "changed by its owner"),
        ("the annotation went", "/metadata/annotations", kept(APPLIED), drift),
        ("all went", "/metadata/annotations", json!({}), drift),
        ("another value", "/metadata/annotations", valued, drift),
    ];
    for (name, pointer, value, expected) in cases {
        let (mut world, object) = placed(REGION);
        world.put(&replica_sets(), &[with(with(object, "/metadata/resourceVersion", json!("9")), pointer, value)]);
        world.pass();
        assert_eq!(cause(&world, "a"), expected, "{name}");
    }
}

#[test]
fn a_record_taken_off_makes_nothing_new_of_an_object() {
    let (mut world, object) = placed(REGION);
    world.policy(&REGION.replace("c.metadata", "name != \"e2\"; c.metadata"));
    world.pass();
    world.put(&replica_sets(), &[with(object, "/metadata/annotations", json!({}))]);
    world.pass();
    assert_ne!(cause(&world, "a"), "first placement");
}

#[test]
fn the_cause_of_a_pending_move_stays_what_it_was_first() {
    let (mut world, _) = placed(REGION);
    world.put(&clusters(), &[unlabelled("e1")]);
    world.pass();
    world.events();
    let first = moves(&world, "a");
    world.put(&clusters(), &[with(unlabelled("e1"), "/metadata/labels", json!({"x": "1"})), cluster("u1", "ap")]);
    world.policy(&format!("{REGION}\n# said otherwise\n"));
    world.pass();
    assert_eq!((&moves(&world, "a"), world.events()), (&first, vec!["a".to_owned()]), "its record names other policies");
    world.resync();
    assert_eq!((moves(&world, "a"), world.events()), (first, Vec::new()));
    world.put(&clusters(), &[cluster("u1", "eu")]);
    world.pass();
    assert_eq!(cause(&world, "a"), "clusters u1: label `region`: `ap` -> `eu`", "another move");
}

#[test]
fn a_move_that_policy_could_not_be_asked_about_for_a_while_keeps_its_cause() {
    let (mut world, _) = placed(REGION);
    let broken =
        |text: &str| format!("{REGION}\nerrors contains \"closed\" if data.kubernetes.configmaps.shop.{text}.data.closed\n");
    world.policy(&broken("m"));
    world.pass();
    world.put(&clusters(), &[unlabelled("e1")]);
    let metadata = json!({"name": "m", "namespace": "shop", "uid": "m", "resourceVersion": "1"});
    world.put(&config_maps(), &[json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"closed": "1"}})]);
    world.pass();
    assert_eq!((world.row("a").outcome.name(), cause(&world, "a").as_str()), ("denied", "stays"));
    world.remove(&config_maps(), "shop", "m");
    world.pass();
    assert_eq!(cause(&world, "a"), "clusters e1: label `region` removed");
}

#[test]
fn after_a_restart_only_the_record_and_the_object_tell() {
    let (mut world, _) = placed(REGION);
    world.restart(config());
    world.put(&clusters(), &[unlabelled("e1")]);
    world.pass();
    assert_eq!(cause(&world, "a"), "unknown since start");
    world.restart(config());
    world.policy(&format!("{REGION}\n# said otherwise\n"));
    world.pass();
    assert!(cause(&world, "a").starts_with("policy "), "{}", cause(&world, "a"));
}

#[test]
fn what_changes_no_set_of_clusters_moves_nothing() {
    let (mut world, object) = placed(REGION);
    let weighted = REGION.replace("[name | some name", "{name: {\"weight\": 5} | some name").replace("region]}", "region}}");
    world.policy(&weighted);
    world.pass();
    let row = world.row("a");
    assert!(row.patch.contains_key(KEY) && row.moves.is_none(), "{row:?}");
    let record = with(object, "/metadata/resourceVersion", json!("9"));
    let mut bare = record.clone();
    bare["metadata"]["annotations"].as_object_mut().unwrap().remove(APPLIED);
    let (mut world, _) = placed(REGION);
    world.put(&replica_sets(), &[bare]);
    world.pass();
    let row = world.row("a");
    assert!(row.patch.contains_key(APPLIED) && row.moves.is_none(), "{row:?}");
}

#[test]
fn what_is_let_go_moves_and_urgent_moves_say_so() {
    let opinion = OPINION.replace("{name: {}", "{name: {\"weight\": 1}");
    let (mut world, _) = placed(&opinion);
    world.policy(&opinion.replace("count(ok) > 0", "count(ok) > 9"));
    world.pass();
    assert_eq!(moves(&world, "a").unwrap().from, ["e1", "e2"]);
    let (mut world, _) = placed(&format!("{REGION}\nurgent if not data.kubernetes.clusters.e1\n"));
    world.remove(&clusters(), "", "e1");
    world.pass();
    assert!(moves(&world, "a").unwrap().urgent);
}
