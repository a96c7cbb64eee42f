//! Integers of 64 bits (Go: `fmtInteger`, `fmtC`, `fmtQc`, `fmtUnicode`).

use num_bigint::BigInt;

use super::spec::Spec;
use crate::builtins::error::BuiltinError;
use crate::builtins::output::Output;
use crate::builtins::quote;
use crate::limits::Halt;
use crate::value::Value;
use crate::value::number::arithmetic;

/// Whether the verb is one for integers; it is written then.
pub(super) fn write(integer: i64, verb: char, spec: &Spec, out: &mut Output<'_>) -> Result<bool, Halt> {
    let value = integer.unsigned_abs();
    let digits = match verb {
        'v' | 'd' => value.to_string(),
        'b' => format!("{value:b}"),
        'o' | 'O' => format!("{value:o}"),
        'x' => format!("{value:x}"),
        'X' => format!("{value:X}"),
        _ => return character(integer, verb, spec, out),
    };
    number(integer < 0, &digits, verb, spec, out)?;
    Ok(true)
}

fn number(negative: bool, digits: &str, verb: char, spec: &Spec, out: &mut Output<'_>) -> Result<(), Halt> {
    if spec.precision == Some(0) && digits == "0" {
        return out.repeat(' ', spec.width.unwrap_or(0));
    }
    let sign = spec.sign(negative);
    let least = match (spec.precision, spec.width) {
        (Some(precision), _) => precision,
        (None, Some(width)) if spec.zero && !spec.minus => width.saturating_sub(sign.len()),
        _ => 0,
    };
    let zeros = least.saturating_sub(digits.len());
    let prefix = prefix(verb, spec, zeros > 0 || digits.starts_with('0'));
    let characters = [sign.len(), prefix.len(), zeros, digits.len()].into_iter().fold(0, usize::saturating_add);
    spec.blank().padded(characters, out, |out| {
        out.push(sign)?;
        out.push(prefix)?;
        out.repeat('0', zeros)?;
        out.push(digits)
    })
}

fn prefix(verb: char, spec: &Spec, begins_with_zero: bool) -> &'static str {
    match verb {
        'b' if spec.sharp => "0b",
        'x' if spec.sharp => "0x",
        'X' if spec.sharp => "0X",
        'o' if spec.sharp && !begins_with_zero => "0",
        'O' if spec.sharp && !begins_with_zero => "0o0",
        'O' => "0o",
        _ => "",
    }
}

fn character(integer: i64, verb: char, spec: &Spec, out: &mut Output<'_>) -> Result<bool, Halt> {
    let c = u32::try_from(integer).ok().and_then(char::from_u32);
    let shown = c.unwrap_or(char::REPLACEMENT_CHARACTER);
    match verb {
        'c' => spec.pad(shown.encode_utf8(&mut [0; 4]), out)?,
        'q' => spec.pad(&quote::character(shown, spec.plus), out)?,
        'U' => unicode(integer, c, spec, out)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// `U+0041`, with `#` also `U+0041 'A'`.
fn unicode(integer: i64, c: Option<char>, spec: &Spec, out: &mut Output<'_>) -> Result<(), Halt> {
    let digits = format!("{integer:X}");
    let zeros = spec.precision.unwrap_or(4).max(4).saturating_sub(digits.len());
    let shown = c.filter(|c| spec.sharp && quote::is_printable(*c)).map(|c| format!(" '{c}'")).unwrap_or_default();
    let characters = [2, zeros, digits.len(), shown.chars().count()].into_iter().fold(0, usize::saturating_add);
    spec.blank().padded(characters, out, |out| {
        out.push("U+")?;
        out.repeat('0', zeros)?;
        out.push(&digits)?;
        out.push(&shown)
    })
}

/// An integer, or what stands before the point of a number.
pub(super) fn whole(number: &Value) -> Result<BigInt, BuiltinError> {
    let cut = match number {
        Value::Int(integer) => return Ok((*integer).into()),
        Value::Number(written) if !written.text().contains(['.', 'e', 'E']) => number.as_integer(),
        _ => arithmetic::truncate(number).and_then(Result::ok).and_then(|whole| whole.as_integer()),
    };
    cut.ok_or_else(|| BuiltinError::failed("illegal value"))
}
