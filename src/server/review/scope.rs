//! Which reviews are decided at all: an existing object is never trapped.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::wire::Request;

/// What the API server itself changes, and what no policy of placement looks at.
const NOT_INTENT: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// Whether the request is admitted untouched, by what it is: only CREATE and UPDATE of whole objects are placed.
pub fn other_operation(request: &Request) -> bool {
    !request.sub_resource.is_empty() || !matches!(request.operation.as_str(), "CREATE" | "UPDATE")
}

/// Whether an UPDATE is admitted untouched: the stored object is being deleted, or nothing changes that placement looks
/// at. (A deletionTimestamp in the new object alone is the user's own writing; the API server takes it off.)
pub fn untouchable_update(old: &Json, new: &Json) -> bool {
    let deleting = old.pointer("/metadata/deletionTimestamp").is_some_and(|stamp| !stamp.is_null());
    deleting || !changes_intent(old, new)
}

/// Whether labels, annotations, spec or another field of the kind's own differ.
fn changes_intent(old: &Json, new: &Json) -> bool {
    let differs = |pointer: &str| filled(old.pointer(pointer)) != filled(new.pointer(pointer));
    if differs("/metadata/labels") || differs("/metadata/annotations") {
        return true;
    }
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else { return true };
    let fields: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    fields.into_iter().any(|field| !NOT_INTENT.contains(&field.as_str()) && filled(old.get(field)) != filled(new.get(field)))
}

/// An empty map, `null` and an absent field are one.
fn filled(value: Option<&Json>) -> Option<&Json> {
    value.filter(|value| !value.is_null() && value.as_object().is_none_or(|map| !map.is_empty()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(operation: &str, sub_resource: &str) -> Request {
        Request { operation: operation.into(), sub_resource: sub_resource.into(), ..Request::default() }
    }

    #[test]
    fn only_create_and_update_of_whole_objects_are_decided() {
        let table = [
            ("CREATE", "", false),
            ("UPDATE", "", false),
            ("DELETE", "", true),
            ("CONNECT", "", true),
            ("UPDATE", "scale", true),
            ("UPDATE", "status", true),
        ];
        for (operation, sub_resource, expected) in table {
            assert_eq!(other_operation(&request(operation, sub_resource)), expected, "{operation} {sub_resource}");
        }
    }

    #[test]
    fn t02_what_changes_no_intent_is_never_trapped() {
        let old = json!({
            "apiVersion": "v1", "kind": "X", "spec": {"replicas": 1}, "status": {"ready": 1},
            "metadata": {"labels": {"a": "b"}, "finalizers": ["f"], "resourceVersion": "1"},
        });
        let change = |pointer: &str, value: Json| {
            let mut new = old.clone();
            *new.pointer_mut(pointer).unwrap() = value;
            new
        };
        let free = [
            change("/status", json!({"ready": 0})),
            change("/metadata/finalizers", json!([])),
            change("/metadata/resourceVersion", json!("2")),
        ];
        for new in free {
            assert!(untouchable_update(&old, &new), "{new}");
        }
        let mut annotated = old.clone();
        annotated["metadata"]["annotations"] = json!({});
        assert!(untouchable_update(&old, &annotated), "an empty map is no change");
        annotated["metadata"]["annotations"] = json!({"a": "b"});
        let mut data = old.clone();
        data["data"] = json!({"a": "b"});
        for new in [change("/spec/replicas", json!(2)), change("/metadata/labels/a", json!("c")), annotated, data] {
            assert!(!untouchable_update(&old, &new), "{new}");
        }
    }

    #[test]
    fn only_the_stored_deletion_timestamp_counts() {
        let plain = json!({"metadata": {}, "spec": {"a": 1}});
        let deleting = json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"a": 2}});
        assert!(untouchable_update(&deleting, &plain));
        assert!(!untouchable_update(&plain, &deleting));
    }
}
