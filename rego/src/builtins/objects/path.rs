//! Paths into documents (`v1/topdown/json.go`, `parsePath`): JSON pointers, whose leading slashes may be left out, and arrays of
//! keys.

use super::super::comparison::looked_up;
use super::super::operand::invalid;
use super::super::{BuiltinError, Context};
use crate::limits::Halt;
use crate::value::Value;

/// Keys, from the outside.
pub(super) type Path = Vec<Value>;

/// Reads a path, of the second operand.
pub(super) fn read(context: &mut Context, path: &Value) -> Result<Path, BuiltinError> {
    let deepest = context.account.limits().depth;
    let keys: Path = match path {
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => {
            context.account.charge(text.len().saturating_mul(2))?;
            text.trim_start_matches('/').split('/').map(unescaped).collect()
        }
        Value::Array(keys) => {
            context.account.charge(size_of_val(keys.items()))?;
            keys.items().to_vec()
        }
        other => {
            let got = other.type_name();
            let what = "must be one of {set, array} containing string paths or array of path segments but got";
            return Err(invalid(1, format!("{what} {got}")));
        }
    };
    for key in &keys {
        looked_up(context, key)?;
    }
    if keys.len() > usize::try_from(deepest).unwrap_or(usize::MAX) {
        return Err(Halt::Depth(deepest).into());
    }
    Ok(keys)
}

fn unescaped(key: &str) -> Value {
    if key.contains('~') { Value::from(key.replace("~1", "/").replace("~0", "~")) } else { Value::from(key) }
}
