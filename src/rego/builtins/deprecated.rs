//! What Rego v1 has given up and v0 modules still call (OPA: `v1/topdown/{aggregates,casts,regex,sets}.go`).

use std::collections::BTreeSet;

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand, regexes};
use crate::rego::order;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "all", operands: 1, call: all },
    Builtin { name: "any", operands: 1, call: any },
    Builtin { name: "cast_array", operands: 1, call: array },
    Builtin { name: "cast_boolean", operands: 1, call: |values| cast(values, "boolean") },
    Builtin { name: "cast_null", operands: 1, call: |values| cast(values, "null") },
    Builtin { name: "cast_object", operands: 1, call: |values| cast(values, "object") },
    Builtin { name: "cast_set", operands: 1, call: set },
    Builtin { name: "cast_string", operands: 1, call: |values| cast(values, "string") },
    Builtin { name: "re_match", operands: 2, call: regexes::is_match },
    Builtin { name: "set_diff", operands: 2, call: set_diff },
];

/// The elements of an array or a set, sets sorted.
fn elements(values: &[Value]) -> Result<Vec<Value>, BuiltinError> {
    match operand::any(values, 1) {
        Value::Array(items) => Ok(items.iter().cloned().collect()),
        Value::Set(items) => {
            let members = order::members(items).map_err(|error| BuiltinError::Limit(error.to_string()))?;
            Ok(members.into_iter().cloned().collect())
        }
        other => Err(operand::wrong(1, "one of {array, set}", other)),
    }
}

fn all(values: &[Value]) -> Result<Value, BuiltinError> {
    Ok(elements(values)?.iter().all(|item| *item == Value::Bool(true)).into())
}

fn any(values: &[Value]) -> Result<Value, BuiltinError> {
    Ok(elements(values)?.contains(&Value::Bool(true)).into())
}

fn array(values: &[Value]) -> Result<Value, BuiltinError> {
    elements(values).map(Value::from)
}

fn set(values: &[Value]) -> Result<Value, BuiltinError> {
    elements(values).map(|items| items.into_iter().collect::<BTreeSet<_>>().into())
}

/// The operand, if it is of a type already.
fn cast(values: &[Value], wanted: &str) -> Result<Value, BuiltinError> {
    let value = operand::any(values, 1);
    if operand::type_name(value) == wanted { Ok(value.clone()) } else { Err(operand::wrong(1, wanted, value)) }
}

fn set_diff(values: &[Value]) -> Result<Value, BuiltinError> {
    match (operand::any(values, 1), operand::any(values, 2)) {
        (Value::Set(a), Value::Set(b)) => Ok(a.difference(b).into()),
        (Value::Set(_), other) => Err(operand::wrong(2, "set", other)),
        (other, _) => Err(operand::wrong(1, "set", other)),
    }
}
