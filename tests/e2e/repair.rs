//! What happens to objects that exist when the fleet changes.

use super::policies;
use super::support::deployment as manifests;
use super::support::eventually::{eventually, until};
use super::support::fixtures::{
    HOLD, JOB_PLACEMENT, PREFERENCES, annotated, annotation, clusters_in, federated_job, pci_replica_set, replica_set,
};
use super::support::world::{KINDS, Server, Setup, World};

scenarios! {
    both: a_cluster_that_loses_its_certificate_loses_the_workload,
        t4_a_settled_fleet_is_never_written_again,
        t6_a_heartbeat_of_a_cluster_moves_nothing,
        modes_off_and_suggest_write_nothing_and_suggest_says_so,
        hold_stops_repair_and_not_admission,
        t5_intent_survives_narrowing_and_widening,
        a_patch_by_hand_is_repaired_through_admission,
        a_kind_that_appears_late_is_loaded_and_placed;
    real: ;
}

const PCI: Setup<'static> = Setup {
    policies: &[("pci.rego", policies::PCI)],
    clusters: &[("alpha", true), ("beta", false), ("gamma", false)],
    kinds: KINDS,
    engine: &[],
    sidecar: "",
};

fn a_cluster_that_loses_its_certificate_loses_the_workload(on: Server) {
    let Some(world) = World::start(on, &PCI) else { return };
    world.certify("beta", true);
    until("beta is known", || world.engine.status()["revision"].clone(), |revision| !revision.is_null());
    world.create(&pci_replica_set("web"));
    world.create(&replica_set("free"));
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
    let free = world.versions()["free"].clone();

    world.certify("alpha", false);
    world.await_clusters("rs/web", PREFERENCES, &["beta"]);
    world.await_settled();
    assert_eq!(world.versions()["free"], free, "what no decision is about is not touched");
    world.await_event(&world.namespace, "rs/web", "PlacementUpdated");
}

fn t4_a_settled_fleet_is_never_written_again(on: Server) {
    let Some(world) = World::start(on, &PCI) else { return };
    for number in 0..10 {
        world.create(&pci_replica_set(&format!("web-{number}")));
    }
    world.certify("gamma", true);
    world.await_clusters("rs/web-9", PREFERENCES, &["alpha", "gamma"]);
    world.await_settled();
    let (versions, patches) = (world.versions(), world.patches());
    assert_eq!(patches, 10.0, "one patch each, and none for the patches themselves");
    world.await_two_passes();
    assert_eq!((world.versions(), world.patches()), (versions, patches));
}

fn t6_a_heartbeat_of_a_cluster_moves_nothing(on: Server) {
    let Some(world) = World::start(on, &PCI) else { return };
    world.create(&pci_replica_set("web"));
    world.await_settled();
    let before = (world.versions(), world.patches());
    let status = r#"{"status":{"kubernetesVersion":"v1.36.3","conditions":[{"type":"Ready","status":"True","reason":"Ok","message":"ok","lastTransitionTime":"2026-11-21T00:00:00Z"}]}}"#;
    world.kubectl.run(&["patch", manifests::FLEET, "alpha", "--subresource=status", "--type=merge", "-p", status]);
    world.await_two_passes();
    assert_eq!((world.versions(), world.patches()), before);
}

fn modes_off_and_suggest_write_nothing_and_suggest_says_so(on: Server) {
    let kinds = "
  - {gvr: apps/v1/replicasets, place: true, mode: suggest}
  - {gvr: apps/v1/deployments, place: true, mode: 'off'}";
    let Some(world) = World::start(on, &Setup { kinds, ..PCI }) else { return };
    world.create(&pci_replica_set("web"));
    let mut shop = super::support::fixtures::deployment("shop");
    shop["metadata"]["annotations"] = serde_json::json!({"requires-pci": "true"});
    world.create(&shop);
    let before = (world.get("rs/web"), world.get("deployment/shop"));

    world.certify("beta", true);
    world.await_event(&world.namespace, "rs/web", "PlacementSuggested");
    let row = world.engine.placement(&world.namespace, "web");
    assert!(row["patch"][PREFERENCES].as_str().unwrap().contains("beta"), "{row}");
    world.await_two_passes();
    assert_eq!((world.get("rs/web"), world.get("deployment/shop")), before);
    assert_eq!(world.patches(), 0.0);
}

fn hold_stops_repair_and_not_admission(on: Server) {
    let Some(world) = World::start(on, &Setup { engine: &["--hold=anyone"], ..PCI }) else { return };
    world.create(&annotated(pci_replica_set("held"), HOLD, "true"));
    world.create(&pci_replica_set("web"));
    assert_eq!(clusters_in(&world.get("rs/held"), PREFERENCES).unwrap(), ["alpha"], "admission decides");

    world.certify("beta", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
    world.await_two_passes();
    assert_eq!(clusters_in(&world.get("rs/held"), PREFERENCES).unwrap(), ["alpha"]);

    world.kubectl.run(&["annotate", "-n", &world.namespace, "rs/held", &format!("{HOLD}-")]);
    world.await_clusters("rs/held", PREFERENCES, &["alpha", "beta"]);
}

fn t5_intent_survives_narrowing_and_widening(on: Server) {
    let Some(world) = World::start(on, &PCI) else { return };
    let own = r#"{"clusters":{"*":{"weight":1}}}"#;
    world.create(&annotated(pci_replica_set("web"), PREFERENCES, own));
    world.await_clusters("rs/web", PREFERENCES, &["alpha"]);
    world.certify("gamma", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "gamma"]);
    // The developer no longer asks for PCI: policy has no opinion, and their own wish is back.
    world.kubectl.run(&["annotate", "-n", &world.namespace, "rs/web", "requires-pci-"]);
    let object = world.get("rs/web");
    assert_eq!(annotation(&object, PREFERENCES), Some(own), "{object}");
}

fn a_patch_by_hand_is_repaired_through_admission(on: Server) {
    let Some(world) = World::start(on, &PCI) else { return };
    world.create(&pci_replica_set("web"));
    let everywhere = format!(r#"{PREFERENCES}={{"clusters":{{"*":{{"weight":1}}}}}}"#);
    world.kubectl.run(&["annotate", "--overwrite", "-n", &world.namespace, "rs/web", &everywhere]);
    assert_eq!(clusters_in(&world.get("rs/web"), PREFERENCES).unwrap(), ["alpha"]);
}

fn a_kind_that_appears_late_is_loaded_and_placed(on: Server) {
    let late = format!("batch.example.io/v1/federatedjobs, place: true, mode: auto, required: false, target: {JOB_PLACEMENT}");
    let kinds = format!("{KINDS}\n  - {{gvr: {late}}}");
    let Some(world) = World::start(on, &Setup { kinds: &kinds, ..PCI }) else { return };
    let status = world.engine.status().to_string();
    assert!(status.contains("batch.example.io/v1/federatedjobs"), "a kind that is not served is named: {status}");

    manifests::create_kind(&world.kubectl, "federatedjobs.batch.example.io");
    eventually("the new kind is placed", || {
        let name = super::support::fixtures::unique("report");
        let created = world.try_create(&federated_job(&name));
        // Until the kind is known, its objects may be refused.
        let object = world.kubectl.try_get(&world.namespace, &format!("federatedjobs/{name}"));
        let placed = object.as_ref().is_ok_and(|object| clusters_in(object, JOB_PLACEMENT).is_some());
        if placed { Ok(()) } else { Err((created, object)) }
    });
    world.certify("beta", true);
    eventually("the new kind is repaired", || {
        let jobs = world.get("federatedjobs");
        let all = |expected: &[&str]| {
            let items = jobs["items"].as_array().unwrap();
            items.iter().all(|job| clusters_in(job, JOB_PLACEMENT).is_some_and(|clusters| clusters == expected))
        };
        if all(&["alpha", "beta"]) { Ok(()) } else { Err(jobs.clone()) }
    });
}
