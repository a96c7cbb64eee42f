//! Reads fields the way Go's structs hold them: what is absent is empty.

use serde_json::{Map, Value as Json};

static NOTHING: Json = Json::Null;

/// A field, or null.
pub(in crate::resources) fn field<'a>(object: &'a Json, name: &str) -> &'a Json {
    object.get(name).unwrap_or(&NOTHING)
}

/// A field below fields, `a.b.c`, or null.
pub(in crate::resources) fn below<'a>(object: &'a Json, path: &str) -> &'a Json {
    path.split('.').fold(object, field)
}

/// Whether a field is there and not null.
pub(in crate::resources) fn given(object: &Json, name: &str) -> bool {
    !field(object, name).is_null()
}

/// A text, or the empty one.
pub(in crate::resources) fn text<'a>(object: &'a Json, name: &str) -> &'a str {
    field(object, name).as_str().unwrap_or_default()
}

/// A whole number, if there is one.
pub(in crate::resources) fn number(object: &Json, name: &str) -> Option<i64> {
    field(object, name).as_i64()
}

/// A flag, or `false`.
pub(in crate::resources) fn flag(object: &Json, name: &str) -> bool {
    field(object, name).as_bool().unwrap_or(false)
}

/// The members of a list, or none.
pub(in crate::resources) fn list<'a>(object: &'a Json, name: &str) -> &'a [Json] {
    field(object, name).as_array().map_or(&[], Vec::as_slice)
}

/// The entries of a map, or none.
pub(in crate::resources) fn entries<'a>(object: &'a Json, name: &str) -> impl Iterator<Item = (&'a String, &'a Json)> {
    field(object, name).as_object().into_iter().flatten()
}

/// A map, if there is one.
pub(in crate::resources) fn map<'a>(object: &'a Json, name: &str) -> Option<&'a Map<String, Json>> {
    field(object, name).as_object()
}

/// The fields of an object.
pub(in crate::resources) fn entries_of(object: &Json) -> impl Iterator<Item = (&String, &Json)> {
    object.as_object().into_iter().flatten()
}
