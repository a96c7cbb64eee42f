//! The same object in another version of its kind.

use serde_json::{Map, Value as Json};

use super::resource::Resource;

/// A field of core/v1 events and its name in events.k8s.io/v1. Source: `kubernetes/pkg/apis/events/v1/conversion.go`.
const EVENT_FIELDS: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

/// Rewrites an object of `from`'s version into `to`'s. Versions of one custom resource differ in `apiVersion` alone
/// (conversion strategy None), extensions/v1beta1 is apps/v1 under another name, events have their own field names.
pub fn convert(mut object: Json, from: &Resource, to: &Resource) -> Json {
    if from.group == to.group && from.version == to.version {
        return object;
    }
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".to_owned(), to.api_version().into());
        match (from.kind.as_str(), from.group.as_str(), to.group.as_str()) {
            ("Event", "", "events.k8s.io") => rename(fields, |(core, events)| (core, events)),
            ("Event", "events.k8s.io", "") => rename(fields, |(core, events)| (events, core)),
            _ => return object,
        }
        // What one version always writes, the other leaves out when it is empty.
        to.complete(&mut object);
    }
    object
}

fn rename(fields: &mut Map<String, Json>, way: impl Fn((&'static str, &'static str)) -> (&'static str, &'static str)) {
    for pair in EVENT_FIELDS {
        let (old, new) = way(pair);
        if let Some(value) = fields.remove(old) {
            fields.insert(new.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::resources::{FieldValidation, Registry};

    #[test]
    fn events_have_two_vocabularies() {
        let registry = Registry::built_in().unwrap();
        let (core, new) = (registry.find("", "v1", "events").unwrap(), registry.find("events.k8s.io", "v1", "events").unwrap());
        let mut event = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "a", "namespace": "default"},
            "regarding": {"kind": "Pod", "name": "x"}, "note": "M", "reportingController": "c", "reportingInstance": "i",
            "series": {"count": 3, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}, "eventTime": null,
            "deprecatedCount": 2, "deprecatedSource": {"component": "kubelet"}
        });
        new.prepare(&mut event, FieldValidation::Strict).unwrap();
        let stored = convert(event.clone(), &new, &core);
        let expected = json!({
            "apiVersion": "v1", "kind": "Event", "metadata": {"name": "a", "namespace": "default"},
            "involvedObject": {"kind": "Pod", "name": "x"}, "message": "M", "reportingComponent": "c", "reportingInstance": "i",
            "series": {"count": 3, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}, "eventTime": null, "count": 2,
            "source": {"component": "kubelet"}, "firstTimestamp": null, "lastTimestamp": null
        });
        assert_eq!(stored, expected);
        assert_eq!(convert(stored, &core, &new), event);
    }

    #[test]
    fn extensions_take_the_selector_from_the_template() {
        let registry = Registry::built_in().unwrap();
        let (old, new) =
            (registry.find("extensions", "v1beta1", "replicasets").unwrap(), registry.find("apps", "v1", "replicasets").unwrap());
        let mut set = json!({
            "apiVersion": "extensions/v1beta1", "kind": "ReplicaSet", "metadata": {"name": "nginx", "namespace": "default"},
            "spec": {"template": {"metadata": {"labels": {"app": "nginx"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}
        });
        old.prepare(&mut set, FieldValidation::Strict).unwrap();
        assert_eq!(old.validate(&set, None), Ok(()));
        let stored = convert(set.clone(), &old, &new);
        assert_eq!(stored["apiVersion"], "apps/v1");
        assert_eq!(stored["spec"]["selector"], json!({"matchLabels": {"app": "nginx"}}));
        assert_eq!(new.validate(&stored, None), Ok(()));
        assert_eq!(convert(stored, &new, &old), set);
    }
}
