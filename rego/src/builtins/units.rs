//! Numbers with units (`v1/topdown/parse_units.go`, `parse_bytes.go`, on Go's `math/big`).

mod amount;
mod wide;

use num_bigint::BigUint;

use super::error::Answer;

use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context, operand};
use crate::value::Value;
use amount::Amount;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("units.parse", &[Type::String], Some(Type::Number)).by(parse),
    row("units.parse_bytes", &[Type::String], Some(Type::Number)).by(parse_bytes),
];

const PREFIXES: &str = "kmgtpe";
/// Digits of an exponent that OPA reads.
const EXPONENT: usize = 6;

/// A number and a unit.
fn split(text: &str) -> Result<(&str, &str), BuiltinError> {
    let too_large = || BuiltinError::failed("exponent too large");
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let (mut at, mut end) = (0, text.len());
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' | b'.' | b'+' | b'-' => {}
            b'e' | b'E' => {
                let signed = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
                if !signed && !is_digit(at + 1) {
                    end = at;
                    break;
                }
                at += usize::from(signed);
                if (at + 1..=at + 1 + EXPONENT).all(is_digit) {
                    return Err(too_large());
                }
            }
            _ => {
                end = at;
                break;
            }
        }
        at += 1;
    }
    Ok(text.split_at_checked(end).unwrap_or((text, "")))
}

/// Which power of a thousand, or of 1,024, a unit is.
fn power(prefix: char, binary: bool) -> Option<u64> {
    let place = PREFIXES.find(prefix)?;
    let power = u32::try_from(place).ok()?.checked_add(1)?;
    if binary { 1024_u64 } else { 1000 }.checked_pow(power)
}

fn read<'t>(context: &mut Context, text: &'t str, function: &str) -> Result<(Amount, &'t str), BuiltinError> {
    let failed = |what: &str| BuiltinError::failed(format!("{function}: {what}"));
    if text.contains(' ') {
        return Err(failed("spaces not allowed in resource strings"));
    }
    let (number, unit) = split(text).map_err(|error| failed(&error.to_string()))?;
    let (none, wrong) = match function {
        "units.parse" => ("no amount provided", "could not parse amount to a number"),
        _ => ("no byte amount provided", "could not parse byte amount to a number"),
    };
    if number.is_empty() {
        return Err(failed(none));
    }
    Ok((Amount::parse(context, number)?.ok_or_else(|| failed(wrong))?, unit))
}

fn parse(context: &mut Context, operands: &[Value]) -> Answer {
    let text = charged(context, operands)?.replace('"', "");
    let (amount, unit) = read(context, &text, "units.parse")?;
    let mut letters = unit.chars();
    let (first, rest) = (letters.next(), letters.as_str().to_lowercase());
    let shown = first.map(String::from).unwrap_or_default();
    let unrecognized = || BuiltinError::failed(format!("units.parse: unit {shown}{rest} not recognized"));
    match (first, rest.as_str()) {
        (None, _) => amount.times(&BigUint::from(1_u8)),
        // Thousandths are small, millions large; OPA's thousandth is the nearest double.
        (Some('m'), "") => amount.thousandths(),
        (Some(prefix), "") => amount.times(&power(prefix.to_ascii_lowercase(), false).ok_or_else(unrecognized)?.into()),
        (Some(prefix), "i") => amount.times(&power(prefix.to_ascii_lowercase(), true).ok_or_else(unrecognized)?.into()),
        _ => return Err(unrecognized()),
    }
    .decimal()
    .map(Some)
}

fn parse_bytes(context: &mut Context, operands: &[Value]) -> Answer {
    let text = charged(context, operands)?.to_lowercase().replace('"', "");
    let (amount, unit) = read(context, &text, "units.parse_bytes")?;
    let unrecognized = || BuiltinError::failed(format!("units.parse_bytes: byte unit {unit} not recognized"));
    let mut letters = unit.chars();
    let factor = match (letters.next(), letters.as_str()) {
        (None, _) => Some(1),
        (Some(prefix), "" | "b") => power(prefix, false),
        (Some(prefix), "i" | "ib") => power(prefix, true),
        _ => None,
    };
    amount.bytes(factor.ok_or_else(unrecognized)?).map(Some)
}

fn charged<'v>(context: &mut Context, operands: &'v [Value]) -> Result<&'v str, BuiltinError> {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len().saturating_mul(2))?;
    Ok(text)
}
