//! After any changes, swept in any steps, the table is what a sweep from nothing makes of the last snapshot; and a reader
//! that followed the events knows every row.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plimsoll_contract::kind::{Kind, Mode};
use plimsoll_contract::moves::Cause;
use plimsoll_contract::placement::{Placement, PlacementEvent};
use proptest::prelude::*;
use serde_json::json;

use super::confirmed::OWN;
use super::world::{REGION, World, cluster, clusters, config, config_maps, deployments, replica_set, replica_sets, with};
use crate::placements::{Filter, Reconciler, Trigger};

#[derive(Clone, Debug)]
pub(super) enum Step {
    Put { name: u8, region: u8 },
    Remove { name: u8 },
    PutCluster { name: u8, region: u8 },
    RemoveCluster { name: u8 },
    PutUnread { name: u8 },
    Policy { which: usize },
    Mode { mode: u8 },
    Pass { decisions: usize },
    Resync,
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..6u8, 0..3u8).prop_map(|(name, region)| Step::Put { name, region }),
        2 => (0..6u8).prop_map(|name| Step::Remove { name }),
        3 => (0..4u8, 0..3u8).prop_map(|(name, region)| Step::PutCluster { name, region }),
        2 => (0..4u8).prop_map(|name| Step::RemoveCluster { name }),
        1 => (0..2u8).prop_map(|name| Step::PutUnread { name }),
        2 => (0..4usize).prop_map(|which| Step::Policy { which }),
        1 => (0..3u8).prop_map(|mode| Step::Mode { mode }),
        5 => (0..5usize).prop_map(|decisions| Step::Pass { decisions }),
        1 => Just(Step::Resync),
    ]
}

fn policy(which: usize) -> String {
    let first = "package kubernetes.placement\n\nplacement := {\"clusters\": [\"c0\"]}\n";
    let denies = "\nerrors contains \"no\" if input.metadata.labels.region == \"r1\"\n";
    match which {
        0 => REGION.into(),
        1 => first.into(),
        2 => OWN.into(),
        _ => format!("{REGION}{denies}"),
    }
}

pub(super) struct Run {
    pub(super) world: World,
    version: u64,
    seen: BTreeMap<String, Placement>,
    since: u64,
}

impl Run {
    pub(super) fn new() -> Self {
        let world = World::new(&policy(0));
        let since = world.table().list(&Filter::default()).since;
        Self { world, version: 1, seen: BTreeMap::new(), since }
    }

    pub(super) fn next_version(&mut self) -> String {
        self.version += 1;
        self.version.to_string()
    }

    pub(super) fn take(&mut self, step: &Step) {
        let version = json!(self.next_version());
        match step {
            Step::Put { name, region } => {
                let object = replica_set(&format!("o{name}"), &format!("r{region}"));
                self.world.put(&replica_sets(), &[with(object, "/metadata/resourceVersion", version)]);
            }
            Step::Remove { name } => self.world.remove(&replica_sets(), "shop", &format!("o{name}")),
            Step::PutCluster { name, region } => {
                let cluster = cluster(&format!("c{name}"), &format!("r{region}"));
                let owner = json!(format!("o{}", self.version % 7));
                let cluster =
                    if self.version.is_multiple_of(2) { with(cluster, "/metadata/labels/owner", owner) } else { cluster };
                self.world.put(&clusters(), &[with(cluster, "/metadata/resourceVersion", version)]);
            }
            Step::RemoveCluster { name } => self.world.remove(&clusters(), "", &format!("c{name}")),
            Step::PutUnread { name } => {
                let metadata = json!({"name": format!("m{name}"), "namespace": "shop", "uid": "u", "resourceVersion": version});
                self.world.put(&config_maps(), &[json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})]);
            }
            Step::Policy { which } => self.world.policy(&policy(*which)),
            Step::Mode { mode } => self.declare(*mode),
            Step::Pass { decisions } => self.pass(*decisions),
            Step::Resync => drop(self.world.resync()),
        }
        self.follow();
    }

    fn declare(&mut self, mode: u8) {
        let mode = match mode {
            0 => Mode::Off,
            1 => Mode::Suggest,
            _ => Mode::Auto,
        };
        self.world.declare(vec![clusters(), Kind { mode, ..replica_sets() }, deployments(), config_maps()]);
    }

    fn pass(&mut self, decisions: usize) {
        let asked = AtomicUsize::new(0);
        let interrupted = || asked.fetch_add(1, Ordering::Relaxed) >= decisions;
        self.world.reconciler.pass(&self.world.store.load(), Trigger::Published, &interrupted);
    }

    fn follow(&mut self) {
        for event in self.world.table().events_after(self.since).unwrap() {
            match event {
                PlacementEvent::Changed { seq, placement, .. } => {
                    self.since = seq;
                    self.seen.insert(placement.name.clone(), *placement);
                }
                PlacementEvent::Removed { seq, name, .. } => {
                    self.since = seq;
                    self.seen.remove(&name);
                }
                PlacementEvent::Bookmark { .. } => panic!("a bookmark is not stored"),
            }
        }
    }
}

/// What a reader of events cannot know: the revision, and the version where nothing is left to write.
fn comparable(row: Placement) -> Placement {
    let resource_version = if row.patch.is_empty() { String::new() } else { row.resource_version };
    Placement { revision: 0, resource_version, ..row }
}

/// What nothing tells who was not there: what moves an object.
fn uncaused(mut row: Placement) -> Placement {
    if let Some(moves) = &mut row.moves {
        Arc::make_mut(moves).cause = Cause::Unknown;
    }
    row
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn incremental_sweeps_equal_a_sweep_from_nothing(steps in prop::collection::vec(step(), 1..40)) {
        let mut run = Run::new();
        steps.iter().for_each(|step| run.take(step));
        run.pass(usize::MAX);
        run.follow();

        let snapshot = run.world.store.load();
        let mut fresh = Reconciler::new(Arc::clone(&snapshot.epoch), Arc::new(config()));
        fresh.pass(&snapshot, Trigger::Published, &|| false);
        let expected = fresh.table().list(&Filter::default());
        let found = run.world.table().list(&Filter::default());
        prop_assert_eq!(found.revision, snapshot.revision);
        let whatever_moves_it = |rows: &[Placement]| rows.iter().cloned().map(uncaused).collect::<Vec<_>>();
        prop_assert_eq!(whatever_moves_it(&found.items), whatever_moves_it(&expected.items));
        prop_assert_eq!(nonzero(&run.world), nonzero_of(&fresh));
        let intents = |reconciler: &Reconciler| {
            let last = |row: &Placement| Some(reconciler.table().last(&row.uid)?.intent);
            found.items.iter().map(last).collect::<Vec<_>>()
        };
        prop_assert_eq!(intents(&run.world.reconciler), intents(&fresh));

        let seen: Vec<Placement> = run.seen.into_values().map(comparable).collect();
        let rows: Vec<Placement> = found.items.into_iter().map(comparable).collect();
        prop_assert_eq!(seen, rows);
    }
}

fn nonzero(world: &World) -> BTreeMap<&'static str, usize> {
    nonzero_of(&world.reconciler)
}

fn nonzero_of(reconciler: &Reconciler) -> BTreeMap<&'static str, usize> {
    reconciler.table().counts().outcomes.into_iter().filter(|(_, count)| *count > 0).collect()
}
