//! Objects of which policy says the same after a change of some clusters: found by those alone, and looked at by nobody.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value as Json, json};

use super::world::{REGION, World, cluster, clusters, replica_set, replica_sets, with};
use crate::placements::{PassReport, Trigger};

/// Each object is a class of its own: the policy reads its name.
pub(super) const OWN: &str = r#"
package kubernetes.placement

placement := {"clusters": {name: {"weight": 1} | some name in eligible}}

eligible contains name if {
	some name, c in data.kubernetes.clusters
	c.metadata.labels.region == input.metadata.labels.region
	not reserved(c)
}

reserved(c) if c.metadata.labels.owner != input.metadata.name
"#;

/// Four objects in `eu`, one in `us`, settled.
pub(super) fn settled(policy: &str) -> World {
    let mut world = World::new(policy);
    let objects = ["a", "b", "c", "d"].map(|name| replica_set(name, "eu"));
    world.replace(&replica_sets(), &objects);
    world.put(&replica_sets(), &[replica_set("u", "us")]);
    world.pass();
    for object in objects.iter().chain([&replica_set("u", "us")]) {
        world.repair(&replica_sets(), object);
    }
    world.pass();
    world.events();
    world
}

fn owned(name: &str, owner: &str) -> Json {
    with(cluster(name, "eu"), "/metadata/labels/owner", json!(owner))
}

fn report(decided: usize, confirmed: usize, changed: usize) -> PassReport {
    PassReport { decided, confirmed, changed, ..PassReport::default() }
}

#[test]
fn only_those_are_decided_of_which_policy_may_say_something_else() {
    let mut world = settled(OWN);
    world.put(&clusters(), &[owned("e2", "a")]);
    assert_eq!(world.pass(), report(3, 2, 3), "`a` may stay, `u` was never there");
    assert_eq!(world.events(), ["b", "c", "d"]);
    assert_eq!(*world.row("a").clusters, ["e1", "e2"]);
    world.put(&clusters(), &[owned("e2", "b"), owned("e1", "b")]);
    assert_eq!(world.pass(), report(4, 1, 4), "two clusters at once");
    assert_eq!(*world.row("b").clusters, ["e1", "e2"]);
    assert_eq!(world.resync().changed, 0, "the periodic pass finds nothing else");
}

#[test]
fn clusters_that_come_or_go_are_looked_at_by_all() {
    let mut world = settled(OWN);
    world.put(&clusters(), &[owned("e3", "nobody")]);
    assert_eq!(world.pass(), report(5, 0, 0));
    world.remove(&clusters(), "", "e3");
    assert_eq!(world.pass(), report(5, 0, 0));
    world.put(&clusters(), &[cluster("e3", "us"), owned("e1", "a")]);
    assert_eq!(world.pass(), report(5, 0, 4), "one came while another one changed");
}

#[test]
fn where_policy_looks_at_several_clusters_together_all_are_decided() {
    let crowded =
        format!("{OWN}\nwarnings contains \"few\" if count([c | some c in data.kubernetes.clusters; not reserved(c)]) < 3\n");
    let mut world = settled(&crowded);
    world.put(&clusters(), &[owned("e2", "a")]);
    assert_eq!(world.pass(), report(5, 0, 4), "`u` is warned");
}

/// What else happens to an object while it waits is not overlooked.
#[test]
fn an_object_that_changed_itself_is_decided() {
    let mut world = settled(OWN);
    world.put(&clusters(), &[owned("e2", "a")]);
    let queued = world.reconciler.pass(&world.store.load(), Trigger::Published, &|| true);
    assert!(queued.left > 0 && queued.decided + queued.confirmed == 1, "{queued:?}");
    // Somebody took off what was written: the object is of the class that it was.
    let names = ["a", "b", "c", "d", "u"];
    let bare =
        |name: &str| with(replica_set(name, if name == "u" { "us" } else { "eu" }), "/metadata/resourceVersion", json!("9"));
    world.put(&replica_sets(), &names.map(bare));
    world.pass();
    for name in names {
        assert!(!world.row(name).patch.is_empty() && world.row(name).resource_version == "9", "{name}");
    }
}

/// Who is in doubt of an older change, too, is not told by the newer one alone.
#[test]
fn a_second_change_during_a_pass_is_not_taken_for_the_only_one() {
    for decisions in 0..5 {
        let mut world = settled(OWN);
        world.put(&clusters(), &[owned("e2", "a")]);
        let asked = AtomicUsize::new(0);
        let interrupted = || asked.fetch_add(1, Ordering::Relaxed) >= decisions;
        world.reconciler.pass(&world.store.load(), Trigger::Published, &interrupted);
        world.put(&clusters(), &[owned("e1", "b")]);
        world.pass();
        let found = ["a", "b", "c", "d"].map(|name| world.row(name).clusters.join(" "));
        assert_eq!(found, ["e2", "e1", "", ""], "{decisions}");
        assert_eq!(world.resync().changed, 0, "{decisions}");
    }
}

#[test]
fn a_heartbeat_during_a_pass_ends_nothing() {
    let mut world = settled(OWN);
    world.put(&clusters(), &[owned("e2", "a")]);
    world.reconciler.pass(&world.store.load(), Trigger::Published, &|| true);
    world.put(&clusters(), &[with(cluster("u1", "us"), "/status", json!({"beat": 1}))]);
    let rest = world.pass();
    assert!(rest.confirmed > 0, "{rest:?}");
    assert_eq!(world.resync().changed, 0);
}

#[test]
fn a_policy_and_a_resync_look_at_all() {
    let mut world = settled(OWN);
    world.put(&clusters(), &[owned("e2", "a")]);
    world.policy(&OWN.replace("\"weight\": 1", "\"weight\": 2"));
    assert_eq!(world.pass(), report(5, 0, 5));
    world.put(&clusters(), &[owned("e2", "b")]);
    assert_eq!((world.resync().decided, world.pass().decided), (5, 0));
}

/// `1.0` and `1` are one for functions: what a cluster gives may depend on which one was asked for first.
#[test]
fn unusual_numbers_are_evaluated_whole() {
    let policy = format!(
        "{OWN}\nwarnings contains sprintf(\"%v\", [shown(json.unmarshal(c.metadata.labels.units))]) if {{\n\tsome c in data.kubernetes.clusters\n\tc.metadata.labels.region == \
         input.metadata.labels.region\n}}\n\nshown(x) := [x, input.metadata.name]\n"
    );
    let mut world = settled(&policy);
    let units = |name: &str, units: &str| with(cluster(name, "eu"), "/metadata/labels/units", json!(units));
    for (first, second) in [("1.0", "1"), ("2", "1"), ("1", "1.0")] {
        world.put(&clusters(), &[units("e1", first)]);
        world.pass();
        world.put(&clusters(), &[units("e2", second)]);
        world.pass();
        assert_eq!(world.resync().changed, 0, "{first} {second}");
    }
}

/// Of who is in doubt no more is read than decides.
#[test]
fn who_is_decided_again_is_remembered_as_if_all_had_been_read() {
    let mut world = settled(REGION);
    world.resync();
    let intents =
        |world: &World| ["a", "b", "c", "d", "u"].map(|name| world.table().last(&format!("uid-{name}")).unwrap().intent);
    let before = intents(&world);
    world.put(&clusters(), &[cluster("e2", "elsewhere")]);
    assert_eq!(world.pass().changed, 4);
    let causes = ["a", "b", "c", "d"].map(|name| world.row(name).moves.unwrap().cause.to_string());
    assert_eq!(causes, ["clusters e2: label `region`: `eu` -> `elsewhere`"; 4]);
    assert_eq!(intents(&world), before);
    let rows = world.rows();
    assert_eq!((world.resync().changed, intents(&world)), (0, before.clone()));
    assert_eq!(world.rows(), rows);

    let changed = with(replica_set("d", "eu"), "/metadata/labels/other", json!("x"));
    world.put(&replica_sets(), &[with(changed, "/metadata/resourceVersion", json!("77"))]);
    world.put(&clusters(), &[cluster("e2", "eu")]);
    world.pass();
    assert_ne!(intents(&world)[3], before[3], "it changed itself as well");
    assert_eq!(intents(&world)[..3], before[..3]);
}
