//! What happens when one of the processes goes away.

use super::policies;
use super::support::eventually::{eventually, until};
use super::support::fixtures::{PREFERENCES, annotation, clusters_in, pci_replica_set};
use super::support::sidecar::Sidecar;
use super::support::world::{Server, Setup, World};

scenarios! {
    both: t10_a_restarted_engine_is_not_ready_before_it_is_loaded_and_changes_nothing,
        an_engine_without_its_source_never_decides_as_if_the_fleet_were_empty,
        a_second_sidecar_finishes_the_sweep_of_one_that_was_killed,
        of_two_sidecars_of_one_engine_one_writes,
        a_source_that_is_deleted_under_its_sidecar_comes_back,
        sigterm_ends_the_engine_in_order;
    real: t11_of_two_replicas_one_writes_and_the_other_takes_over,
        a_policy_that_breaks_over_a_restart_gives_way_to_the_last_good_one,
        t11_a_sidecar_that_wakes_after_its_term_sends_no_write;
}

const PCI: &[(&str, &str)] = &[("pci.rego", policies::PCI)];

fn t10_a_restarted_engine_is_not_ready_before_it_is_loaded_and_changes_nothing(on: Server) {
    let Some(mut world) = World::start(on, &Setup { policies: PCI, ..Setup::default() }) else { return };
    world.create(&pci_replica_set("web"));
    world.await_settled();
    let before = (world.versions(), world.patches());
    let epoch = world.engine.status()["epoch"].clone();

    world.engine.kill();
    let refused = world.try_create(&pci_replica_set("meanwhile")).unwrap_err();
    assert!(refused.contains(world.closes()), "it fails closed: {refused}");
    world.engine.start();
    assert_ne!(world.engine.status()["epoch"], epoch);
    world.engine.await_ready();
    let loaded = world.engine.status();
    let kinds = loaded.pointer("/sources/kubernetes/kinds").unwrap().as_array().unwrap();
    assert!(kinds.iter().all(|kind| kind["loaded"] == true), "ready means loaded: {loaded}");
    world.await_two_passes();
    assert_eq!((world.versions(), world.patches()), before);

    world.certify("beta", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
}

fn an_engine_without_its_source_never_decides_as_if_the_fleet_were_empty(on: Server) {
    let Some(mut world) = World::prepare(on, &Setup { policies: PCI, ..Setup::default() }) else { return };
    world.engine.start();
    world.connect();
    let reasons = world.engine.ready().unwrap_err();
    assert!(reasons.contains("kubernetes"), "the missing source is named: {reasons}");
    let refused = world.try_create(&pci_replica_set("web")).unwrap_err();
    assert!(refused.contains(world.closes()), "{refused}");

    world.add_sidecar();
    world.engine.await_ready();
    world.create(&pci_replica_set("web"));
    assert_eq!(clusters_in(&world.get("rs/web"), PREFERENCES).unwrap(), ["alpha"]);
}

fn a_second_sidecar_finishes_the_sweep_of_one_that_was_killed(on: Server) {
    // Slow enough to be killed in the middle.
    let sidecar = "budget: {writesPerSecond: 10, burst: 1, inFlight: 1}";
    let Some(mut world) = World::start(on, &Setup { policies: PCI, sidecar, ..Setup::default() }) else { return };
    for number in 0..20 {
        world.create(&pci_replica_set(&format!("web-{number}")));
    }
    world.await_settled();
    world.certify("beta", true);
    eventually("the sweep has begun", || if world.patches() >= 3.0 { Ok(()) } else { Err(world.patches()) });
    world.sidecars.remove(0).kill();
    let done = |world: &World| {
        let list = world.get("replicasets");
        let items = list["items"].as_array().unwrap();
        items.iter().filter(|object| annotation(object, PREFERENCES).is_some_and(|value| value.contains("beta"))).count()
    };
    assert!(done(&world) < 20, "killed in the middle");

    world.add_sidecar();
    until("all are repaired", || done(&world), |done| *done == 20);
    world.await_settled();
    let before = (world.versions(), world.patches());
    world.await_two_passes();
    assert_eq!((world.versions(), world.patches()), before);
}

fn leaders(world: &World) -> Vec<bool> {
    world.sidecars.iter().map(Sidecar::leads).collect()
}

fn t11_of_two_replicas_one_writes_and_the_other_takes_over(on: Server) {
    let setup = Setup { policies: PCI, ..Setup::default() };
    let Some(mut world) = World::start(on, &setup) else { return };
    until("the first leads", || leaders(&world), |leaders| leaders == &[true]);
    let second = world.add_replica(&setup);
    world.create(&pci_replica_set("web"));
    world.certify("beta", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
    world.await_settled();
    assert_eq!(leaders(&world), [true, false]);
    assert_eq!((world.sidecars[0].patches(), world.sidecars[1].patches()), (1.0, 0.0));

    // An orderly end gives the lease back at once. The Service no longer sends reviews to a pod that has gone.
    assert_eq!(world.sidecars.remove(0).stop(), Some(0));
    world.engine = second;
    world.connect();
    until("the second leads", || leaders(&world), |leaders| leaders == &[true]);
    world.certify("gamma", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta", "gamma"]);
}

fn a_policy_that_breaks_over_a_restart_gives_way_to_the_last_good_one(on: Server) {
    let state = tempfile::tempdir().unwrap();
    let option = format!("--state-dir={}", state.path().display());
    let setup = Setup { policies: PCI, engine: &[&option], ..Setup::default() };
    let Some(mut world) = World::start(on, &setup) else { return };
    world.create(&pci_replica_set("web"));
    world.await_settled();
    let status = eventually("the engine knows by what the Lease's holder places", || {
        let status = world.engine.status();
        let leader = &status["sources"]["kubernetes"]["leader"];
        if leader["policy"] == status["digest"] { Ok(status) } else { Err(leader.clone()) }
    });
    let kept = || world.engine.sample("plimsoll_last_good_total", "result=\"written\"");
    until("policies are on disk", kept, |kept| *kept >= 1.0);
    let before = world.versions()["web"].clone();

    world.engine.kill();
    world.policies.mount(&[("pci.rego", "package kubernetes.placement\nplacement := := 1\n")]);
    world.engine.start();
    world.engine.await_ready();
    let restarted = world.engine.status();
    assert_eq!(restarted["digest"], status["digest"]);
    assert!(restarted["notes"].to_string().contains("last good one from disk"), "{restarted}");
    world.connect();
    world.create(&pci_replica_set("meanwhile"));
    assert_eq!(clusters_in(&world.get("rs/meanwhile"), PREFERENCES).unwrap(), ["alpha"]);

    // All of it at once, and nobody is left to hold the Lease: it still says what was in force.
    world.engine.kill();
    world.sidecars.remove(0).kill();
    world.engine.start();
    until("the reason is told", || world.engine.ready().unwrap_err(), |reasons| reasons.contains("Lease holder's digest"));
    world.add_sidecar();
    world.engine.await_ready();
    world.await_two_passes();
    assert_eq!(world.versions()["web"], before);
}

fn t11_a_sidecar_that_wakes_after_its_term_sends_no_write(on: Server) {
    let sidecar = "budget: {writesPerSecond: 1, burst: 1, inFlight: 1}";
    let Some(mut world) = World::prepare(on, &Setup { policies: PCI, sidecar, ..Setup::default() }) else { return };
    let config = world.directory().join("sync.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    let quick = text.replace("name: plimsoll}", "name: plimsoll, duration: 3s, renewDeadline: 2s, retryPeriod: 500ms}");
    assert_ne!(quick, text);
    std::fs::write(&config, quick).unwrap();
    world.engine.start();
    world.add_sidecar();
    world.engine.await_ready();
    world.connect();
    for number in 0..8 {
        world.create(&pci_replica_set(&format!("web-{number}")));
    }
    world.await_settled();
    world.certify("beta", true);
    until("the repair has begun", || world.patches(), |patches| *patches >= 2.0);

    let stopped = world.sidecars[0].suspend();
    world.add_sidecar();
    until("the second leads", || world.sidecars[1].leads(), |leads| *leads);
    until("the second writes", || world.sidecars[1].patches(), |patches| *patches >= 1.0);
    drop(stopped);
    let sent = || {
        let ended = |end: &str| world.sidecars[0].sample("plimsoll_sidecar_writes_total", &format!("result=\"{end}\""));
        // An object is written twice, or in vain.
        ended("patched") + ended("conflict")
    };
    let answered = || until("the first one answers", sent, |sent| *sent > 0.0);
    let before = answered();
    for name in (0..8).map(|number| format!("rs/web-{number}")) {
        world.await_clusters(&name, PREFERENCES, &["alpha", "beta"]);
    }
    assert_eq!((answered(), world.sidecars[0].leads(), world.sidecars[1].leads()), (before, false, true));
}

fn of_two_sidecars_of_one_engine_one_writes(on: Server) {
    let Some(mut world) = World::start(on, &Setup { policies: PCI, ..Setup::default() }) else { return };
    until("the first leads", || leaders(&world), |leaders| leaders == &[true]);
    world.add_sidecar();
    world.create(&pci_replica_set("web"));
    world.certify("beta", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
    world.await_settled();
    assert_eq!(world.patches(), 1.0, "together");
}

fn a_source_that_is_deleted_under_its_sidecar_comes_back(on: Server) {
    let Some(world) = World::start(on, &Setup { policies: PCI, ..Setup::default() }) else { return };
    world.create(&pci_replica_set("web"));
    world.await_settled();
    let before = (world.versions(), world.patches());
    world.engine.delete_source();
    let refused = world.try_create(&pci_replica_set("meanwhile")).unwrap_err();
    assert!(refused.contains(world.closes()), "{refused}");
    // Its next sync is answered 409.
    world.engine.await_ready();
    world.await_two_passes();
    assert_eq!((world.versions(), world.patches()), before);
    world.certify("beta", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
}

fn sigterm_ends_the_engine_in_order(on: Server) {
    let setup = Setup { policies: PCI, engine: &["--shutdown-delay=1s"], ..Setup::default() };
    let Some(mut world) = World::start(on, &setup) else { return };
    assert_eq!(world.engine.stop(), Some(0));
}
