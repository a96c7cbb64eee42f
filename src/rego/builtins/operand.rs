//! Operands by type, with OPA's errors (`v1/topdown/builtins/builtins.go`); places count from 1.

use regorus::Value;

use super::error::BuiltinError;

/// What OPA calls the type of a value.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Set(_) => "set",
        Value::Object(_) => "object",
        Value::Undefined => "undefined",
    }
}

/// The operand at a place.
pub(super) fn any(values: &[Value], place: usize) -> &Value {
    place.checked_sub(1).and_then(|at| values.get(at)).unwrap_or(&Value::Undefined)
}

/// An operand that must be a string.
pub(super) fn string(values: &[Value], place: usize) -> Result<&str, BuiltinError> {
    match any(values, place) {
        Value::String(text) => Ok(text),
        other => Err(wrong(place, "string", other)),
    }
}

/// The elements of an operand that must be an array.
pub(super) fn array(values: &[Value], place: usize) -> Result<impl ExactSizeIterator<Item = &Value>, BuiltinError> {
    match any(values, place) {
        Value::Array(items) => Ok(items.iter()),
        other => Err(wrong(place, "array", other)),
    }
}

/// An operand that must be an integer.
pub(super) fn integer(values: &[Value], place: usize) -> Result<i64, BuiltinError> {
    let value = any(values, place);
    let number = value.as_number().map_err(|_| wrong(place, "number", value))?;
    let no_integer = || BuiltinError::operand(place, "must be integer number but got floating-point number");
    number.as_i64().ok_or_else(no_integer)
}

/// An operand of a wrong type.
pub(super) fn wrong(place: usize, expected: &str, got: &Value) -> BuiltinError {
    BuiltinError::operand(place, format!("must be {expected} but got {}", type_name(got)))
}
