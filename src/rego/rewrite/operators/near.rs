//! Comparisons of numbers. A fraction of many digits that was computed may have lost what OPA decides by: of two that are that near
//! to one another, but not equal, nobody can say which one is larger, and the evaluation ends.

use std::cmp::Ordering;

use anyhow::bail;
use regorus::Value;

use super::decimal::{Wide, is_landmark, is_short};

/// How near, of the larger one: 32 units of the last of 53 bits.
const NEAR: f64 = 1.0 / 281_474_976_710_656.0;

/// How two numbers compare; nothing for what is none.
pub(super) fn order(a: &Value, b: &Value) -> anyhow::Result<Option<Ordering>> {
    if let (Value::Number(_), Value::Number(_)) = (a, b) {
        return plain(a, b).map(Some);
    }
    let (Some(wide), Some(other)) = (Wide::of(a), Wide::of(b)) else { return Ok(None) };
    // Large integers have more than 64 bits.
    let is_held = |value: &Value| !is_integer(value) || value.as_i64().is_ok() || value.as_u64().is_ok();
    if wide.is_sure() && other.is_sure() && is_held(a) && is_held(b) {
        return Ok(Some(wide.order(other)));
    }
    plain(&outer(a)?, &outer(b)?).map(Some)
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

fn plain(a: &Value, b: &Value) -> anyhow::Result<Ordering> {
    let order = a.cmp(b);
    if order.is_ne()
        && let (Ok(x), Ok(y)) = (a.as_f64(), b.as_f64())
        && is_doubtful(x, y)
    {
        bail!(
            "limit: a comparison of {x} and {y}: two fractions are too near to be told apart: round them first, as in round(x * 1000) / 1000"
        );
    }
    Ok(order)
}

/// Whether one of two different numbers may be on the wrong side of the other. What is next to a decimal, or to a quotient, is on
/// its side, and that of a document is what it says.
fn is_doubtful(x: f64, y: f64) -> bool {
    let is_long = |number: f64| number.fract() != 0.0 && !is_short(number);
    #[allow(clippy::float_cmp, reason = "just the next float")]
    let is_next = x.next_up() == y || x.next_down() == y;
    (x - y).abs() <= x.abs().max(y.abs()) * NEAR && (is_long(x) || is_long(y)) && !(is_next && (is_landmark(x) || is_landmark(y)))
}

/// Whether rounding a number may come to another integer than in OPA: it is near one, or with `half` near the middle of two.
pub(super) fn is_doubtful_step(value: &Value, half: bool) -> bool {
    let Ok(number) = value.as_f64() else { return false };
    let step = if half { number.floor() + 0.5 } else { number.round() };
    #[allow(clippy::float_cmp, reason = "just this float")]
    let is_other = number != step;
    is_other && is_doubtful(number, step)
}
