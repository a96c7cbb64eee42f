//! `hex.*`.

use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::{Context, bytes, operand, quote};
use crate::value::Value;

pub(super) fn encode(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len().saturating_mul(2))?;
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    Ok(Some(bytes::of(text).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect::<String>().into()))
}

pub(super) fn decode(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len())?;
    let whole = bytes::of(text);
    let (pairs, rest) = whole.as_chunks::<2>();
    let mut decoded = Vec::with_capacity(pairs.len());
    for [high, low] in pairs {
        decoded.push(digit(*high)? << 4 | digit(*low)?);
    }
    match rest.first() {
        // What is no digit is said first.
        Some(odd) => digit(*odd).and(Err(BuiltinError::failed("encoding/hex: odd length hex string"))),
        None => Ok(Some(bytes::text(decoded).into())),
    }
}

/// The half byte that a digit is.
fn digit(byte: u8) -> Result<u8, BuiltinError> {
    let digit = char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let c = char::from(byte);
    let shown = if quote::is_printable(c) { format!(" '{c}'") } else { String::new() };
    digit.ok_or_else(|| BuiltinError::failed(format!("encoding/hex: invalid byte: U+{byte:04X}{shown}")))
}
