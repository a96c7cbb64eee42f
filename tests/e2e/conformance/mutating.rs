//! Mutating webhooks change: in order, before defaults, and for custom resources before pruning.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::definition::{Definition, anything};
use super::registration::{Kind, rule};
use super::world::{CONFIG_MAPS, World, accepted, config_map, pod};

pub(super) fn config_maps(world: &World) {
    world.register(Kind::Mutating, &[world.mutating_config_maps(1), world.mutating_config_maps(2)]);
    let created = accepted(world.create(CONFIG_MAPS, &config_map("to-be-mutated", &json!({"mutation-start": "yes"}))));
    assert_eq!(created["data"], stages(2));
}

/// The data of an object after so many stages.
fn stages(last: u8) -> Json {
    let stages = (1..=last).map(|stage| format!("mutation-stage-{stage}"));
    let keys = std::iter::once("mutation-start".to_owned()).chain(stages);
    keys.map(|key| (key, "yes".into())).collect::<serde_json::Map<_, _>>().into()
}

pub(super) fn pods(world: &World) {
    let rule = rule(&["CREATE"], "", &["v1"], &["pods"]);
    world.register(Kind::Mutating, &[world.webhook("adding-init-container.k8s.io", "/mutating-pods", &rule)]);
    let created = accepted(world.create("pods", &pod("webhook-to-be-mutated", "example")));
    let containers = created["spec"]["initContainers"].as_array().unwrap();
    assert_eq!(containers.len(), 1, "{created}");
    assert_eq!(containers[0]["name"], "webhook-added-init-container");
    assert_eq!(containers[0]["terminationMessagePolicy"], "File", "defaulted after the change");
}

pub(super) fn custom_resources(world: &World) {
    let kind = Definition::of(world, &["v1"], None);
    register(world, &kind, &["v1"]);
    assert_eq!(created(world, &kind)["data"], stages(2));
    kind.delete(world);
}

/// What a webhook adds is pruned by the schema, as what a user adds is.
pub(super) fn with_pruning(world: &World) {
    let text = json!({"type": "string"});
    let data = json!({"type": "object", "properties": {"mutation-start": text, "mutation-stage-1": text}});
    let kind = Definition::of(world, &["v1", "v2"], Some(json!({"type": "object", "properties": {"data": data}})));
    register(world, &kind, &["v1", "v2"]);
    assert_eq!(created(world, &kind)["data"], stages(1));
    kind.delete(world);
}

/// An object that was stored in one version is changed when another is the one to store.
pub(super) fn in_another_stored_version(world: &World) {
    let kind = Definition::of(world, &["v1", "v2"], None);
    register(world, &kind, &["v1", "v2"]);
    created(world, &kind);
    let version =
        |name: &str| json!({"name": name, "storage": name == "v2", "served": true, "schema": {"openAPIV3Schema": anything()}});
    let versions = json!({"spec": {"versions": [version("v1"), version("v2")]}});
    accepted(world.merge(&format!("{}/{}.{}", Definition::COLLECTION, kind.plural, kind.group), &versions));
    let changed =
        accepted(world.patch(&kind.path("v2", "cr-instance-1"), &json!([{"op": "add", "path": "/dummy", "value": "test"}])));
    assert_eq!((&changed["data"], &changed["dummy"]), (&stages(2), &json!("test")));
    kind.delete(world);
}

fn register(world: &World, kind: &Definition, versions: &[&str]) {
    let webhook = |stage: u8, operations: &[&str]| {
        let rule = rule(operations, &kind.group, versions, &[&kind.plural]);
        world.webhook(&format!("mutate-custom-resource-data-stage-{stage}.k8s.io"), "/mutating-custom-resource", &rule)
    };
    world.register(Kind::Mutating, &[webhook(1, &["CREATE", "UPDATE"]), webhook(2, &["CREATE"])]);
}

fn created(world: &World, kind: &Definition) -> Json {
    let object = kind.object("v1", "cr-instance-1", &json!({"mutation-start": "yes"}));
    accepted(world.send(Method::POST, &kind.path("v1", ""), &object))
}
