//! `regex.globs_match`: whether some text matches both globs (OPA: `builtinGlobsMatch`, on `yashtewari/glob-intersection`).

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};

mod meet;
mod tokens;

pub(super) const BUILTINS: &[Builtin] = &[Builtin { name: "regex.globs_match", operands: 2, call: globs_match }];

fn globs_match(values: &[Value]) -> Result<Value, BuiltinError> {
    let (left, right) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let (left, right) = (tokens::glob(left)?, tokens::glob(right)?);
    meet::meet(&left, &right).map(Value::from)
}
