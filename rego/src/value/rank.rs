//! The order of types, and of the two booleans (`v1/ast/compare.go`, `valueSortOrder`).

use super::Value;

pub(super) const STRING: u8 = 4;

pub(super) fn of(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::False => 1,
        Value::True => 2,
        Value::Int(_) | Value::Number(_) => 3,
        Value::String(_) => STRING,
        Value::Array(_) => 5,
        Value::Object(_) => 6,
        Value::Set(_) => 7,
    }
}
