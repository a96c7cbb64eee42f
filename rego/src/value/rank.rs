//! The order of types (`v1/ast/compare.go`, `valueSortOrder`).

use super::Value;

pub(super) const STRING: u8 = 3;

pub(super) fn of(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Number(_) => 2,
        Value::String(_) => STRING,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
        Value::Set(_) => 6,
    }
}
