//! `hex.*`.

use crate::builtins::crypto::hash;
use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::{Context, bytes, operand, quote};
use crate::value::Value;

pub(super) fn encode(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len().saturating_mul(2))?;
    Ok(Some(hash::hex(&bytes::of(text))))
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
#[inline]
fn digit(byte: u8) -> Result<u8, BuiltinError> {
    match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        b'A'..=b'F' => Ok(byte - b'A' + 10),
        _ => Err(no_digit(byte)),
    }
}

fn no_digit(byte: u8) -> BuiltinError {
    let c = char::from(byte);
    let shown = if quote::is_printable(c) { format!(" '{c}'") } else { String::new() };
    BuiltinError::failed(format!("encoding/hex: invalid byte: U+{byte:04X}{shown}"))
}
