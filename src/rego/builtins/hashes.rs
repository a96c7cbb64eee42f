//! `crypto.md5`, `crypto.sha*` and `crypto.hmac.*` (OPA: `v1/topdown/crypto.go`).

use hmac::{Hmac, Mac, digest::KeyInit};
use md5::{Digest, Md5};
use regorus::Value;
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use subtle::ConstantTimeEq;

use super::error::BuiltinError;
use super::{Builtin, operand};

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "crypto.md5", operands: 1, call: hash::<Md5> },
    Builtin { name: "crypto.sha1", operands: 1, call: hash::<Sha1> },
    Builtin { name: "crypto.sha256", operands: 1, call: hash::<Sha256> },
    Builtin { name: "crypto.hmac.md5", operands: 2, call: mac::<Hmac<Md5>> },
    Builtin { name: "crypto.hmac.sha1", operands: 2, call: mac::<Hmac<Sha1>> },
    Builtin { name: "crypto.hmac.sha256", operands: 2, call: mac::<Hmac<Sha256>> },
    Builtin { name: "crypto.hmac.sha512", operands: 2, call: mac::<Hmac<Sha512>> },
    Builtin { name: "crypto.hmac.equal", operands: 2, call: equal },
];

fn hash<H: Digest>(values: &[Value]) -> Result<Value, BuiltinError> {
    let text = operand::string(values, 1)?;
    Ok(Value::from(hex(&H::digest(text))))
}

/// The code of a message, with a key.
fn mac<M: Mac + KeyInit>(values: &[Value]) -> Result<Value, BuiltinError> {
    let (message, key) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let code = authenticate::<M>(key.as_bytes(), &[message.as_bytes()])?;
    Ok(Value::from(hex(&code)))
}

/// The code of a message in parts, with a key.
pub(super) fn authenticate<M: Mac + KeyInit>(key: &[u8], message: &[&[u8]]) -> Result<Vec<u8>, BuiltinError> {
    let mut mac = <M as Mac>::new_from_slice(key).map_err(|error| BuiltinError::other(error.to_string()))?;
    message.iter().for_each(|part| mac.update(part));
    Ok(mac.finalize().into_bytes().to_vec())
}

fn equal(values: &[Value]) -> Result<Value, BuiltinError> {
    let (a, b) = (operand::string(values, 1)?, operand::string(values, 2)?);
    Ok(Value::from(bool::from(a.as_bytes().ct_eq(b.as_bytes()))))
}

/// Bytes in lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
