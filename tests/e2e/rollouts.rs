//! Rollouts by the real deployment controller: what Plimsoll does for tenants' sake must not be in its way.

use serde_json::{Value as Json, json};

use super::policies;
use super::support::controller_manager::ControllerManager;
use super::support::eventually::eventually;
use super::support::fixtures::{APPLIED, DEPLOYMENT_PREFERENCES, PREFERENCES, annotated, annotation, deployment};
use super::support::world::{Server, Setup, World};

scenarios! {
    both: ;
    real: rollouts_go_on_while_the_mirror_stands_and_nothing_of_theirs_is_placed,
        a_rollout_that_is_undone_is_placed_as_policy_says_now;
}

const DEPLOYMENTS: usize = 20;
const ROLLOUTS: usize = 10;

fn world(on: Server) -> Option<(World, ControllerManager)> {
    let world = World::start(on, &Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() })?;
    let controllers = ControllerManager::start(&world.kubectl, world.directory())?;
    Some((world, controllers))
}

/// A deployment whose annotations, which are copied to its ReplicaSets, ask for PCI: these would be placed, were they decided.
fn pci_deployment(name: &str, version: usize) -> Json {
    let mut object = annotated(deployment(name), "requires-pci", "true");
    // Without pods, which nothing would run, a rollout is over when its ReplicaSet is there.
    object["spec"]["replicas"] = json!(0);
    object["spec"]["revisionHistoryLimit"] = json!(ROLLOUTS + 1);
    object["spec"]["template"]["spec"]["containers"][0]["image"] = format!("registry.example/shop:{version}").into();
    object
}

fn await_replica_sets(world: &World, count: usize) -> Vec<Json> {
    eventually("every rollout has its ReplicaSet", || {
        let sets = world.get("replicasets")["items"].as_array().cloned().unwrap_or_default();
        if sets.len() == count { Ok(sets) } else { Err(sets.len()) }
    })
}

fn rollouts_go_on_while_the_mirror_stands_and_nothing_of_theirs_is_placed(on: Server) {
    let Some((world, _controllers)) = world(on) else { return };
    let mirror = world.sidecars[0].suspend();
    for version in 0..ROLLOUTS {
        let items: Vec<Json> = (0..DEPLOYMENTS).map(|number| pci_deployment(&format!("shop-{number}"), version)).collect();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
        world.kubectl.try_run_with(&["apply", "-n", &world.namespace, "-f", "-"], &list).unwrap();
        await_replica_sets(&world, DEPLOYMENTS * (version + 1));
    }
    let sets = await_replica_sets(&world, DEPLOYMENTS * ROLLOUTS);
    assert!(sets.iter().all(|set| annotation(set, PREFERENCES).is_none()), "a child is not placed itself");
    assert!(sets.iter().all(|set| annotation(set, "requires-pci").is_some()), "though it asks for what policy decides");
    drop(mirror);
    eventually("the sweep has seen all", || {
        let rows: Vec<Json> = world.engine.placements();
        let own = rows.iter().filter(|row| row["namespace"] == world.namespace.as_str());
        let own: Vec<&Json> = own.filter(|row| row["kind"] == "ReplicaSet").collect();
        let mirrored = world.engine.sample("plimsoll_state_objects", "kind=\"apps/v1/replicasets\"");
        if own.is_empty() && mirrored >= 200.0 { Ok(()) } else { Err((own.len(), mirrored)) }
    });
    world.await_two_passes();
    let sets = await_replica_sets(&world, DEPLOYMENTS * ROLLOUTS);
    assert!(sets.iter().all(|set| annotation(set, PREFERENCES).is_none()), "nor afterwards");
}

fn a_rollout_that_is_undone_is_placed_as_policy_says_now(on: Server) {
    let Some((world, _controllers)) = world(on) else { return };
    let apply = |version: usize| {
        let object = pci_deployment("shop", version).to_string();
        world.kubectl.try_run_with(&["apply", "-n", &world.namespace, "-f", "-"], &object).unwrap();
        await_replica_sets(&world, version + 1);
    };
    apply(0);
    world.await_clusters("deployment/shop", DEPLOYMENT_PREFERENCES, &["alpha"]);
    let old = await_replica_sets(&world, 1);
    eventually("the copy of the placement is on the ReplicaSet", || {
        let copy = &world.get("replicasets")["items"][0];
        if annotation(copy, APPLIED).is_some() { Ok(()) } else { Err(old.len()) }
    });
    world.certify("beta", true);
    world.await_clusters("deployment/shop", DEPLOYMENT_PREFERENCES, &["alpha", "beta"]);
    apply(1);
    world.kubectl.run(&["rollout", "undo", "-n", &world.namespace, "deployment/shop", "--to-revision=1"]);
    let undone = world.get("deployment/shop");
    let image = &undone["spec"]["template"]["spec"]["containers"][0]["image"];
    assert_eq!(image, "registry.example/shop:0", "undone");
    world.await_clusters("deployment/shop", DEPLOYMENT_PREFERENCES, &["alpha", "beta"]);
    let row = eventually("decided", || world.engine.find_placement(&world.namespace, "shop"));
    assert!(row.get("unproven").is_none(), "{row}");
}
