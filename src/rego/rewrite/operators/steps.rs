//! `abs`, `ceil`, `floor` and `round`, where OPA's answers are not the interpreter's (opa `v1/topdown/arithmetic.go`).

use anyhow::{anyhow, bail};
use regorus::Value;

use super::decimal::Wide;

/// The answer; nothing where the interpreter has the same one.
pub(in crate::rego::rewrite) fn stepped(name: &str, value: &Value) -> anyhow::Result<Option<Value>> {
    let Ok(number) = value.as_number() else { return Ok(None) };
    if number.is_integer() {
        return if value.as_i64().is_ok() || value.as_u64().is_ok() { Ok(None) } else { large(name, value).map(Some) };
    }
    fraction(name, value).map(Some)
}

/// OPA cuts the fraction off first and looks at the sign of what is left, which zero has not.
fn fraction(name: &str, value: &Value) -> anyhow::Result<Value> {
    let (wide, half) = (Wide::of(value), Wide::of(&Value::from(0.5)));
    let (Some(wide), Some(half)) = (wide, half) else { bail!("has no number") };
    let rounded = if wide.is_negative() { wide.sub(half) } else { wide.add(half) };
    let taken = if name == "round" { rounded } else { Some(wide) };
    let Some(whole) = taken.and_then(Wide::whole_part) else { bail!("has too large a number") };
    let zero = Value::from(0);
    let step = match name {
        "abs" => return Ok(wide.abs().value()?),
        "ceil" if whole >= zero => 1_i64,
        "floor" if whole < zero => -1,
        _ => return Ok(whole),
    };
    Ok(Value::Number(whole.as_number()?.add(Value::from(step).as_number()?)?))
}

/// Whole numbers go through 64 bits of mantissa too; what was rounded is then written with all digits.
fn large(name: &str, value: &Value) -> anyhow::Result<Value> {
    let Some(wide) = Wide::of(value) else { bail!("has no number") };
    if name == "abs" {
        return Ok(wide.abs().value()?);
    }
    wide.expanded().ok_or_else(|| anyhow!("has too large a number"))
}
