//! `object.subset`: objects inside objects, sets in sets, arrays in arrays, sets in arrays.

use regorus::Value;

use super::super::error::BuiltinError;
use super::super::{operand, steps};

/// Comparisons of elements that one call may take.
const COMPARISONS: usize = 100_000_000;

pub(super) fn subset(values: &[Value]) -> Result<Value, BuiltinError> {
    let mut left = COMPARISONS;
    match (operand::any(values, 1), operand::any(values, 2)) {
        // OPA counts elements of the array, equal ones too, and looks at the count when there is one.
        (Value::Array(whole), Value::Set(part)) => {
            let mut found = 0_usize;
            for element in whole.iter() {
                found = found.saturating_add(usize::from(steps::holds(part, element)?));
            }
            Ok((found >= part.len() && !whole.is_empty()).into())
        }
        (whole, part) if of_one_kind(whole, part) => within(whole, part, &mut left).map(Value::from),
        _ => Err(BuiltinError::other("both arguments object.subset must be of the same type or array and set")),
    }
}

fn of_one_kind(whole: &Value, part: &Value) -> bool {
    matches!(
        (whole, part),
        (Value::Object(_), Value::Object(_)) | (Value::Set(_), Value::Set(_)) | (Value::Array(_), Value::Array(_))
    )
}

fn within(whole: &Value, part: &Value, left: &mut usize) -> Result<bool, BuiltinError> {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            for (key, part) in part.iter_sorted() {
                let Some(whole) = whole.get(key) else { return Ok(false) };
                if !steps::equal(whole, part)? && !within(whole, part, left)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Set(whole), Value::Set(part)) => {
            for member in part.iter() {
                if !steps::holds(whole, member)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Array(whole), Value::Array(part)) => run(whole.as_slice(), part.as_slice(), left),
        _ => Ok(false),
    }
}

/// Whether the part stands in the whole, in one piece.
fn run(whole: &[Value], part: &[Value], left: &mut usize) -> Result<bool, BuiltinError> {
    if part.is_empty() {
        return Ok(true);
    }
    spend(left, whole.len().saturating_mul(part.len()))?;
    for piece in whole.windows(part.len()) {
        if steps::all_equal(piece.iter().zip(part))? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn spend(left: &mut usize, comparisons: usize) -> Result<(), BuiltinError> {
    let too_many = || BuiltinError::Limit(format!("would make more than {COMPARISONS} comparisons"));
    *left = left.checked_sub(comparisons).ok_or_else(too_many)?;
    Ok(())
}
