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
    // What is no digit is said first.
    if let Some(other) = whole.iter().find(|byte| !byte.is_ascii_hexdigit()) {
        return Err(no_digit(*other));
    }
    match whole.as_chunks::<2>() {
        (pairs, []) => {
            let decoded = pairs.iter().map(|[high, low]| half(*high) << 4 | half(*low)).collect();
            Ok(Some(bytes::text(decoded).into()))
        }
        _ => Err(BuiltinError::failed("encoding/hex: odd length hex string")),
    }
}

/// Returns the half byte that a hexadecimal digit stands for. It has no branches, so that the compiler can read many digits at once.
fn half(digit: u8) -> u8 {
    (digit & 15).wrapping_add(9_u8.wrapping_mul(digit >> 6))
}

fn no_digit(byte: u8) -> BuiltinError {
    let c = char::from(byte);
    let shown = if quote::is_printable(c) { format!(" '{c}'") } else { String::new() };
    BuiltinError::failed(format!("encoding/hex: invalid byte: U+{byte:04X}{shown}"))
}
