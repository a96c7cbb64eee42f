//! What JSON has no notation for: keys that are no strings, and how a number was written.

use std::collections::BTreeMap;

use regorus::Value;
use regorus::value::Object;

use super::super::error::BuiltinError;
use super::write::compact;
use crate::rego::order;

/// The members of an object by the texts of their keys, which JSON writes for what is no string; of equal texts the last.
pub(in super::super) fn members(object: &Object) -> Result<BTreeMap<String, &Value>, BuiltinError> {
    let entries = order::entries(object).map_err(|error| BuiltinError::Limit(error.to_string()))?;
    let named = entries.into_iter().map(|(key, value)| {
        let name = match key {
            Value::String(name) => name.to_string(),
            other => compact(other)?,
        };
        Ok((name, value))
    });
    named.collect()
}

/// A number as Go's encoder writes floats. How it was written in the text that it comes from the interpreter does not keep.
pub(super) fn number(value: &Value) -> String {
    let Ok(number) = value.as_number() else { return value.to_string() };
    match number.as_f64() {
        Some(float) if !number.is_integer() && float.abs() < 1e-6 => format!("{float:e}"),
        _ => number.format_decimal(),
    }
}
