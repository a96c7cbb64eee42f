//! `array.flatten` (OPA: `v1/topdown/array.go`).

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};

pub(super) const BUILTINS: &[Builtin] = &[Builtin { name: "array.flatten", operands: 1, call: flatten }];

/// The elements, with those of arrays among them in their place; one level only.
fn flatten(values: &[Value]) -> Result<Value, BuiltinError> {
    let mut flat = Vec::new();
    for element in operand::array(values, 1)? {
        match element {
            Value::Array(inner) => flat.extend(inner.iter().cloned()),
            other => flat.push(other.clone()),
        }
    }
    Ok(flat.into())
}
