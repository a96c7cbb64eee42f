//! Reading objects: absent fields are Go's zero values, as the printers see them after decoding.

use serde_json::{Value as Json, json};

use super::MetaVersion;

/// The object's metadata as a `PartialObjectMetadata`.
pub fn partial_metadata(object: &Json, version: MetaVersion) -> Json {
    let metadata = object.get("metadata").cloned().unwrap_or_else(|| json!({}));
    json!({ "kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata })
}

/// The text at a JSON pointer; empty if there is none.
pub(super) fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

/// The integer at a JSON pointer; 0 if there is none.
pub(super) fn integer(object: &Json, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Json::as_i64).unwrap_or_default()
}

/// Whether the value at a JSON pointer is `true`.
pub(super) fn holds(object: &Json, pointer: &str) -> bool {
    object.pointer(pointer).and_then(Json::as_bool).unwrap_or_default()
}

/// The members of the array at a JSON pointer; none if it is something else.
pub(super) fn list<'a>(object: &'a Json, pointer: &str) -> &'a [Json] {
    object.pointer(pointer).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// How many entries the map at a JSON pointer has.
pub(super) fn entries(object: &Json, pointer: &str) -> usize {
    object.pointer(pointer).and_then(Json::as_object).map_or(0, serde_json::Map::len)
}

/// The value at a JSON pointer, unless it is null.
pub(super) fn present<'a>(object: &'a Json, pointer: &str) -> Option<&'a Json> {
    object.pointer(pointer).filter(|value| !value.is_null())
}
