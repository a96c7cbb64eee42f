//! A decision's annotations as a minimal JSON Patch.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

/// Operations that set and (`None`) remove annotations on `object`. What is already so gives no operation.
pub fn operations(object: &Json, changes: &BTreeMap<String, Option<String>>) -> Vec<Json> {
    match object.pointer("/metadata/annotations").and_then(Json::as_object) {
        Some(present) => changes.iter().filter_map(|(key, value)| operation(present, key, value.as_deref())).collect(),
        None => whole_map(changes),
    }
}

/// The object has no annotations: one operation adds the map.
fn whole_map(changes: &BTreeMap<String, Option<String>>) -> Vec<Json> {
    let set: Map<String, Json> = changes.iter().filter_map(|(k, v)| Some((k.clone(), v.clone()?.into()))).collect();
    if set.is_empty() { Vec::new() } else { vec![json!({ "op": "add", "path": "/metadata/annotations", "value": set })] }
}

fn operation(present: &Map<String, Json>, key: &str, value: Option<&str>) -> Option<Json> {
    let path = format!("/metadata/annotations/{}", key.replace('~', "~0").replace('/', "~1"));
    match (present.get(key), value) {
        (None, None) => None,
        (Some(_), None) => Some(json!({ "op": "remove", "path": path })),
        (Some(found), Some(value)) if found == value => None,
        (Some(_), Some(value)) => Some(json!({ "op": "replace", "path": path, "value": value })),
        (None, Some(value)) => Some(json!({ "op": "add", "path": path, "value": value })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(object: &Json, changes: &[(&str, Option<&str>)]) -> (Json, usize) {
        let changes = changes.iter().map(|(k, v)| ((*k).to_owned(), v.map(str::to_owned))).collect();
        let operations = operations(object, &changes);
        let count = operations.len();
        let patch: json_patch::Patch = serde_json::from_value(Json::Array(operations)).unwrap();
        let mut patched = object.clone();
        json_patch::patch(&mut patched, &patch).unwrap();
        (patched, count)
    }

    #[test]
    fn the_map_is_added_when_absent() {
        for object in [json!({"metadata": {}}), json!({"metadata": {"annotations": null}})] {
            let (patched, count) = apply(&object, &[("a.b/c", Some("1")), ("gone", None)]);
            assert_eq!((patched["metadata"]["annotations"].clone(), count), (json!({"a.b/c": "1"}), 1));
        }
        assert_eq!(apply(&json!({"metadata": {}}), &[("gone", None)]).1, 0);
    }

    #[test]
    fn keys_are_escaped_and_only_differences_are_sent() {
        let object = json!({"metadata": {"annotations": {"same": "1", "x/y~z": "old", "gone/x": "1", "mine": "kept"}}});
        let changes = [("same", Some("1")), ("x/y~z", Some("new")), ("gone/x", None), ("absent", None), ("n/n", Some("2"))];
        let (patched, count) = apply(&object, &changes);
        let expected = json!({"same": "1", "x/y~z": "new", "n/n": "2", "mine": "kept"});
        assert_eq!((patched["metadata"]["annotations"].clone(), count), (expected, 3));
    }
}
