//! Random lives: whatever happened before, a decision is idempotent and equals that of a new object.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::REPLICA_SET_PREFERENCES as KEY;
use proptest::prelude::*;

use super::scenario::Scenario;
use super::world::World;

const POLICIES: [&str; 6] = [
    // The shipped style.
    r#"placement := {"clusters": [n | some n, c in data.kubernetes.clusters; c.metadata.annotations.pci == "true"]}"#,
    // Only sometimes an opinion.
    r#"placement := {"clusters": ["a"]} if input.metadata.annotations.pci == "true""#,
    // Reads the key that it writes.
    r#"k := "federation.kubernetes.io/replica-set-preferences"
asked := json.unmarshal(input.metadata.annotations[k]).clusters
annotations[k] := {"clusters": {n: s | some n, s in asked; data.kubernetes.clusters[n].metadata.annotations.pci == "true"}}"#,
    // Removes, and writes beside.
    r#"annotations["federation.kubernetes.io/replica-set-preferences"] := null
annotations["example.com/note"] := input.metadata.annotations.pci"#,
    r#"errors contains "no" if input.metadata.annotations.pci == "false"
annotations["example.com/note"] := {"b": 1, "a": 2}"#,
    "unrelated := 1",
];

#[derive(Clone, Debug)]
enum Change {
    Policy(usize),
    Cluster(&'static str, bool),
    Annotate(&'static str, Option<&'static str>),
    Restart,
}

fn change() -> impl Strategy<Value = Change> {
    let note = prop::option::of(prop::sample::select(vec!["x", "y"]));
    let pci = prop::option::of(prop::sample::select(vec!["true", "false"]));
    let asked = prop::sample::select(vec![r#"{"clusters":{"a":{"weight":1},"b":{"weight":2}}}"#, r#"{"clusters":{"b":{}}}"#]);
    prop_oneof![
        2 => (0..POLICIES.len()).prop_map(Change::Policy),
        3 => (prop::sample::select(vec!["a", "b"]), any::<bool>()).prop_map(|(name, pci)| Change::Cluster(name, pci)),
        1 => note.prop_map(|value| Change::Annotate("example.com/note", value)),
        1 => pci.prop_map(|value| Change::Annotate("pci", value)),
        2 => prop::option::of(asked).prop_map(|value| Change::Annotate(KEY, value)),
        1 => Just(Change::Restart),
    ]
}

struct Walk {
    world: World,
    clusters: BTreeMap<String, BTreeMap<String, String>>,
}

impl Walk {
    fn new() -> Self {
        let scenario: Scenario =
            yaml_serde::from_str("{name: walk, config: {annotationKeys: [example.com/note]}, steps: []}").unwrap();
        let mut walk = Self { world: World::new(&scenario), clusters: BTreeMap::new() };
        walk.apply(&Change::Cluster("a", true));
        walk.apply(&Change::Cluster("b", true));
        walk
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Policy(index) => {
                let text = format!("package kubernetes.placement\n{}\n", POLICIES[*index]);
                self.world.policies(&[("a.rego".to_owned(), text)].into());
            }
            Change::Cluster(name, pci) => {
                self.clusters.insert((*name).into(), [("pci".to_owned(), pci.to_string())].into());
                self.world.clusters(&self.clusters);
            }
            Change::Annotate(key, value) => {
                self.world.annotate(&[((*key).to_owned(), value.map(str::to_owned))].into());
            }
            Change::Restart => self.world.forget(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn t05_a_decision_depends_on_intent_and_not_on_the_past(changes in prop::collection::vec(change(), 1..12)) {
        let mut walk = Walk::new();
        for (step, change) in changes.iter().enumerate() {
            walk.apply(change);
            let decision = walk.world.decide();
            walk.world.write(&decision);
            let again = walk.world.decide();
            prop_assert!(again.patch.is_empty(), "t04, step {step}: {:?}", again.patch);
            prop_assert_eq!(&again.outcome, &decision.outcome);
            walk.world.check_create(&decision, &format!("step {step}"));
            if !decision.kept && decision.outcome.name() == "no_opinion" {
                prop_assert_eq!(&walk.world.annotations(), walk.world.mine(), "released as it was asked for");
            }
        }
    }
}
