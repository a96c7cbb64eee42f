//! Texts read as documents ([`crate::yaml`]). What cannot be told ends the evaluation.

use regorus::Value;

use super::super::error::BuiltinError;
use crate::yaml::{self, YamlError};

/// Reads the first document of a text; the others have to be YAML too.
pub(super) fn load(text: &str) -> Result<Value, BuiltinError> {
    yaml::load(text).map(Value::from).map_err(|error| match error {
        YamlError::Invalid(why) => BuiltinError::other(format!("yaml: {why}")),
        YamlError::Unsure(_) => BuiltinError::Limit(error.to_string()),
    })
}

/// Whether a text can be read, whatever its plain scalars are.
pub(super) fn is_valid(text: &str) -> Result<bool, BuiltinError> {
    yaml::is_valid(text).map_err(|error| BuiltinError::Limit(error.to_string()))
}
