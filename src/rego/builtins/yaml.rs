//! `yaml.*` as OPA does it, on `go.yaml.in/yaml/v3` (opa `internal/yaml`, `v1/topdown/encoding.go`). Where a text means
//! something else to the reader here than to Go's, and nobody can see which, evaluation ends with an error.

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};

mod emit;
mod keys;
mod load;
mod scalar;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "yaml.is_valid", operands: 1, call: is_valid },
    Builtin { name: "yaml.marshal", operands: 1, call: |values| emit::emit(operand::any(values, 1)).map(Value::from) },
    Builtin { name: "yaml.unmarshal", operands: 1, call: |values| load::load(operand::string(values, 1)?) },
];

fn is_valid(values: &[Value]) -> Result<Value, BuiltinError> {
    match operand::any(values, 1) {
        Value::String(text) => load::is_valid(text).map(Value::from),
        _ => Ok(Value::from(false)),
    }
}
