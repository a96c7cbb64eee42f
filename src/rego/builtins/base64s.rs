//! `base64.decode`, `base64.is_valid` and `base64url.decode` (OPA: `v1/topdown/encoding.go`); what encodes is the interpreter's.

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, encoding, operand};

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "base64.decode", operands: 1, call: decode },
    Builtin { name: "base64.is_valid", operands: 1, call: is_valid },
    Builtin { name: "base64url.decode", operands: 1, call: decode_url },
];

fn decode(values: &[Value]) -> Result<Value, BuiltinError> {
    let bytes = encoding::base64(operand::string(values, 1)?.as_bytes())?;
    Ok(Value::from(encoding::text(&bytes)))
}

fn decode_url(values: &[Value]) -> Result<Value, BuiltinError> {
    let bytes = encoding::base64url(operand::string(values, 1)?)?;
    Ok(Value::from(encoding::text(&bytes)))
}

fn is_valid(values: &[Value]) -> Result<Value, BuiltinError> {
    let valid = operand::string(values, 1).is_ok_and(|text| encoding::base64(text.as_bytes()).is_ok());
    Ok(Value::from(valid))
}
