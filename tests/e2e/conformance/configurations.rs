//! Configurations are resources: listed, changed, deleted by a selector, and out of the reach of webhooks.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::registration::{Kind, rule};
use super::world::{CONFIG_MAPS, World, accepted, config_map, refused};
use crate::e2e::support::fixtures::{resource_version, unique};

/// So many configurations are listed.
const MANY: usize = 10;

/// All are listed, in force, and deleted as a collection.
pub(super) fn listing(world: &World, kind: Kind) {
    let label = format!("{}-list", world.name);
    for number in 0..MANY {
        let mut configuration = world.configuration(kind, &format!("{}-{number}", world.name), &[acting(world, kind)]);
        configuration["metadata"]["labels"] = json!({label.as_str(): "true"});
        accepted(world.send(Method::POST, &kind.path(""), &configuration));
    }
    let selected = format!("{}?labelSelector={label}%3Dtrue", kind.path(""));
    assert_eq!(accepted(world.get(&selected))["items"].as_array().unwrap().len(), MANY);
    world.await_ready(kind);
    await_acting(world, kind, true);
    accepted(world.delete(&selected));
    await_acting(world, kind, false);
}

/// An update takes the operation away, a patch brings it back.
pub(super) fn changing(world: &World, kind: Kind) {
    world.register(kind, &[acting(world, kind)]);
    await_acting(world, kind, true);
    let path = kind.path(&world.name);
    let mut configuration = accepted(world.get(&path));
    configuration["webhooks"][0]["rules"][0]["operations"] = json!(["UPDATE"]);
    let updated = accepted(world.send(Method::PUT, &path, &configuration));
    await_changed(world, kind, false);
    let operations = json!([{"op": "replace", "path": "/webhooks/0/rules/0/operations", "value": ["CREATE"]}]);
    let patched = accepted(world.patch(&path, &operations));
    let version = |object: &Json| resource_version(object).parse::<u64>().unwrap();
    assert!(version(&patched) > version(&updated), "{patched}");
    await_changed(world, kind, true);
    accepted(world.delete(&path));
}

fn acting(world: &World, kind: Kind) -> Json {
    if kind == Kind::Mutating { world.mutating_config_maps(1) } else { world.denying_config_maps() }
}

#[track_caller]
fn await_acting(world: &World, kind: Kind, expected: bool) {
    world.in_force(&format!("that the webhook acts: {expected}"), || {
        let acts = acts(world, kind);
        if acts == expected { Ok(()) } else { Err(acts) }
    });
}

/// Like [`await_acting`], after a change of the configuration.
///
/// Upstream's server may keep what it made of the configuration before, until the next change: what is made while a change arrives is
/// stored behind the handler that drops what is outdated (`getMutatingWebhookConfigurations` in
/// `apiserver/pkg/admission/configuration/mutating_webhook_manager.go`; validating alike). So what is not in force is touched.
#[track_caller]
fn await_changed(world: &World, kind: Kind, expected: bool) {
    world.in_force(&format!("that the changed webhook acts: {expected}"), || {
        let acts = acts(world, kind);
        if acts == expected {
            return Ok(());
        }
        let touch = json!({"metadata": {"annotations": {"touched": unique("at")}}});
        accepted(world.merge(&kind.path(&world.name), &touch));
        Err(acts)
    });
}

fn acts(world: &World, kind: Kind) -> bool {
    if kind == Kind::Mutating { mutates(world) } else { denies(world) }
}

fn mutates(world: &World) -> bool {
    let name = unique("config-map");
    let created = accepted(world.create(CONFIG_MAPS, &config_map(&name, &json!({"mutation-start": "yes"}))));
    accepted(world.delete(&world.path(CONFIG_MAPS, &name)));
    created["data"]["mutation-stage-1"] == "yes"
}

fn denies(world: &World) -> bool {
    let name = unique("config-map");
    let answer = world.create(CONFIG_MAPS, &config_map(&name, &json!({"webhook-e2e-test": "webhook-disallow"})));
    if answer.accepted() {
        accepted(world.delete(&world.path(CONFIG_MAPS, &name)));
        return false;
    }
    refused(&answer, &["denied"]);
    true
}

/// Webhooks for configurations are never called: none is changed, and every one can be deleted.
pub(super) fn out_of_reach(world: &World) {
    let configurations = ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"];
    let of = |operation: &str| rule(&[operation], "admissionregistration.k8s.io", &["*"], &configurations);
    let blocking = format!("{}-blocking", world.name);
    let denies = world.webhook("deny-webhook-configuration-deletions.k8s.io", "/always-deny", &of("DELETE"));
    world.register_as(&blocking, Kind::Validating, &[denies]);
    let labels = world.webhook("add-label-to-webhook-configurations.k8s.io", "/add-label", &of("CREATE"));
    world.register_as(&blocking, Kind::Mutating, &[labels]);
    for kind in [Kind::Validating, Kind::Mutating] {
        // Never called: there is no such resource, and nothing at its path.
        let mut dummy = world.webhook("dummy-webhook.k8s.io", "", &rule(&["CREATE"], "", &["v1"], &["invalid"]));
        dummy["clientConfig"]["caBundle"] = Json::Null;
        dummy["failurePolicy"] = "Ignore".into();
        let created = accepted(world.send(Method::POST, &kind.path(""), &world.configuration(kind, &world.name, &[dummy])));
        assert_eq!(created["metadata"]["labels"]["added-label"], Json::Null);
        accepted(world.delete(&kind.path(&world.name)));
    }
    for kind in [Kind::Mutating, Kind::Validating] {
        accepted(world.delete(&kind.path(&blocking)));
    }
}
