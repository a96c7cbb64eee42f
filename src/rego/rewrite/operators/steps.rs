//! `abs`, `ceil`, `floor` and `round`, where OPA's answers are not the interpreter's (opa `v1/topdown/arithmetic.go`).

use anyhow::{anyhow, bail};
use regorus::Value;

use super::decimal::Wide;
use super::near;

/// The answer; nothing where the interpreter has the same one.
pub(in crate::rego::rewrite) fn stepped(name: &str, value: &Value) -> anyhow::Result<Option<Value>> {
    let Ok(number) = value.as_number() else { return Ok(None) };
    if number.is_integer() {
        return if value.as_i64().is_ok() || value.as_u64().is_ok() { Ok(None) } else { large(name, value).map(Some) };
    }
    if name != "abs" && near::is_doubtful_step(value, name == "round") {
        bail!("would round a fraction that is too near to be told apart from another result: round it to some digits first");
    }
    // OPA rounds towards zero before it looks at the sign.
    let below = number.as_f64().is_some_and(|number| number > -1.0 && number < 0.0);
    Ok((name == "floor" && below).then(|| Value::from(0)))
}

/// Whole numbers go through 64 bits of mantissa too; what was rounded is then written with all digits.
fn large(name: &str, value: &Value) -> anyhow::Result<Value> {
    let Some(wide) = Wide::of(value) else { bail!("has no number") };
    if name == "abs" {
        return Ok(wide.abs().value()?);
    }
    wide.expanded().ok_or_else(|| anyhow!("has too large a number"))
}
