//! The last suitable cluster goes away, and objects that policy would no longer admit: nothing spreads, nothing is
//! trapped.

use serde_json::{Value as Json, json};

use super::policies;
use super::support::api_server::POLICY_NAMESPACE;
use super::support::eventually::{eventually, until};
use super::support::fixtures::{
    PREFERENCES, annotation, clusters_in, deployment, pci_replica_set, replica_set, resource_version,
};
use super::support::world::{Server, Setup, World};

scenarios! {
    both: the_shipped_style_says_nowhere_when_the_last_cluster_goes,
        the_silent_style_keeps_the_placement_and_says_so,
        the_silent_style_keeps_the_placement_across_a_restart_of_the_engine,
        what_policy_would_now_deny_can_be_scaled_finalised_and_deleted,
        an_existing_object_that_becomes_denied_keeps_its_placement,
        a_policy_that_comes_back_in_time_moves_nothing,
        a_policy_that_stays_away_lets_go_in_time,
        t7_a_value_that_the_planner_could_not_read_is_never_written;
    real: ;
}

fn the_shipped_style_says_nowhere_when_the_last_cluster_goes(on: Server) {
    let setup = Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() };
    let Some(world) = World::start(on, &setup) else { return };
    world.create(&pci_replica_set("web"));
    world.certify("alpha", false);
    world.await_clusters("rs/web", PREFERENCES, &[]);
    assert_eq!(world.engine.placement(&world.namespace, "web")["outcome"], "nowhere");
}

fn the_silent_style_keeps_the_placement_and_says_so(on: Server) {
    let setup = Setup { policies: &[("pci.rego", policies::PCI_IF_ANY)], ..Setup::default() };
    let Some(world) = World::start(on, &setup) else { return };
    world.create(&pci_replica_set("web"));
    let before = world.get("rs/web");
    assert_eq!(clusters_in(&before, PREFERENCES).unwrap(), ["alpha"]);

    world.certify("alpha", false);
    world.await_event(&world.namespace, "rs/web", "PlacementKept");
    world.await_two_passes();
    let after = world.get("rs/web");
    assert_eq!(resource_version(&after), resource_version(&before), "kept, not spread everywhere");
    let row = world.engine.placement(&world.namespace, "web");
    assert_eq!((&row["outcome"], &row["kept"]), (&json!("noOpinion"), &json!(true)));
}

fn the_silent_style_keeps_the_placement_across_a_restart_of_the_engine(on: Server) {
    let setup = Setup { policies: &[("pci.rego", policies::PCI_IF_ANY)], ..Setup::default() };
    let Some(mut world) = World::start(on, &setup) else { return };
    world.create(&pci_replica_set("web"));
    let before = world.versions();
    world.engine.kill();
    world.certify("alpha", false);
    world.engine.start();
    world.engine.await_ready();
    world.await_two_passes();
    assert_eq!(world.versions(), before);
}

fn what_policy_would_now_deny_can_be_scaled_finalised_and_deleted(on: Server) {
    let Some(mut world) = World::start(on, &Setup::default()) else { return };
    let mut shop = deployment("shop");
    shop["metadata"]["finalizers"] = json!(["example.io/guard"]);
    shop["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/shop:latest".into();
    world.create(&shop);

    world.policies.mount(&[("latest.rego", policies::NO_LATEST)]);
    let events = world.await_event(&world.namespace, "deployment/shop", "PlacementDenied");
    assert!(events.contains("Warning") && events.contains("container main"), "{events}");
    let refused = world.kubectl.try_run(&["set", "env", "-n", &world.namespace, "deployment/shop", "A=b"]).unwrap_err();
    assert!(refused.contains("reason(s):"), "a change of the spec is a new request: {refused}");

    let namespace = world.namespace.as_str();
    world.kubectl.run(&["scale", "-n", namespace, "deployment/shop", "--replicas=1"]);
    let status = r#"{"status":{"replicas":1,"observedGeneration":1}}"#;
    world.kubectl.run(&["patch", "-n", namespace, "deployment/shop", "--subresource=status", "--type=merge", "-p", status]);
    assert_eq!(world.get("deployment/shop")["status"]["replicas"], 1);

    world.kubectl.run(&["delete", "-n", namespace, "deployment/shop", "--wait=false"]);
    assert!(world.get("deployment/shop")["metadata"]["deletionTimestamp"].is_string());
    let finalised = r#"{"metadata":{"finalizers":null}}"#;
    world.kubectl.run(&["patch", "-n", namespace, "deployment/shop", "--type=merge", "-p", finalised]);
    eventually("the object is gone", || match world.kubectl.try_get(namespace, "deployment/shop") {
        Err(_) => Ok(()),
        Ok(object) => Err(object),
    });
}

fn an_existing_object_that_becomes_denied_keeps_its_placement(on: Server) {
    let both = [("pci.rego", policies::PCI), ("latest.rego", policies::NO_LATEST)];
    let Some(mut world) = World::start(on, &Setup { policies: &both[..1], ..Setup::default() }) else { return };
    let mut web = pci_replica_set("web");
    web["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/shop:latest".into();
    world.create(&web);
    let before = world.get("rs/web");
    world.policies.mount(&both);
    world.await_event(&world.namespace, "rs/web", "PlacementDenied");
    world.await_two_passes();
    assert_eq!(resource_version(&world.get("rs/web")), resource_version(&before));
    assert!(annotation(&before, PREFERENCES).is_some());
}

/// One of two policies, of which the other says nothing of the object.
fn policy_config_map(name: &str, text: &str) -> Json {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": POLICY_NAMESPACE, "labels": {"openpolicyagent.org/policy": "rego"}},
        "data": {"policy.rego": text},
    })
}

fn placed_by_a_config_map(on: Server, engine: &[&str]) -> Option<World> {
    let setup = Setup { sidecar: "policySelector: openpolicyagent.org/policy=rego", engine, ..Setup::default() };
    let world = World::start(on, &setup)?;
    world.kubectl.create(&policy_config_map("selector", policies::SELECTOR));
    world.kubectl.create(&policy_config_map("pci", policies::PCI));
    world.create(&pci_replica_set("web"));
    world.await_clusters("rs/web", PREFERENCES, &["alpha"]);
    world.await_settled();
    Some(world)
}

fn a_policy_that_comes_back_in_time_moves_nothing(on: Server) {
    let Some(world) = placed_by_a_config_map(on, &["--letting-go-after=1h"]) else { return };
    let before = world.versions();
    let delete = ["delete", "configmap", "pci", "-n", POLICY_NAMESPACE];
    world.kubectl.run(&delete);
    let row = || world.engine.placement(&world.namespace, "web");
    let waiting = until("it waits", row, |row| row["lettingGo"] == true);
    assert_eq!((&waiting["outcome"], &waiting["kept"], &waiting["patch"]), (&json!("noOpinion"), &json!(true), &Json::Null));
    world.await_event(&world.namespace, "rs/web", "PlacementKept");
    world.await_two_passes();
    world.kubectl.create(&policy_config_map("pci", policies::PCI));
    until("it is placed as before", row, |row| row["outcome"] == "place" && row["lettingGo"].is_null());
    world.await_settled();
    world.await_two_passes();
    assert_eq!(world.versions(), before);

    // What changes meanwhile keeps its placement.
    world.kubectl.run(&delete);
    until("it waits", row, |row| row["lettingGo"] == true);
    world.kubectl.run(&["label", "-n", &world.namespace, "rs/web", "changed=meanwhile"]);
    assert_eq!(clusters_in(&world.get("rs/web"), PREFERENCES).unwrap(), ["alpha"]);
}

fn a_policy_that_stays_away_lets_go_in_time(on: Server) {
    let Some(world) = placed_by_a_config_map(on, &["--letting-go-after=2s", "--resync=1h"]) else { return };
    world.kubectl.run(&["delete", "configmap", "pci", "-n", POLICY_NAMESPACE]);
    until("let go", || world.get("rs/web"), |web| annotation(web, PREFERENCES).is_none());
    world.await_settled();
}

fn t7_a_value_that_the_planner_could_not_read_is_never_written(on: Server) {
    let Some(mut world) = World::start(on, &Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() }) else {
        return;
    };
    world.create(&pci_replica_set("web"));
    let before = world.versions();
    let half = policies::PCI.replace("\"weight\": 1", "\"weight\": 0.5");
    world.policies.mount(&[("pci.rego", &half)]);
    let row = until("invalid", || world.engine.placement(&world.namespace, "web"), |row| row["reason"] == "invalid");
    assert!(row["message"].as_str().unwrap().contains("pci.rego"), "the rule is named: {row}");
    world.await_two_passes();
    assert_eq!(world.versions(), before);
    let refused = world.try_create(&pci_replica_set("late")).unwrap_err();
    assert!(refused.contains("0.5"), "{refused}");
    world.create(&replica_set("free"));
}
