//! Numbers and texts, and what may be asked of any value (`validateCommon`, `validateNumber`, `validateString`).

use num_bigint::BigInt;

use super::finding::{Findings, Place};
use super::format;
use super::keywords::plain;
use super::schema::{Limits, Part};
use super::validate::Validator;
use crate::builtins::{BuiltinError, float};
use crate::value::Value;

/// Digits of a bound that are shown.
const SHOWN: usize = 10;

pub(super) fn validate(
    validator: &mut Validator<'_>,
    part: &Part,
    value: &Value,
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    if value.is_number() {
        number(validator, &part.limits, value, out, place)?;
    }
    common(validator, part, value, out, place)?;
    if let Value::String(text) = value {
        string(validator, part, text, out, place)?;
    }
    Ok(())
}

fn common(
    validator: &mut Validator<'_>,
    part: &Part,
    value: &Value,
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    if part.constant.is_some() || part.enumeration.is_some() {
        let text = plain(value)?;
        validator.account.charge(text.len())?;
        if let Some(allowed) = part.constant.as_ref().filter(|constant| **constant != text) {
            out.add("const", place, format!("{} does not match: {allowed}", place.field()));
        }
        if let Some(allowed) = part.enumeration.as_ref().filter(|allowed| !allowed.contains(&text)) {
            let allowed = allowed.join(", ");
            out.add("enum", place, format!("{} must be one of the following: {allowed}", place.field()));
        }
    }
    if let (Some(name), Value::String(text)) = (&part.format, value) {
        validator.account.charge(text.len())?;
        if !format::fits(name, text) {
            out.add("format", place, format!("Does not match format '{name}'"));
        }
    }
    out.count();
    Ok(())
}

fn string(
    validator: &mut Validator<'_>,
    part: &Part,
    text: &str,
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    validator.account.step(u64::try_from(text.len() / 16).unwrap_or(u64::MAX))?;
    let count = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if let Some(min) = part.limits.length.min.filter(|min| count < *min) {
        out.add("string_gte", place, format!("String length must be greater than or equal to {min}"));
    }
    if let Some(max) = part.limits.length.max.filter(|max| count > *max) {
        out.add("string_lte", place, format!("String length must be less than or equal to {max}"));
    }
    if let Some((_, compiled)) = &part.pattern {
        compiled.has_time_for(validator.account, text)?;
    }
    if let Some((pattern, _)) = part.pattern.as_ref().filter(|(_, compiled)| !compiled.regex.is_match(text)) {
        out.add("pattern", place, format!("Does not match pattern '{pattern}'"));
    }
    out.count();
    Ok(())
}

fn number(
    validator: &mut Validator<'_>,
    limits: &Limits,
    value: &Value,
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    if let Some(of) = &limits.multiple_of
        && !is_multiple(validator, value, of)?
    {
        out.add("multiple_of", place, format!("Must be a multiple of {}", shown(of)));
    }
    let beyond =
        |bound: &Option<Value>, fits: fn(&Value, &Value) -> bool| bound.as_ref().filter(|bound| !fits(value, bound)).map(shown);
    if let Some(max) = beyond(&limits.maximum, |value, max| value <= max) {
        out.add("number_lte", place, format!("Must be less than or equal to {max}"));
    }
    if let Some(max) = beyond(&limits.exclusive_maximum, |value, max| value < max) {
        out.add("number_lt", place, format!("Must be less than {max}"));
    }
    if let Some(min) = beyond(&limits.minimum, |value, min| value >= min) {
        out.add("number_gte", place, format!("Must be greater than or equal to {min}"));
    }
    if let Some(min) = beyond(&limits.exclusive_minimum, |value, min| value > min) {
        out.add("number_gt", place, format!("Must be greater than {min}"));
    }
    out.count();
    Ok(())
}

/// A bound with ten digits.
fn shown(number: &Value) -> String {
    let double = number.as_f64().unwrap_or_default();
    format!("{}{}", if double < 0.0 { "-" } else { "" }, float::general(double.abs(), Some(SHOWN)))
}

fn is_multiple(validator: &mut Validator<'_>, value: &Value, of: &Value) -> Result<bool, BuiltinError> {
    let (Some((a, a_power)), Some((b, b_power))) = (decimal(value), decimal(of)) else { return Ok(false) };
    let power = a_power.saturating_sub(b_power);
    let digits = usize::try_from(power.unsigned_abs()).unwrap_or(usize::MAX);
    validator.account.charge(digits)?;
    validator.account.step(u64::try_from((digits / 64).saturating_mul(digits / 64)).unwrap_or(u64::MAX))?;
    let factor = BigInt::from(10).pow(u32::try_from(power.unsigned_abs()).unwrap_or(u32::MAX));
    let (a, b) = if power < 0 { (a, b * factor) } else { (a * factor, b) };
    Ok(b != BigInt::ZERO && a % b == BigInt::ZERO)
}

/// Digits, and a power of ten.
fn decimal(number: &Value) -> Option<(BigInt, i64)> {
    let text = number.to_string();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().ok()?;
    Some((format!("{whole}{fraction}").parse().ok()?, exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?))
}
