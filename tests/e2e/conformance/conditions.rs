//! `matchConditions`: stored as they are written, compiled when they are, and heeded.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::registration::{Kind, rule};
use super::world::{CONFIG_MAPS, World, accepted, config_map, refused};
use crate::e2e::support::fixtures::unique;

fn conditional(world: &World, kind: Kind, conditions: &Json) -> Json {
    let (name, path) = match kind {
        Kind::Mutating => ("adding-configmap-data.k8s.io", "/mutating-configmaps"),
        Kind::Validating => ("validation-webhook-with-match-conditions.k8s.io", "/always-deny"),
    };
    let mut webhook = world.webhook(name, path, &rule(&["CREATE"], "", &["v1"], &[CONFIG_MAPS]));
    webhook["matchPolicy"] = "Equivalent".into();
    webhook["matchConditions"] = conditions.clone();
    webhook
}

/// What was written is read again, after an update too.
pub(super) fn are_stored(world: &World, kind: Kind) {
    let first = json!([{"name": "expression-1", "expression": "object.metadata.namespace == 'production'"}]);
    let second = json!([first[0], {"name": "expression-2", "expression": "object.metadata.namespace == 'staging'"}]);
    let configuration = world.configuration(kind, &world.name, &[conditional(world, kind, &first)]);
    accepted(world.send(Method::POST, &kind.path(""), &configuration));
    let path = kind.path(&world.name);
    let mut stored = accepted(world.get(&path));
    assert_eq!(stored["webhooks"][0]["matchConditions"], first);
    stored["webhooks"][0]["matchConditions"] = second.clone();
    accepted(world.send(Method::PUT, &path, &stored));
    assert_eq!(accepted(world.get(&path))["webhooks"][0]["matchConditions"], second);
    accepted(world.delete(&path));
}

/// What is no expression is not stored.
pub(super) fn are_compiled(world: &World, kind: Kind) {
    let invalid = json!([{"name": "invalid-expression-1", "expression": "... [] bad expression"}]);
    let configuration = world.configuration(kind, &world.name, &[conditional(world, kind, &invalid)]);
    refused(&world.send(Method::POST, &kind.path(""), &configuration), &["compilation failed"]);
    assert_eq!(world.get(&kind.path(&world.name)).code, 404);
}

/// A condition about the name keeps one object from the webhook.
pub(super) fn skip_one(world: &World) {
    let mut webhook = world.mutating_config_maps(1);
    webhook["matchConditions"] = json!([{"name": "skip-me", "expression": "object.metadata.name != 'skip-me'"}]);
    world.register(Kind::Mutating, &[webhook]);
    let created =
        |name: &str| accepted(world.create(CONFIG_MAPS, &config_map(name, &json!({"mutation-start": "yes"}))))["data"].take();
    assert_eq!(created(&unique("config-map")), json!({"mutation-start": "yes", "mutation-stage-1": "yes"}));
    assert_eq!(created("skip-me"), json!({"mutation-start": "yes"}));
}
