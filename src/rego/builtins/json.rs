//! `json.marshal` and its kin, and `to_number`: JSON to the letter as Go writes and reads it (OPA: `v1/topdown/{encoding,casts}.go`).

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};

mod notation;
mod number;
mod read;
mod write;

pub(super) use notation::members;
pub(super) use read::read;
use write::Layout;
pub(super) use write::compact;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "json.is_valid", operands: 1, call: is_valid },
    Builtin { name: "json.marshal", operands: 1, call: |values| compact(operand::any(values, 1)).map(Value::from) },
    Builtin { name: "json.marshal_with_options", operands: 2, call: marshal_with_options },
    Builtin { name: "json.unmarshal", operands: 1, call: |values| read(operand::string(values, 1)?) },
    Builtin { name: "to_number", operands: 1, call: to_number },
];

/// Bytes that one call may make.
const BYTES: usize = 16 << 20;

fn is_valid(values: &[Value]) -> Result<Value, BuiltinError> {
    match operand::any(values, 1) {
        Value::String(text) => read::is_valid(text).map(Value::from),
        _ => Ok(Value::from(false)),
    }
}

/// With a prefix or an indent it is written over several lines, unless `pretty` says otherwise.
fn marshal_with_options(values: &[Value]) -> Result<Value, BuiltinError> {
    let Value::Object(options) = operand::any(values, 2) else {
        return Err(operand::wrong(2, "object", operand::any(values, 2)));
    };
    let (mut layout, mut implied, mut said) = (Layout::default(), false, None);
    for (key, option) in options.iter_sorted() {
        let (Value::String(key), text) = (key, option.as_string()) else {
            return Err(BuiltinError::operand(2, "failed to stringify key"));
        };
        match (key.as_ref(), text, option) {
            ("prefix", Ok(text), _) => layout.prefix = text.to_string(),
            ("indent", Ok(text), _) => layout.indent = text.to_string(),
            ("pretty", _, Value::Bool(pretty)) => said = Some(*pretty),
            ("pretty", ..) => return Err(BuiltinError::operand(2, "key pretty failed cast to bool")),
            ("prefix" | "indent", ..) => {
                return Err(BuiltinError::operand(2, format!("key {key} failed cast to string")));
            }
            _ => return Err(BuiltinError::operand(2, format!("object contained unknown key {key}"))),
        }
        implied |= key.as_ref() != "pretty";
    }
    let value = operand::any(values, 1);
    if said.unwrap_or(implied) { write::pretty(value, &layout).map(Value::from) } else { compact(value).map(Value::from) }
}

fn to_number(values: &[Value]) -> Result<Value, BuiltinError> {
    match operand::any(values, 1) {
        Value::Null | Value::Bool(false) => Ok(Value::from(0_u64)),
        Value::Bool(true) => Ok(Value::from(1_u64)),
        number @ Value::Number(_) => Ok(number.clone()),
        Value::String(text) => number::parse(text),
        other => Err(operand::wrong(1, "one of {null, boolean, number, string}", other)),
    }
}
