//! Objects of which no more is read than decides: their rows and what is remembered of them are as if all had been read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plimsoll_contract::kind::Kind;
use plimsoll_contract::moves::Cause;
use plimsoll_contract::placement::Placement;
use proptest::prelude::*;
use serde_json::json;

use super::confirmed::settled;
use super::random::{Run, Step, step};
use super::world::{
    OPINION, REGION, World, cluster, clusters, config, config_maps, deployments, replica_set, replica_sets, with,
};
use crate::decision::{Classes, Config, Last};
use crate::placements::{Filter, Reconciler, Trigger};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn last(world: &World, name: &str) -> Last {
    world.table().last(&format!("uid-{name}")).unwrap()
}

fn intents(world: &World) -> [String; 4] {
    NAMES.map(|name| last(world, name).intent)
}

/// Four objects in `eu`, decided and not written: as their cluster leaves, some of them are decided.
fn interrupted(decisions: usize) -> World {
    let mut world = World::new(REGION);
    world.replace(&replica_sets(), &NAMES.map(|name| replica_set(name, "eu")));
    world.pass();
    world.put(&clusters(), &[cluster("e2", "elsewhere")]);
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= decisions;
    world.reconciler.pass(&world.store.load(), Trigger::Published, &stop);
    world
}

#[test]
fn what_is_written_and_seen_need_not_be_read_again() {
    let mut world = settled(REGION);
    let repeats = |world: &World| NAMES.map(|name| last(world, name).repeats);
    assert_eq!(repeats(&world), [true; 4]);
    world.put(&clusters(), &[cluster("e2", "elsewhere")]);
    world.pass();
    assert_eq!(repeats(&world), [true; 4], "a patch is left to write");
}

#[test]
fn what_is_kept_is_kept_by_the_intent_that_was_taken_over() {
    let mut world = settled(OPINION);
    let before = last(&world, "b");
    world.put(&clusters(), &[cluster("e1", "elsewhere"), cluster("e2", "elsewhere")]);
    world.pass();
    for name in NAMES {
        let row = world.row(name);
        assert!(row.kept && !row.unproven && row.patch.is_empty(), "{name}: {row:?}");
    }
    assert_eq!(last(&world, "b").intent, before.intent);
    let rows = world.rows();
    assert_eq!(world.resync().changed, 0);
    assert_eq!(world.rows(), rows);
}

#[test]
fn what_changes_while_it_waits_is_read_whole_whatever_its_version_says() {
    for decisions in 0..5 {
        let mut world = interrupted(decisions);
        world.put(&replica_sets(), &[with(replica_set("c", "eu"), "/spec/replicas", json!(9))]);
        world.put(&clusters(), &[cluster("e1", "elsewhere")]);
        world.pass();
        let found = intents(&world);
        world.resync();
        assert_eq!(found, intents(&world), "{decisions}");
        assert_ne!(found[2], found[1], "{decisions}");
    }
}

#[test]
fn who_waits_while_its_kind_changes_is_read_whole() {
    for decisions in 0..5 {
        let mut world = interrupted(decisions);
        let before = intents(&world);
        let pruned = Kind { prune: vec!["/spec/replicas".into()], ..replica_sets() };
        world.declare(vec![clusters(), pruned.clone(), deployments(), config_maps()]);
        world.replace(&pruned, &NAMES.map(|name| replica_set(name, "eu")));
        world.pass();
        let found = intents(&world);
        world.resync();
        assert_eq!(found, intents(&world), "{decisions}");
        assert_ne!(found, before, "{decisions}");
    }
}

#[derive(Clone, Debug)]
enum TwinStep {
    Any(Step),
    /// The sidecar writes what the row says.
    Repair {
        name: u8,
    },
    /// Other content under the version that there is.
    Content {
        name: u8,
        replicas: u8,
    },
    /// Another object of the name.
    Another {
        name: u8,
        region: u8,
    },
    Opinion,
}

fn twin_step() -> impl Strategy<Value = TwinStep> {
    prop_oneof![
        12 => step().prop_map(TwinStep::Any),
        5 => (0..6u8).prop_map(|name| TwinStep::Repair { name }),
        1 => (0..6u8, 0..3u8).prop_map(|(name, replicas)| TwinStep::Content { name, replicas }),
        1 => (0..6u8, 0..3u8).prop_map(|(name, region)| TwinStep::Another { name, region }),
        1 => Just(TwinStep::Opinion),
    ]
}

/// Two reconcilers of one store that do the same, one after the other: one of them has no room for
/// any class, and so reads all of each object.
struct Twins {
    run: Run,
    whole: Reconciler,
}

impl Twins {
    fn new() -> Self {
        let mut run = Run::new();
        let whole = Config { classes: Classes::new(1), ..config() };
        let mut whole = Reconciler::new(Arc::clone(&run.world.store.load().epoch), Arc::new(whole));
        (run.world.reconciler.threads, whole.threads) = (1, 1);
        Self { run, whole }
    }

    fn take(&mut self, step: &TwinStep) {
        match step {
            TwinStep::Any(Step::Pass { decisions }) => self.pass(Trigger::Published, *decisions),
            TwinStep::Any(Step::Resync) => self.pass(Trigger::Resync, usize::MAX),
            TwinStep::Any(step) => self.run.take(step),
            TwinStep::Repair { name } => self.repair(&format!("o{name}")),
            TwinStep::Content { name, replicas } => self.put(&format!("o{name}"), "/spec/replicas", json!(replicas)),
            TwinStep::Another { name, region } => {
                let object = replica_set(&format!("o{name}"), &format!("r{region}"));
                let uid = json!(format!("uid-{name}-{}", self.run.next_version()));
                self.run.world.put(&replica_sets(), &[with(object, "/metadata/uid", uid)]);
            }
            TwinStep::Opinion => self.run.world.policy(OPINION),
        }
    }

    /// Replicates an object again, with another value at a pointer.
    fn put(&self, name: &str, pointer: &str, value: serde_json::Value) {
        if let Some(object) = self.stored(name) {
            self.run.world.put(&replica_sets(), &[with(object, pointer, value)]);
        }
    }

    fn repair(&self, name: &str) {
        let is_there = self.rows(&self.run.world.reconciler).iter().any(|row| row.name == name);
        if let Some(object) = self.stored(name).filter(|_| is_there) {
            self.run.world.repair(&replica_sets(), &object);
        }
    }

    fn stored(&self, name: &str) -> Option<serde_json::Value> {
        let snapshot = self.run.world.store.load();
        let kind = snapshot.state.kind(&replica_sets().gvr)?;
        let (_, leaf) = snapshot.state.objects(kind).find(|(object, _)| object.name == name)?;
        let object = with(serde_json::from_slice(&leaf.json).ok()?, "/metadata/uid", json!(leaf.uid));
        Some(with(object, "/metadata/resourceVersion", json!(leaf.resource_version)))
    }

    fn pass(&mut self, trigger: Trigger, decisions: usize) {
        let snapshot = self.run.world.store.load();
        for reconciler in [&mut self.run.world.reconciler, &mut self.whole] {
            let asked = AtomicUsize::new(0);
            reconciler.pass(&snapshot, trigger, &|| asked.fetch_add(1, Ordering::Relaxed) >= decisions);
        }
    }

    fn rows(&self, reconciler: &Reconciler) -> Vec<Placement> {
        reconciler.table().list(&Filter::default()).items
    }

    /// The rows and what is remembered of their objects.
    fn known(&self, reconciler: &Reconciler) -> Vec<(Placement, Option<Last>)> {
        self.rows(reconciler).into_iter().map(|row| (row.clone(), reconciler.table().last(&row.uid))).collect()
    }
}

/// Whoever is asked first after the policies changed counts the changes that policy reads, as all others do.
#[test]
fn how_many_clusters_moved_it_is_the_same_for_whoever_is_asked_first() {
    use Step::{Pass, Policy, Put, PutCluster, Remove};
    let mut twins = Twins::new();
    let (put, put_cluster) = (|name| Put { name, region: 0 }, |name, region| PutCluster { name, region });
    let before = [put(2), put_cluster(2, 1), put(0), Pass { decisions: 1 }, put(0)].map(TwinStep::Any);
    let between = [put(2), Policy { which: 1 }, put_cluster(0, 0), put_cluster(2, 1), Policy { which: 0 }].map(TwinStep::Any);
    let after = [TwinStep::Repair { name: 2 }, TwinStep::Any(Remove { name: 3 }), TwinStep::Any(Pass { decisions: 1 })];
    let another = [TwinStep::Another { name: 3, region: 0 }];
    before.iter().chain(&another).chain(&between).chain(&after).for_each(|step| twins.take(step));
    let [ours, whole] = [&twins.run.world.reconciler, &twins.whole].map(|reconciler| twins.known(reconciler));
    assert_eq!(ours, whole);
    let moved = ours.into_iter().find(|(row, _)| row.name == "o2").and_then(|(row, _)| row.moves).unwrap();
    assert!(matches!(&moved.cause, Cause::Data { name, others: 0, .. } if name == "c0"), "{moved:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn who_is_skimmed_is_decided_as_if_read_whole(steps in prop::collection::vec(twin_step(), 1..60)) {
        let mut twins = Twins::new();
        for step in &steps {
            twins.take(step);
            prop_assert_eq!(twins.known(&twins.run.world.reconciler), twins.known(&twins.whole));
        }
    }
}
