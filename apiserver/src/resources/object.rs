//! Reading and writing the metadata of objects.

use serde_json::{Map, Value as Json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A text of `metadata`; empty if it is not there.
pub fn text<'a>(object: &'a Json, field: &str) -> &'a str {
    object.get("metadata").and_then(|metadata| metadata.get(field)).and_then(Json::as_str).unwrap_or_default()
}

/// A field of `metadata`.
pub fn field<'a>(object: &'a Json, field: &str) -> Option<&'a Json> {
    object.get("metadata").and_then(|metadata| metadata.get(field))
}

/// `metadata`, made if it is not there. What is no object has none.
pub fn metadata(object: &mut Json) -> Option<&mut Map<String, Json>> {
    let metadata = object.as_object_mut()?.entry("metadata").or_insert_with(|| Json::Object(Map::new()));
    if !metadata.is_object() {
        *metadata = Json::Object(Map::new());
    }
    metadata.as_object_mut()
}

/// Sets a field of `metadata`, or takes it away.
pub fn set(object: &mut Json, field: &str, value: Option<Json>) {
    let Some(metadata) = metadata(object) else { return };
    match value {
        Some(value) => metadata.insert(field.to_owned(), value),
        None => metadata.remove(field),
    };
}

/// Sets a field of the object itself, or takes it away.
pub fn set_top(object: &mut Json, field: &str, value: Option<Json>) {
    let Some(object) = object.as_object_mut() else { return };
    match value {
        Some(value) => object.insert(field.to_owned(), value),
        None => object.remove(field),
    };
}

/// Whether a delete was asked for.
pub fn is_deleting(object: &Json) -> bool {
    field(object, "deletionTimestamp").is_some_and(Json::is_string)
}

/// Names in `metadata.finalizers`.
pub fn finalizers(object: &Json) -> Vec<&str> {
    let list = field(object, "finalizers").and_then(Json::as_array);
    list.map(|list| list.iter().filter_map(Json::as_str).collect()).unwrap_or_default()
}

/// `metadata.generation`.
pub fn generation(object: &Json) -> i64 {
    field(object, "generation").and_then(Json::as_i64).unwrap_or_default()
}

/// Now, as objects say it: RFC 3339 with whole seconds.
pub fn now() -> String {
    let now = OffsetDateTime::now_utc();
    now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_default()
}
