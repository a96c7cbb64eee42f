//! The status of CustomResourceDefinitions: which names are theirs, and whether they are served.

use serde_json::{Value as Json, json};

/// Whether the status says `True` of a condition.
pub fn condition_holds(definition: &Json, kind: &str) -> bool {
    conditions(definition)
        .any(|condition| condition.get("type") == Some(&kind.into()) && condition.get("status") == Some(&"True".into()))
}

fn conditions(definition: &Json) -> impl Iterator<Item = &Json> {
    definition.pointer("/status/conditions").and_then(Json::as_array).into_iter().flatten()
}

/// The status of a definition that was just made: every list is there, for clients that cannot do without (the Python
/// client's typed models refuse null).
pub fn initialize(definition: &mut Json) {
    let stored = super::storage_version(definition).map(str::to_owned);
    let stored: Vec<String> = stored.into_iter().collect();
    let status = json!({"conditions": [], "storedVersions": stored, "acceptedNames": {"plural": "", "kind": ""}});
    if let Some(fields) = definition.as_object_mut() {
        fields.insert("status".to_owned(), status);
    }
}
