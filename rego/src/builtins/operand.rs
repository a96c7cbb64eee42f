//! Operands of the type that a builtin wants, or OPA's error (`v1/topdown/builtins/builtins.go`).

use num_bigint::BigInt;

use super::BuiltinError;
use crate::value::{Object, Set, Str, Value};

/// The operand at an index.
#[inline]
pub fn at<'o>(operands: &[&'o Value], index: usize) -> Result<&'o Value, BuiltinError> {
    operands.get(index).copied().ok_or_else(|| missing(index))
}

#[cold]
fn missing(index: usize) -> BuiltinError {
    BuiltinError::operand(format!("operand {} is missing", index.saturating_add(1)))
}

/// The error of an operand of a wrong type.
#[cold]
pub fn wrong(index: usize, got: &Value, expected: &[&str]) -> BuiltinError {
    let (number, got) = (index.saturating_add(1), got.type_name());
    BuiltinError::operand(match expected {
        [one] => format!("operand {number} must be {one} but got {got}"),
        many => format!("operand {number} must be one of {{{}}} but got {got}", many.join(", ")),
    })
}

/// A string.
#[inline]
pub fn string<'o>(operands: &[&'o Value], index: usize) -> Result<&'o Str, BuiltinError> {
    let value = at(operands, index)?;
    value.as_str().ok_or_else(|| wrong(index, value, &["string"]))
}

/// An array.
pub fn array<'o>(operands: &[&'o Value], index: usize) -> Result<&'o [Value], BuiltinError> {
    let value = at(operands, index)?;
    value.as_array().ok_or_else(|| wrong(index, value, &["array"]))
}

/// An object.
pub fn object<'o>(operands: &[&'o Value], index: usize) -> Result<&'o Object, BuiltinError> {
    let value = at(operands, index)?;
    value.as_object().ok_or_else(|| wrong(index, value, &["object"]))
}

/// A set.
pub fn set<'o>(operands: &[&'o Value], index: usize) -> Result<&'o Set, BuiltinError> {
    let value = at(operands, index)?;
    value.as_set().ok_or_else(|| wrong(index, value, &["set"]))
}

/// A whole number of 64 bits.
pub fn integer(operands: &[&Value], index: usize) -> Result<i64, BuiltinError> {
    let value = at(operands, index)?;
    if !value.is_number() {
        return Err(wrong(index, value, &["number"]));
    }
    value.as_i64().ok_or_else(|| invalid(index, "must be integer number but got floating-point number"))
}

/// The error of an operand that is of the right type and wrong all the same.
pub fn invalid(index: usize, what: impl std::fmt::Display) -> BuiltinError {
    BuiltinError::operand(format!("operand {} {what}", index.saturating_add(1)))
}

/// The error of a collection with a member of a wrong type.
pub fn wrong_member(index: usize, collection: &Value, got: &Value, expected: &str) -> BuiltinError {
    let (collection, got) = (collection.type_name(), got.type_name());
    invalid(index, format!("must be {collection} of {expected}s but got {collection} containing {got}"))
}

/// A whole number of any size (`BigIntOperand`).
pub fn big_integer(operands: &[&Value], index: usize) -> Result<BigInt, BuiltinError> {
    let value = at(operands, index)?;
    if !value.is_number() {
        return Err(wrong(index, value, &["integer"]));
    }
    value.as_integer().ok_or_else(|| invalid(index, "must be integer number but got floating-point number"))
}

/// The items of an array, or the members of a set in order; otherwise the error, with the types in this order.
pub fn items<'o>(operands: &[&'o Value], index: usize, expected: &[&str]) -> Result<&'o [Value], BuiltinError> {
    match at(operands, index)? {
        Value::Array(array) => Ok(array.items()),
        Value::Set(set) => Ok(set.members()),
        other => Err(wrong(index, other, expected)),
    }
}
