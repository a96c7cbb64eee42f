//! Which reviews are decided at all: an existing object is never trapped.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::wire::Request;

/// What the API server itself changes, and what no policy of placement looks at.
const NOT_INTENT: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// Whether the request is admitted untouched, by what it is: only CREATE and UPDATE of whole objects are placed.
pub fn other_operation(request: &Request) -> bool {
    !request.sub_resource.is_empty() || !matches!(request.operation.as_str(), "CREATE" | "UPDATE")
}

/// The change of an object by an UPDATE, as far as placement depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The stored object is being deleted. (A deletionTimestamp in the new object alone is the user's own writing; the API
    /// server takes it off.)
    Deleting,
    /// Nothing that placement looks at.
    Nothing,
    /// Annotations that are not managed, and nothing else.
    Notes,
    /// Labels, spec, managed annotations, another owner, or another field of the kind's own.
    Intent,
}

/// Returns what an UPDATE changes; `managed` are the annotations that policy and we write.
///
/// Members are compared by their text first, so that an object which is too deep to be read is not trapped either.
pub fn change(old: &RawValue, new: &RawValue, managed: &BTreeSet<String>) -> Change {
    let (Ok(old), Ok(new)) = (Members::of(old), Members::of(new)) else { return Change::Intent };
    if old.metadata.deletion_timestamp.as_ref().is_some_and(|stamp| !stamp.is_null()) {
        return Change::Deleting;
    }
    let (was, is) = (filled(old.metadata.annotations.as_ref()), filled(new.metadata.annotations.as_ref()));
    let managed_alike = managed.iter().all(|key| was.and_then(|map| map.get(key)) == is.and_then(|map| map.get(key)));
    match () {
        () if old.changes_intent(&new) || !managed_alike => Change::Intent,
        () if was != is => Change::Notes,
        () => Change::Nothing,
    }
}

/// An object's fields, unread.
struct Members<'a> {
    metadata: Metadata,
    fields: BTreeMap<String, &'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    deletion_timestamp: Option<Json>,
    labels: Option<Json>,
    annotations: Option<Json>,
    owner_references: Option<Json>,
}

impl<'a> Members<'a> {
    fn of(object: &'a RawValue) -> Result<Self, serde_json::Error> {
        let fields: BTreeMap<String, &RawValue> = serde_json::from_str(object.get())?;
        let metadata = fields.get("metadata").map(|text| serde_json::from_str(text.get())).transpose()?;
        Ok(Self { metadata: metadata.unwrap_or_default(), fields })
    }

    /// Whether labels, spec or another field of the kind's own differ, or an owner is new.
    fn changes_intent(&self, new: &Self) -> bool {
        let names: BTreeSet<&String> = self.fields.keys().chain(new.fields.keys()).collect();
        let mut own = names.into_iter().filter(|name| !NOT_INTENT.contains(&name.as_str()));
        filled(self.metadata.labels.as_ref()) != filled(new.metadata.labels.as_ref())
            || has_new_owner(&self.metadata, &new.metadata)
            || own.any(|name| differ(self.fields.get(name), new.fields.get(name)))
    }
}

/// Losing an owner is no change: the garbage collector orphans objects, and must never wait for policy.
fn has_new_owner(old: &Metadata, new: &Metadata) -> bool {
    let owners = |metadata: &Metadata| -> BTreeSet<String> {
        let owners = metadata.owner_references.as_ref().and_then(Json::as_array);
        owners.into_iter().flatten().map(Json::to_string).collect()
    };
    !owners(new).is_subset(&owners(old))
}

fn differ(old: Option<&&RawValue>, new: Option<&&RawValue>) -> bool {
    let text = |value: Option<&&RawValue>| value.map_or("null", |value| value.get()).to_owned();
    let (old, new) = (text(old), text(new));
    if old == new {
        return false;
    }
    match (serde_json::from_str::<Json>(&old), serde_json::from_str::<Json>(&new)) {
        (Ok(old), Ok(new)) => filled(Some(&old)) != filled(Some(&new)),
        _ => true,
    }
}

/// An empty map, `null` and an absent field are one.
fn filled(value: Option<&Json>) -> Option<&Json> {
    value.filter(|value| !value.is_null() && value.as_object().is_none_or(|map| !map.is_empty()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn change(old: &Json, new: &Json) -> Change {
        let raw = |value: &Json| RawValue::from_string(value.to_string()).unwrap();
        super::change(&raw(old), &raw(new), &["managed".to_owned()].into())
    }

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
        let with = |pointer: &str, value: Json| {
            let mut new = old.clone();
            *new.pointer_mut(pointer).unwrap() = value;
            new
        };
        let free = [
            with("/status", json!({"ready": 0})),
            with("/metadata/finalizers", json!([])),
            with("/metadata/resourceVersion", json!("2")),
        ];
        for new in free {
            assert_eq!(change(&old, &new), Change::Nothing, "{new}");
        }
        let mut annotated = old.clone();
        annotated["metadata"]["annotations"] = json!({});
        assert_eq!(change(&old, &annotated), Change::Nothing, "an empty map is no change");
        annotated["metadata"]["annotations"] = json!({"a": "b"});
        assert_eq!(change(&old, &annotated), Change::Notes);
        annotated["metadata"]["annotations"] = json!({"a": "b", "managed": "c"});
        let mut data = old.clone();
        data["data"] = json!({"a": "b"});
        for new in [with("/spec/replicas", json!(2)), with("/metadata/labels/a", json!("c")), annotated, data] {
            assert_eq!(change(&old, &new), Change::Intent, "{new}");
        }
    }

    #[test]
    fn an_owner_is_intent_when_it_comes_and_not_when_it_goes() {
        let owned = |uids: &[&str]| {
            let owners: Vec<Json> = uids.iter().map(|uid| json!({"kind": "Deployment", "uid": uid})).collect();
            json!({"metadata": {"ownerReferences": owners}})
        };
        let free = json!({"metadata": {}});
        for (old, new, expected) in [
            (&free, &owned(&["a"]), Change::Intent),
            (&owned(&["a"]), &owned(&["a", "b"]), Change::Intent),
            (&owned(&["a"]), &owned(&["b"]), Change::Intent),
            (&owned(&["a", "b"]), &owned(&["b"]), Change::Nothing),
            (&owned(&["a"]), &free, Change::Nothing),
        ] {
            assert_eq!(change(old, new), expected, "{old} {new}");
        }
    }

    #[test]
    fn owners_by_the_thousand_are_compared_in_no_time() {
        let owners = |from: usize| (from..from + 20_000).map(|n| json!({"kind": "Deployment", "uid": n})).collect::<Vec<_>>();
        let owned = |owners: Vec<Json>| json!({"metadata": {"ownerReferences": owners}});
        let reversed = owners(0).into_iter().rev().collect();
        let started = std::time::Instant::now();
        assert_eq!(change(&owned(owners(0)), &owned(reversed)), Change::Nothing);
        assert_eq!(change(&owned(owners(0)), &owned(owners(1))), Change::Intent);
        assert!(started.elapsed() < std::time::Duration::from_secs(5), "each with each would take a minute");
    }

    #[test]
    fn only_the_stored_deletion_timestamp_counts() {
        let plain = json!({"metadata": {}, "spec": {"a": 1}});
        let deleting = json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"a": 2}});
        assert_eq!(change(&deleting, &plain), Change::Deleting);
        assert_eq!(change(&plain, &deleting), Change::Intent);
    }

    #[test]
    fn an_object_that_is_too_deep_is_not_trapped() {
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        let object = |finalizer: &str, replicas: u8| {
            let text = format!(r#"{{"metadata":{{"finalizers":[{finalizer}]}},"data":{deep},"spec":{{"replicas":{replicas}}}}}"#);
            RawValue::from_string(text).unwrap()
        };
        let change = |old: Box<RawValue>, new: Box<RawValue>| super::change(&old, &new, &BTreeSet::new());
        assert_eq!(change(object("\"f\"", 1), object("", 1)), Change::Nothing);
        assert_eq!(change(object("", 1), object("", 2)), Change::Intent);
    }
}
