//! What happens to an object on its way in.

use serde_json::json;

use super::policies;
use super::support::deployment as manifests;
use super::support::eventually::eventually;
use super::support::fixtures::{
    APPLIED, DEPLOYMENT_PREFERENCES, JOB_PLACEMENT, PREFERENCES, annotation, clusters_in, deployment, federated_job,
    pci_replica_set, replica_set,
};
use super::support::world::{KINDS, Server, Setup, World};

scenarios! {
    both: a_new_object_is_stored_with_its_placement,
        a_kind_of_ones_own_is_placed_by_its_own_annotation,
        t16_the_policy_of_2017_decides_unchanged,
        a_denied_object_is_not_stored_and_every_reason_is_said,
        nowhere_is_stored_as_nowhere_and_the_user_is_warned,
        t3_exempt_namespaces_and_subresources_pass_untouched,
        a_child_of_a_placed_object_is_not_placed_itself,
        create_update_and_sweep_of_one_object_decide_the_same,
        a_dry_run_is_decided_and_leaves_nothing;
    real: another_webhooks_change_of_the_placement_does_not_get_through;
}

fn a_new_object_is_stored_with_its_placement(on: Server) {
    let Some(world) = World::start(on, &Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() }) else { return };
    world.create(&pci_replica_set("web"));
    let mut shop = deployment("shop");
    shop["metadata"]["annotations"] = json!({"requires-pci": "true"});
    world.create(&shop);
    world.create(&replica_set("free"));

    let web = world.get("rs/web");
    assert_eq!(annotation(&web, PREFERENCES), Some(r#"{"clusters":{"alpha":{"weight":1}},"rebalance":true}"#));
    assert!(annotation(&web, APPLIED).is_some());
    assert_eq!(clusters_in(&world.get("deployment/shop"), DEPLOYMENT_PREFERENCES).unwrap(), ["alpha"]);
    let free = world.get("rs/free");
    assert_eq!((annotation(&free, PREFERENCES), annotation(&free, APPLIED)), (None, None));
    world.await_two_passes();
    assert_eq!(world.patches(), 0.0, "admission left nothing to repair");
}

fn a_kind_of_ones_own_is_placed_by_its_own_annotation(on: Server) {
    let kinds =
        format!("{KINDS}\n  - {{gvr: batch.example.io/v1/federatedjobs, place: true, mode: auto, target: {JOB_PLACEMENT}}}");
    let setup = Setup { policies: &[("pci.rego", policies::PCI)], kinds: &kinds, ..Setup::default() };
    let Some(world) = World::prepare(on, &setup) else { return };
    manifests::create_kind(&world.kubectl, "federatedjobs.batch.example.io");
    let world = world.run();
    world.create(&federated_job("report"));
    assert_eq!(clusters_in(&world.get("federatedjobs/report"), JOB_PLACEMENT).unwrap(), ["alpha"]);
    world.certify("beta", true);
    world.await_clusters("federatedjobs/report", JOB_PLACEMENT, &["alpha", "beta"]);
}

fn t16_the_policy_of_2017_decides_unchanged(on: Server) {
    let setup = Setup { policies: &[("policy.rego", policies::TUTORIAL_V0)], ..Setup::default() };
    let Some(world) = World::start(on, &setup) else { return };
    let mut web = pci_replica_set("nginx-pci");
    let refused = world.try_create(&web).unwrap_err();
    assert!(refused.contains("reason(s): applications that require pci must have an owner"), "{refused}");
    web["metadata"]["labels"]["owner"] = "payments".into();
    world.create(&web);
    let stored = world.get("rs/nginx-pci");
    assert_eq!(annotation(&stored, PREFERENCES), Some(r#"{"clusters":{"alpha":{"weight":1}},"rebalance":true}"#));
}

fn a_denied_object_is_not_stored_and_every_reason_is_said(on: Server) {
    let setup = Setup { policies: &[("latest.rego", policies::NO_LATEST)], ..Setup::default() };
    let Some(world) = World::start(on, &setup) else { return };
    let mut web = replica_set("web");
    web["spec"]["template"]["spec"]["containers"] =
        json!([{"name": "a", "image": "shop:latest"}, {"name": "b", "image": "shop:latest"}]);
    let refused = world.try_create(&web).unwrap_err();
    assert!(refused.contains("Forbidden") || refused.contains("denied the request"), "{refused}");
    let reasons = "reason(s): container a: name a version other than latest; container b: name a version other than latest";
    assert!(refused.contains(reasons), "{refused}");
    assert!(world.kubectl.try_get(&world.namespace, "rs/web").is_err());
}

fn nowhere_is_stored_as_nowhere_and_the_user_is_warned(on: Server) {
    let setup = Setup { policies: &[("pci.rego", policies::PCI)], clusters: &[("beta", false)], ..Setup::default() };
    let Some(world) = World::start(on, &setup) else { return };
    let said = world.try_create(&pci_replica_set("web")).unwrap();
    assert!(said.contains("Warning:"), "{said}");
    assert_eq!(clusters_in(&world.get("rs/web"), PREFERENCES).unwrap(), [""; 0], "t9: empty is an explicit outcome");
}

fn t3_exempt_namespaces_and_subresources_pass_untouched(on: Server) {
    let setup = Setup { policies: &[("pci.rego", policies::PCI), ("latest.rego", policies::NO_LATEST)], ..Setup::default() };
    let Some(world) = World::start(on, &setup) else { return };
    let object = pci_replica_set("own").to_string();
    for namespace in ["kube-public", "kube-federation-scheduling-policy"] {
        world.kubectl.try_run_with(&["create", "-n", namespace, "-f", "-"], &object).unwrap();
        assert_eq!(annotation(&world.kubectl.get(namespace, "rs/own"), PREFERENCES), None, "{namespace}");
        world.kubectl.run(&["delete", "-n", namespace, "rs/own"]);
    }
    world.create(&deployment("shop"));
    world.kubectl.run(&["scale", "-n", &world.namespace, "deployment/shop", "--replicas=5"]);
    assert_eq!(world.get("deployment/shop")["spec"]["replicas"], 5);
}

fn a_child_of_a_placed_object_is_not_placed_itself(on: Server) {
    let Some(world) = World::start(on, &Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() }) else { return };
    world.create(&deployment("shop"));
    let uid = world.get("deployment/shop")["metadata"]["uid"].clone();
    let mut child = pci_replica_set("shop-1");
    child["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "shop", "uid": uid, "controller": true}]);
    let mut arguments = vec!["create", "-n", &world.namespace, "-f", "-"];
    match on {
        // Over webhooks by who writes it, whatever the mirror knows yet.
        Server::Real => arguments.push("--as=system:serviceaccount:kube-system:deployment-controller"),
        // Over OPA's API by its owner, which must be mirrored.
        Server::Embedded => drop(eventually("the owner is mirrored", || world.engine.find_placement(&world.namespace, "shop"))),
    }
    world.kubectl.try_run_with(&arguments, &child.to_string()).unwrap();
    assert_eq!(annotation(&world.get("rs/shop-1"), PREFERENCES), None);
}

fn create_update_and_sweep_of_one_object_decide_the_same(on: Server) {
    let Some(world) = World::start(on, &Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() }) else { return };
    world.create(&pci_replica_set("web"));
    let created = world.get("rs/web")["metadata"]["annotations"].clone();
    world.kubectl.run(&["label", "-n", &world.namespace, "rs/web", "touched=true"]);
    assert_eq!(world.get("rs/web")["metadata"]["annotations"], created, "UPDATE");
    eventually("the sweep has seen the update", || {
        let (row, object) = (world.engine.placement(&world.namespace, "web"), world.get("rs/web"));
        if row["resourceVersion"] == object["metadata"]["resourceVersion"] { Ok(()) } else { Err(row) }
    });
    let row = world.engine.placement(&world.namespace, "web");
    assert_eq!((row.get("patch"), &row["clusters"]), (None, &json!(["alpha"])), "sweep");
    assert_eq!(world.patches(), 0.0);
}

fn a_dry_run_is_decided_and_leaves_nothing(on: Server) {
    let Some(world) = World::start(on, &Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() }) else { return };
    let arguments = ["create", "--dry-run=server", "-o", "json", "-n", &world.namespace, "-f", "-"];
    let shown = world.kubectl.try_run_with(&arguments, &pci_replica_set("web").to_string()).unwrap();
    assert!(shown.contains(PREFERENCES), "{shown}");
    assert!(world.kubectl.try_get(&world.namespace, "rs/web").is_err());
}

fn another_webhooks_change_of_the_placement_does_not_get_through(on: Server) {
    let Some(world) = World::start(on, &Setup { policies: &[("pci.rego", policies::PCI)], ..Setup::default() }) else { return };
    // The user strips the mutating webhook, as an outage of it would; the validating one still holds the line.
    world.kubectl.run(&["delete", "mutatingwebhookconfiguration", "plimsoll"]);
    let refused = eventually("the mutating webhook is gone", || {
        let name = super::support::fixtures::unique("web");
        match world.try_create(&pci_replica_set(&name)) {
            Err(refused) => Ok(refused),
            Ok(_) => Err(name),
        }
    });
    assert!(refused.contains(PREFERENCES), "the key that differs is named: {refused}");
}
