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

/// The function that is called, by its name, and its words.
struct Words {
    function: &'static str,
    amount: &'static str,
    unit: &'static str,
}

const PARSE: Words = Words { function: "units.parse", amount: "amount", unit: "unit" };
const PARSE_BYTES: Words = Words { function: "units.parse_bytes", amount: "byte amount", unit: "byte unit" };

impl Words {
    fn failed(&self, what: &str) -> BuiltinError {
        BuiltinError::failed(format!("{}: {what}", self.function))
    }

    fn unrecognized(&self, unit: &str) -> BuiltinError {
        self.failed(&format!("{} {unit} not recognized", self.unit))
    }

    /// A number and a unit.
    fn split<'t>(&self, text: &'t str) -> Result<(&'t str, &'t str), BuiltinError> {
        if text.contains(' ') {
            return Err(self.failed("spaces not allowed in resource strings"));
        }
        let (number, unit) = split(text).map_err(|error| self.failed(&error.to_string()))?;
        if number.is_empty() {
            return Err(self.failed(&format!("no {} provided", self.amount)));
        }
        Ok((number, unit))
    }

    fn number(&self, context: &mut Context, number: &str) -> Result<Amount, BuiltinError> {
        let wrong = || self.failed(&format!("could not parse {} to a number", self.amount));
        Amount::parse(context, number)?.ok_or_else(wrong)
    }
}

fn parse(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = charged(context, operands)?.replace('"', "");
    let (number, unit) = PARSE.split(&text)?;
    let mut letters = unit.chars();
    let (first, rest) = (letters.next(), letters.as_str().to_lowercase());
    let factor = match (first, rest.as_str()) {
        (None, _) => Some(1),
        // Thousandths are small, millions large; OPA's thousandth is the nearest double.
        (Some('m'), "") => return PARSE.number(context, number)?.thousandths().decimal().map(Some),
        (Some(prefix), "") => power(prefix.to_ascii_lowercase(), false),
        (Some(prefix), "i") => power(prefix.to_ascii_lowercase(), true),
        _ => None,
    };
    // OPA lowers the letters behind the first byte.
    let shown = |c: char| if c.is_ascii() { c.to_string() } else { "\u{fffd}".repeat(c.len_utf8()) };
    let unrecognized = || PARSE.unrecognized(&format!("{}{rest}", first.map(shown).unwrap_or_default()));
    let factor = BigUint::from(factor.ok_or_else(unrecognized)?);
    PARSE.number(context, number)?.times(&factor).decimal().map(Some)
}

fn parse_bytes(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = charged(context, operands)?.to_lowercase().replace('"', "");
    let (number, unit) = PARSE_BYTES.split(&text)?;
    let mut letters = unit.chars();
    let factor = match (letters.next(), letters.as_str()) {
        (None, _) => Some(1),
        (Some(prefix), "" | "b") => power(prefix, false),
        (Some(prefix), "i" | "ib") => power(prefix, true),
        _ => None,
    };
    let factor = factor.ok_or_else(|| PARSE_BYTES.unrecognized(unit))?;
    PARSE_BYTES.number(context, number)?.bytes(factor).map(Some)
}

fn charged<'v>(context: &mut Context, operands: &[&'v Value]) -> Result<&'v str, BuiltinError> {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len().saturating_mul(2))?;
    Ok(text)
}
