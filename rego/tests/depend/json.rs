//! Trees of JSON as values.

use plimsoll_rego::value::{Value, json};

/// A value.
pub(super) fn of(tree: &serde_json::Value) -> Value {
    json::read(tree.to_string().as_bytes(), 100).unwrap()
}
