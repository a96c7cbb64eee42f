//! Digests, and message authentication codes.

use hmac::Mac;
use hmac::digest::KeyInit;
use md5::Digest;
use subtle::ConstantTimeEq;

use crate::builtins::error::Answer;
use crate::builtins::{BuiltinError, Context, bytes, operand};
use crate::value::Value;

/// The digest of a text, in hexadecimal digits.
pub(super) fn digest<H: Digest>(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len())?;
    Ok(Some(hex(&H::digest(bytes::of(text)))))
}

/// The code of a message with a key, in hexadecimal digits.
pub(super) fn mac<M: Mac + KeyInit>(context: &mut Context, operands: &[&Value]) -> Answer {
    let (message, key) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    context.account.charge(message.len().saturating_add(key.len()))?;
    let code = authenticate::<M>(&bytes::of(key), &bytes::of(message))?;
    Ok(Some(hex(&code)))
}

/// The code of a message with a key.
pub(in crate::builtins) fn authenticate<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Result<Vec<u8>, BuiltinError> {
    let mut mac = <M as Mac>::new_from_slice(key).map_err(|error| BuiltinError::failed(error.to_string()))?;
    mac.update(message);
    Ok(mac.finalize().into_bytes().to_vec())
}

/// Whether two codes are the same; compared in constant time.
pub(super) fn equal(context: &mut Context, operands: &[&Value]) -> Answer {
    let (a, b) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    context.account.charge(a.len())?;
    Ok(Some(Value::from(bool::from(a.as_bytes().ct_eq(b.as_bytes())))))
}

/// Bytes in lower-case hexadecimal digits.
pub(in crate::builtins) fn hex(bytes: &[u8]) -> Value {
    let mut digits = vec![0; bytes.len().saturating_mul(2)];
    for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [bytes::digit(byte >> 4, b'a'), bytes::digit(byte & 15, b'a')];
    }
    Value::from(bytes::text(digits))
}
