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
