//! What happens to existing objects when policies change.

use serde_json::json;

use super::policies;
use super::support::api_server::POLICY_NAMESPACE;
use super::support::eventually::{eventually, until};
use super::support::fixtures::{
    APPLIED, PREFERENCES, SELECTOR, annotated, annotation, clusters_in, pci_replica_set, replica_set,
};
use super::support::world::{Server, Setup, World};

scenarios! {
    both: a_changed_policy_file_patches_what_it_affects_and_nothing_else,
        t12_one_of_two_policies_removed_takes_its_annotations_and_brings_originals_back,
        t1_without_any_policy_nothing_is_written_and_that_is_said,
        when_disarmed_release_brings_all_originals_back,
        a_broken_policy_changes_nothing_and_is_reported_with_its_place,
        a_policy_config_map_is_taken_and_says_what_became_of_it,
        t2_policies_can_always_be_repaired_whatever_they_say;
    real: ;
}

const BOTH: &[(&str, &str)] = &[("pci.rego", policies::PCI), ("selector.rego", policies::SELECTOR)];
const OWN_SELECTOR: &str = r#"[{"key":"tier","operator":"exists","values":[]}]"#;

fn critical(name: &str) -> serde_json::Value {
    let mut object = annotated(replica_set(name), SELECTOR, OWN_SELECTOR);
    object["metadata"]["labels"]["critical"] = "true".into();
    object
}

fn a_changed_policy_file_patches_what_it_affects_and_nothing_else(on: Server) {
    let Some(mut world) = World::start(on, &Setup { policies: BOTH, ..Setup::default() }) else { return };
    world.create(&pci_replica_set("web"));
    world.create(&critical("pay"));
    world.create(&replica_set("free"));
    let before = world.versions();

    let changed = policies::PCI.replace("\"weight\": 1", "\"weight\": 7");
    world.policies.mount(&[("pci.rego", &changed), ("selector.rego", policies::SELECTOR)]);
    eventually("the affected object is patched", || {
        let web = world.get("rs/web");
        if annotation(&web, PREFERENCES).is_some_and(|value| value.contains("7")) { Ok(()) } else { Err(web) }
    });
    world.await_settled();
    world.await_two_passes();
    let after = world.versions();
    assert_eq!((&after["free"], &after["pay"]), (&before["free"], &before["pay"]), "resourceVersion unchanged");
    assert_eq!(world.patches(), 1.0);
}

fn t12_one_of_two_policies_removed_takes_its_annotations_and_brings_originals_back(on: Server) {
    let Some(mut world) = World::start(on, &Setup { policies: BOTH, ..Setup::default() }) else { return };
    world.create(&pci_replica_set("web"));
    world.create(&critical("pay"));
    assert!(annotation(&world.get("rs/pay"), SELECTOR).unwrap().contains("eu-west"));
    let web = world.versions()["web"].clone();

    world.policies.mount(&BOTH[..1]);
    let pay = until("the original is back", || world.get("rs/pay"), |pay| annotation(pay, SELECTOR) == Some(OWN_SELECTOR));
    assert_eq!(annotation(&pay, APPLIED), None, "t17: nothing of ours is left");
    world.await_settled();
    assert_eq!(world.versions()["web"], web);
}

fn t1_without_any_policy_nothing_is_written_and_that_is_said(on: Server) {
    let Some(mut world) = World::start(on, &Setup { policies: BOTH, ..Setup::default() }) else { return };
    world.create(&pci_replica_set("web"));
    world.create(&critical("pay"));
    let before = world.versions();

    world.policies.mount(&[]);
    until("disarmed", || world.engine.status(), |status| status["armed"] == false);
    world.engine.await_ready();
    world.await_two_passes();
    assert_eq!(world.versions(), before);
    assert_eq!(world.engine.placement(&world.namespace, "web")["outcome"], "unarmed");
    let said = [world.engine.log(), world.sidecars[0].log()].concat().to_lowercase();
    assert!(said.contains("unarmed") || said.contains("disarmed") || said.contains("not armed"), "{said}");
    // A new object is admitted untouched.
    world.create(&pci_replica_set("late"));
    assert_eq!(annotation(&world.get("rs/late"), PREFERENCES), None);
}

fn when_disarmed_release_brings_all_originals_back(on: Server) {
    let setup = Setup { policies: BOTH, engine: &["--when-disarmed=release"], ..Setup::default() };
    let Some(mut world) = World::start(on, &setup) else { return };
    world.create(&pci_replica_set("web"));
    world.create(&critical("pay"));

    world.policies.mount(&[]);
    let pay = until("the original is back", || world.get("rs/pay"), |pay| annotation(pay, SELECTOR) == Some(OWN_SELECTOR));
    let web = until("released", || world.get("rs/web"), |web| annotation(web, PREFERENCES).is_none());
    assert_eq!((annotation(&pay, APPLIED), annotation(&web, APPLIED)), (None, None));
}

fn a_broken_policy_changes_nothing_and_is_reported_with_its_place(on: Server) {
    let Some(mut world) = World::start(on, &Setup { policies: BOTH, ..Setup::default() }) else { return };
    world.create(&pci_replica_set("web"));
    let before = world.versions();

    world.policies.mount(&[("pci.rego", "package kubernetes.placement\n\nplacement := {"), BOTH[1]]);
    let status = until("reported", || world.engine.status(), |status| status.pointer("/policies/files/errors/0").is_some());
    let error = &status["policies"]["files"]["errors"][0];
    assert!(error["location"]["file"].as_str().unwrap().ends_with("pci.rego"), "{error}");
    assert!(error["location"]["row"].as_u64().unwrap() >= 3, "{error}");
    world.engine.await_ready();
    world.create(&pci_replica_set("late"));
    assert_eq!(clusters_in(&world.get("rs/late"), PREFERENCES).unwrap(), ["alpha"], "the last good set decides");
    assert_eq!(world.versions()["web"], before["web"]);
}

fn policy_config_map(name: &str, text: &str) -> serde_json::Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": POLICY_NAMESPACE, "labels": {"openpolicyagent.org/policy": "rego"}},
        "data": {"policy.rego": text},
    })
}

fn a_policy_config_map_is_taken_and_says_what_became_of_it(on: Server) {
    let setup = Setup { sidecar: "policySelector: openpolicyagent.org/policy=rego", ..Setup::default() };
    let Some(world) = World::start(on, &setup) else { return };
    world.create(&pci_replica_set("web"));
    assert_eq!(annotation(&world.get("rs/web"), PREFERENCES), None);

    world.kubectl.create(&policy_config_map("scheduling-policy", policies::PCI));
    world.await_clusters("rs/web", PREFERENCES, &["alpha"]);
    world.await_event(POLICY_NAMESPACE, "configmap/scheduling-policy", "PolicyAccepted");

    let broken = "package kubernetes.placement\n\nplacement := {\"clusters\": nothing}\n";
    let broken = policy_config_map("scheduling-policy", broken).to_string();
    let said = match on {
        Server::Real => {
            world.kubectl.apply(&broken);
            world.await_event(POLICY_NAMESPACE, "configmap/scheduling-policy", "PolicyRejected")
        }
        // Refused before it is stored.
        Server::Embedded => world.kubectl.try_run_with(&["apply", "-f", "-"], &broken).unwrap_err().to_string(),
    };
    assert!(said.contains("policy.rego:3"), "file and line: {said}");
    world.await_two_passes();
    assert_eq!(clusters_in(&world.get("rs/web"), PREFERENCES).unwrap(), ["alpha"], "the last good set stays in force");
}

fn t2_policies_can_always_be_repaired_whatever_they_say(on: Server) {
    let setup = Setup { sidecar: "policySelector: openpolicyagent.org/policy=rego", ..Setup::default() };
    let Some(world) = World::start(on, &setup) else { return };
    let deny_all = "package kubernetes.placement\n\nerrors contains \"no\" if true\n";
    world.kubectl.create(&policy_config_map("scheduling-policy", deny_all));
    eventually("everything is denied", || match world.try_create(&replica_set(&super::support::fixtures::unique("web"))) {
        Err(refused) if refused.contains("reason(s): no") => Ok(()),
        other => Err(other),
    });
    world.kubectl.run(&["delete", "configmap", "scheduling-policy", "-n", POLICY_NAMESPACE]);
    eventually("free again", || world.try_create(&replica_set(&super::support::fixtures::unique("web"))));
}
