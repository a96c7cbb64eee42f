//! Trees of JSON as values.

use plimsoll_rego::value::{Value, json};

<<<<<<< HEAD
/// A value from its text.
pub fn value(text: &str) -> Value {
    of(&serde_json::from_str(text).unwrap())
}

/// A value from a tree.
pub fn of(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => Value::number(&number.to_string()).unwrap(),
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(items) => Value::array(items.iter().map(of)),
        serde_json::Value::Object(members) => {
            Value::object(members.iter().map(|(key, member)| (key.as_str().into(), of(member))))
        }
    }
=======
/// A value.
pub fn of(tree: &serde_json::Value) -> Value {
    json::read(tree.to_string().as_bytes(), 100).unwrap()
>>>>>>> main
}
