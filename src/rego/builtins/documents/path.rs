//! Paths into documents: JSON pointers, whose leading slashes may be left out, and arrays of keys.

use regorus::Value;

use super::super::error::BuiltinError;
use super::super::operand;

/// Keys, from the outside.
pub(super) type Path = Vec<Value>;

/// Keys that a path may have: no document is as deep.
const KEYS: usize = 1_000;

/// Reads a path.
pub(super) fn read(path: &Value) -> Result<Path, BuiltinError> {
    let keys: Path = match path {
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => text.trim_start_matches('/').split('/').take(KEYS.saturating_add(1)).map(unescaped).collect(),
        Value::Array(keys) => keys.iter().take(KEYS.saturating_add(1)).cloned().collect(),
        other => {
            let got = operand::type_name(other);
            let what = format!("must be one of {{set, array}} containing string paths or array of path segments but got {got}");
            return Err(BuiltinError::operand(2, what));
        }
    };
    if keys.len() > KEYS {
        return Err(BuiltinError::Limit(format!("would follow a path of more than {KEYS} keys")));
    }
    Ok(keys)
}

fn unescaped(key: &str) -> Value {
    Value::from(key.replace("~1", "/").replace("~0", "~"))
}
