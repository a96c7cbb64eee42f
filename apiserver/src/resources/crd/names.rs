//! The status of CustomResourceDefinitions: which names are theirs, and whether they are served.

use serde_json::Value as Json;

/// Whether the status says `True` of a condition.
pub fn condition_holds(definition: &Json, kind: &str) -> bool {
    conditions(definition)
        .any(|condition| condition.get("type") == Some(&kind.into()) && condition.get("status") == Some(&"True".into()))
}

fn conditions(definition: &Json) -> impl Iterator<Item = &Json> {
    definition.pointer("/status/conditions").and_then(Json::as_array).into_iter().flatten()
}
