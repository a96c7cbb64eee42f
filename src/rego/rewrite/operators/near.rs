//! Comparisons of numbers: by all the 64 bits that OPA has.

use std::cmp::Ordering;

use regorus::Value;

use super::decimal::Wide;

/// How two numbers compare; nothing for what is none.
pub(super) fn order(a: &Value, b: &Value) -> anyhow::Result<Option<Ordering>> {
    let (Some(wide), Some(other)) = (Wide::of(a), Wide::of(b)) else { return Ok(None) };
    // Large integers have more than 64 bits.
    let is_held = |value: &Value| !is_integer(value) || value.as_i64().is_ok() || value.as_u64().is_ok();
    if is_held(a) && is_held(b) {
        return Ok(Some(wide.order(other)));
    }
    Ok(Some(outer(a)?.cmp(&outer(b)?)))
}

/// What another operator handed over, as a number; other values as they are.
pub(super) fn outer(value: &Value) -> anyhow::Result<Value> {
    match (value, Wide::of(value)) {
        (Value::Array(_), Some(wide)) => {
            wide.value().map_err(|error| anyhow::anyhow!("limit: an operand of a comparison {error}"))
        }
        _ => Ok(value.clone()),
    }
}

fn is_integer(value: &Value) -> bool {
    value.as_number().is_ok_and(|number| number.is_integer())
}
