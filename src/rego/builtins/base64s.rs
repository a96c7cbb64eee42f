//! `base64.decode`, `base64.is_valid`, `base64url.decode` and `hex.decode` (OPA: `v1/topdown/encoding.go`); what encodes is the interpreter's.

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, encoding, operand};

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "base64.decode", operands: 1, call: decode },
    Builtin { name: "base64.is_valid", operands: 1, call: is_valid },
    Builtin { name: "base64url.decode", operands: 1, call: decode_url },
    Builtin { name: "hex.decode", operands: 1, call: decode_hex },
];

fn decode(values: &[Value]) -> Result<Value, BuiltinError> {
    let bytes = encoding::base64(operand::string(values, 1)?.as_bytes())?;
    encoding::utf8(bytes).map(Value::from)
}

fn decode_url(values: &[Value]) -> Result<Value, BuiltinError> {
    let bytes = encoding::base64url(operand::string(values, 1)?)?;
    encoding::utf8(bytes).map(Value::from)
}

fn is_valid(values: &[Value]) -> Result<Value, BuiltinError> {
    let valid = operand::string(values, 1).is_ok_and(|text| encoding::base64(text.as_bytes()).is_ok());
    Ok(Value::from(valid))
}

fn decode_hex(values: &[Value]) -> Result<Value, BuiltinError> {
    let text = operand::string(values, 1)?;
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    for [high, low] in pairs {
        bytes.push(hex_digit(*high)? << 4 | hex_digit(*low)?);
    }
    match rest.first() {
        // What is no digit is said first.
        Some(digit) => hex_digit(*digit).and(Err(BuiltinError::other("encoding/hex: odd length hex string"))),
        None => encoding::utf8(bytes).map(Value::from),
    }
}

fn hex_digit(byte: u8) -> Result<u8, BuiltinError> {
    let digit = char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    digit.ok_or_else(|| BuiltinError::other(format!("encoding/hex: invalid byte: U+{byte:04X} '{}'", char::from(byte))))
}
