//! Operands of the type that a builtin wants, or OPA's error (`v1/topdown/builtins/builtins.go`).

use arcstr::ArcStr;

use super::BuiltinError;
use crate::value::{Object, Set, Value};

/// The operand at an index.
pub fn at(operands: &[Value], index: usize) -> Result<&Value, BuiltinError> {
    operands.get(index).ok_or_else(|| BuiltinError::Operand(format!("operand {} is missing", index.saturating_add(1))))
}

/// The error of an operand of a wrong type.
pub fn wrong(index: usize, got: &Value, expected: &[&str]) -> BuiltinError {
    let (number, got) = (index.saturating_add(1), got.type_name());
    BuiltinError::Operand(match expected {
        [one] => format!("operand {number} must be {one} but got {got}"),
        many => format!("operand {number} must be one of {{{}}} but got {got}", many.join(", ")),
    })
}

/// A string.
pub fn string(operands: &[Value], index: usize) -> Result<&ArcStr, BuiltinError> {
    let value = at(operands, index)?;
    value.as_str().ok_or_else(|| wrong(index, value, &["string"]))
}

/// An array.
pub fn array(operands: &[Value], index: usize) -> Result<&[Value], BuiltinError> {
    let value = at(operands, index)?;
    value.as_array().ok_or_else(|| wrong(index, value, &["array"]))
}

/// An object.
pub fn object(operands: &[Value], index: usize) -> Result<&Object, BuiltinError> {
    let value = at(operands, index)?;
    value.as_object().ok_or_else(|| wrong(index, value, &["object"]))
}

/// A set.
pub fn set(operands: &[Value], index: usize) -> Result<&Set, BuiltinError> {
    let value = at(operands, index)?;
    value.as_set().ok_or_else(|| wrong(index, value, &["set"]))
}
