//! A decision that is made of what is kept is the same as one that is not.

use std::time::Duration;

use plimsoll_contract::kind::Kind;
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::source::Declare;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::Classes;
use crate::decision::testing::row;
use crate::decision::{Config, Decision, Subject, Way, Writer, decide};
use crate::rego::Module;
use crate::snapshot::{Store, StoreOptions};

/// Reads the region, whether there is a team, the tolerations, and of clusters labels and zones. Why others are rejected takes so long a
/// text that answers share it.
const POLICY: &str = r#"
package kubernetes.placement

placement := {"clusters": chosen} if input.metadata.labels.region

placement := {"clusters": {}} if not input.metadata.labels.region

chosen[name] := {"weight": weight(cluster)} if {
    some name, cluster in data.kubernetes.clusters
    cluster.metadata.labels.region == input.metadata.labels.region
    tolerated(cluster)
}

tolerated(cluster) if not cluster.spec.taint

tolerated(cluster) if input.spec.tolerations[_].key == cluster.spec.taint

weight(cluster) := object.get(cluster.spec, "weight", 1)

rejected[name] := sprintf("is in %q%s", [cluster.metadata.labels.region, long]) if {
    some name, cluster in data.kubernetes.clusters
    cluster.metadata.labels.region != object.get(input.metadata.labels, "region", "")
}

long := concat("", [" and stays there" | some _ in numbers.range(1, 80)])

warnings contains "without a team" if not input.metadata.labels.team
"#;

struct World {
    store: Store,
    session: String,
    kept: Config,
    fresh: Config,
}

fn clusters() -> Kind {
    row("federation/v1beta1/clusters", "Cluster", |kind| {
        kind.namespaced = false;
        kind.fleet = true;
    })
}

impl World {
    fn new(policy: &str, bytes: u64) -> Self {
        let store = Store::new(StoreOptions::default()).unwrap();
        let declared = store.declare("test", Declare { kinds: vec![clusters()], ..Declare::default() }).unwrap();
        let config = |bytes| Config { classes: Classes::new(bytes), ..Config::default() };
        let world = Self { store, session: declared.session, kept: config(bytes), fresh: config(0) };
        world.policy(policy);
        world.fleet(&[]);
        world
    }

    fn policy(&self, text: &str) {
        self.store.put_policies("files", vec![Module { key: "p.rego".into(), text: text.into() }]).unwrap();
    }

    fn fleet(&self, clusters: &[Json]) {
        let header = json!({"session": self.session, "kind": "federation/v1beta1/clusters", "mode": "replace"});
        let body: String = std::iter::once(&header).chain(clusters).map(|line| format!("{line}\n")).collect();
        // An emptied fleet is believed when it is listed again, later.
        if self.store.sync("test", body.as_bytes()).is_err() {
            let mut again = self.store.sync_body("test").begun(self.store.now() + Duration::from_secs(60));
            again.feed(body.as_bytes()).unwrap();
            again.finish().unwrap();
        }
    }

    fn decide(&self, object: &Json, config: &Config) -> Decision {
        let subject = Subject { object, kind: None, way: Way::Create, writer: Writer::Other, last: None };
        decide(&self.store.load(), subject, config)
    }

    /// Decides with what is kept, and without.
    fn both(&self, object: &Json) -> Decision {
        let (kept, fresh) = (self.decide(object, &self.kept), self.decide(object, &self.fresh));
        let cached = kept.cached;
        assert_eq!(Decision { cached: false, ..kept.clone() }, fresh, "{object}");
        assert_eq!(kept.document(), fresh.document());
        assert_eq!(serde_json::to_string(&kept.shown()).unwrap(), serde_json::to_string(&fresh.shown()).unwrap());
        let named = |decision: &Decision| (decision.clusters(), decision.rejected(), decision.annotations());
        assert_eq!(named(&kept), named(&fresh));
        Decision { cached, ..kept }
    }
}

fn cluster(name: &str, region: &str, beat: u64) -> Json {
    json!({"apiVersion": "federation/v1beta1", "kind": "Cluster", "metadata": {"name": name, "labels": {"region": region}},
        "spec": {}, "status": {"beat": beat}})
}

fn object(labels: &Json) -> Json {
    json!({"apiVersion": "extensions/v1beta1", "kind": "ReplicaSet", "metadata": {"name": "a", "namespace": "shop", "labels": labels}})
}

#[test]
fn objects_that_policy_cannot_tell_apart_are_evaluated_once() {
    let world = World::new(POLICY, 1 << 20);
    world.fleet(&[cluster("c1", "eu", 1), cluster("c2", "us", 1)]);
    assert!(!world.both(&object(&json!({"region": "eu", "team": "a"}))).cached);
    assert!(world.both(&object(&json!({"region": "eu", "team": "b", "more": "x"}))).cached, "the team's name is not read");
    assert!(!world.both(&object(&json!({"region": "eu"}))).cached, "that there is none is");
    assert!(!world.both(&object(&json!({"region": "us", "team": "a"}))).cached);
    assert_eq!(world.kept.classes.count(), 3);
}

#[test]
fn long_members_that_classes_share_are_what_policy_says() {
    let world = World::new(POLICY, 1 << 20);
    world.fleet(&[cluster("c1", "eu", 1), cluster("c2", "us", 1), cluster("c3", "ab", 1)]);
    let asked = |labels: &Json, key: &str| {
        let mut object = object(labels);
        object["spec"] = json!({"tolerations": [{"key": key}]});
        assert!(!world.both(&object).cached);
        assert!(world.both(&object).cached);
    };
    // Three classes for each region, which reject in texts of one length.
    for region in ["eu", "us", "ab"] {
        asked(&json!({"region": region}), "gpu");
        asked(&json!({"region": region}), "old");
        asked(&json!({"region": region, "team": "a"}), "gpu");
    }
    let shared = world.kept.classes.interners().parts.bytes();
    assert!((3 * 2_400..3 * 4_000).contains(&shared), "{shared}");
}

#[test]
fn a_heartbeat_leaves_classes_and_what_is_read_does_not() {
    let world = World::new(POLICY, 1 << 20);
    let asked = object(&json!({"region": "eu", "team": "a"}));
    world.fleet(&[cluster("c1", "eu", 1)]);
    assert_eq!(*world.both(&asked).clusters(), ["c1"]);
    world.fleet(&[cluster("c1", "eu", 2)]);
    assert!(world.both(&asked).cached, "a heartbeat");
    world.fleet(&[cluster("c1", "us", 2)]);
    let moved = world.both(&asked);
    assert_eq!((moved.cached, moved.outcome), (false, Outcome::Nowhere));
    world.fleet(&[cluster("c1", "us", 2), cluster("c2", "eu", 1)]);
    assert_eq!(*world.both(&asked).clusters(), ["c2"]);
    world.policy(&POLICY.replace("without a team", "teamless"));
    assert!(!world.both(&asked).cached, "another policy");
}

#[test]
fn a_cluster_that_policy_only_names_is_looked_up_again() {
    let world = World::new("package kubernetes.placement\n\nplacement := {\"clusters\": [\"c1\"]}\n", 1 << 20);
    world.fleet(&[cluster("c2", "eu", 1)]);
    let asked = object(&json!({}));
    assert!(matches!(world.both(&asked).outcome, Outcome::Unavailable { .. }));
    world.fleet(&[cluster("c1", "eu", 1)]);
    assert_eq!(world.both(&asked).outcome, Outcome::Place);
    assert!(world.both(&asked).cached);
    world.fleet(&[]);
    assert!(matches!(world.both(&asked).outcome, Outcome::Unavailable { .. }));
}

#[test]
fn clocks_and_errors_are_asked_again() {
    for rule in ["warnings contains sprintf(\"%d\", [time.now_ns()])", "warnings contains uuid.rfc4122(\"\")"] {
        let world = World::new(&format!("package kubernetes.placement\n\n{rule}\n"), 1 << 20);
        let asked = object(&json!({}));
        let said = || world.decide(&asked, &world.kept).warnings;
        assert_ne!(said(), said(), "{rule}");
        assert_eq!(world.kept.classes.count(), 0);
    }
    let world =
        World::new("package kubernetes.placement\n\nplacement := {\"clusters\": {}} if x\n\nx := [true, 1][_]\n", 1 << 20);
    let failed = world.both(&object(&json!({})));
    assert!(matches!(failed.outcome, Outcome::Unavailable { .. }) && world.kept.classes.count() == 0, "{failed:?}");
}

#[test]
fn other_kinds_and_keys_are_other_classes() {
    let world = World::new(POLICY, 1 << 20);
    world.fleet(&[cluster("c1", "eu", 1)]);
    let mut asked = object(&json!({"region": "eu"}));
    assert_eq!(world.both(&asked).outcome, Outcome::Place);
    asked["kind"] = "Gadget".into();
    let untargeted = world.both(&asked);
    assert!(!untargeted.cached && matches!(untargeted.outcome, Outcome::Unavailable { .. }), "{untargeted:?}");
}

/// A number that is only shown is shown as this object writes it.
#[test]
fn equal_numbers_that_are_written_differently_are_not_one_class() {
    let world = World::new("package kubernetes.placement\n\nwarnings contains sprintf(\"%v\", [input.spec.x])\n", 1 << 20);
    let asked = |x: Json| {
        let mut object = object(&json!({}));
        object["spec"] = json!({"x": x});
        world.both(&object)
    };
    assert!(!asked(json!(1)).cached && !asked(json!(1.0)).cached && !asked(json!("1")).cached);
    assert!(asked(json!(1)).cached);
}

/// `1.0` and `1` are one for functions, which compare all of what they are called with: members that policy does not read decide whether it is
/// what they were called with before. Nothing that was said then is kept, and an object with such a number stands for itself alone.
#[test]
fn what_functions_may_take_for_something_else_stands_for_itself() {
    const SHOWN: &str = "shown(o) := json.marshal(o.a)\n\nkind(o) := o if is_object(o)\n";
    for (rule, first, second) in [
        ("[shown(input.spec.o), shown({\"a\": 1.0, \"b\": 5})]", json!({"a": 1, "b": 5}), json!({"a": 1, "b": 6})),
        ("[shown(input.spec.o), shown({\"a\": 1.0, \"b\": 5})]", json!({"a": 1, "b": 6}), json!({"a": 1, "b": 5})),
        ("[shown(x)] if { kind(input.spec.o); x := kind({\"a\": 1}) }", json!({"a": 2}), json!({"a": 1.0})),
    ] {
        let world = World::new(&format!("package kubernetes.placement\n\nwarnings := {rule}\n\n{SHOWN}"), 1 << 20);
        let said = [first, second].map(|o| {
            let mut object = object(&json!({}));
            object["spec"] = json!({"o": o});
            world.both(&object).warnings
        });
        assert_ne!(said[0], said[1], "{rule}");
    }
}

#[derive(Clone, Debug)]
enum Step {
    Decide(Json),
    Fleet(Vec<Json>),
    Policy(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let region = prop::sample::select(vec!["eu", "us", ""]);
    let name = prop::sample::select(vec!["c1", "c2", "c3"]);
    let taint = prop::option::of(prop::sample::select(vec!["gpu", "old"]));
    let one = (name, region.clone(), 0_u64..3, taint.clone()).prop_map(|(name, region, beat, taint)| {
        let mut cluster = cluster(name, region, beat);
        if let Some(taint) = taint {
            cluster["spec"]["taint"] = taint.into();
            cluster["spec"]["weight"] = beat.into();
        }
        cluster
    });
    let asked = (prop::option::of(region), prop::option::of("[ab]"), prop::collection::vec(taint, 0..3));
    let asked = asked.prop_map(|(region, team, tolerations)| {
        let mut labels = json!({});
        region.into_iter().for_each(|region| labels["region"] = region.into());
        team.into_iter().for_each(|team| labels["team"] = team.into());
        let mut object = object(&labels);
        object["spec"] = json!({"tolerations": tolerations.into_iter().map(|key| json!({"key": key})).collect::<Vec<_>>()});
        object
    });
    let fleet = prop::collection::vec(one, 0..4).prop_map(|mut fleet| {
        fleet.sort_by_key(|cluster| cluster["metadata"]["name"].to_string());
        fleet.dedup_by_key(|cluster| cluster["metadata"]["name"].to_string());
        Step::Fleet(fleet)
    });
    prop_oneof![6 => asked.prop_map(Step::Decide), 2 => fleet, 1 => any::<bool>().prop_map(Step::Policy)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// With room for all, and with room for a few, of whose long members few can be shared.
    #[test]
    fn what_is_kept_is_what_would_be_found_again(steps in prop::collection::vec(step(), 1..40), small in any::<bool>()) {
        let world = World::new(POLICY, if small { 24_000 } else { 1 << 20 });
        for step in steps {
            match step {
                Step::Decide(object) => { world.both(&object); }
                Step::Fleet(clusters) => world.fleet(&clusters),
                Step::Policy(short) => world.policy(if short { POLICY.split("warnings").next().unwrap() } else { POLICY }),
            }
        }
    }
}
