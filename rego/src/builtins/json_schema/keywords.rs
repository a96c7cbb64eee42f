//! The values of keywords, or what is wrong with them (`internal/gojsonschema`, `schema.go`, `utils.go`).

use super::schema::Range;
use crate::builtins::{BuiltinError, float};
use crate::value::{Object, Value, json};

/// The words of one schema.
pub(super) struct Keywords<'v>(pub(super) &'v Object);

pub(super) fn invalid_type(expected: &str, given: &str) -> BuiltinError {
    BuiltinError::failed(format!("Invalid type. Expected: {expected}, given: {given}"))
}

pub(super) fn must_be_of_an(key: &str, kind: &str) -> BuiltinError {
    BuiltinError::failed(format!("{key} must be of an {kind}"))
}

pub(super) fn must_be_of_type(key: &str, kind: &str) -> BuiltinError {
    BuiltinError::failed(format!("{key} must be of type {kind}"))
}

impl<'v> Keywords<'v> {
    pub(super) fn get(&self, key: &str) -> Option<&'v Value> {
        self.0.get(&Value::from(key))
    }

    pub(super) fn string(&self, key: &str) -> Result<Option<&'v str>, BuiltinError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        value.as_str().map(|text| Some(text.as_str())).ok_or_else(|| invalid_type("string", key))
    }

    pub(super) fn list(&self, key: &str) -> Result<Option<&'v [Value]>, BuiltinError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        value.as_array().map(Some).ok_or_else(|| must_be_of_an(key, "array"))
    }

    pub(super) fn truth(&self, key: &str) -> Result<bool, BuiltinError> {
        match self.get(key) {
            None | Some(Value::False) => Ok(false),
            Some(Value::True) => Ok(true),
            Some(_) => Err(BuiltinError::failed(format!("{key} must be of a boolean"))),
        }
    }

    /// A number.
    pub(super) fn number(&self, key: &str) -> Result<Option<Value>, BuiltinError> {
        match self.get(key) {
            None => Ok(None),
            Some(number) if number.is_number() => Ok(Some(number.clone())),
            Some(_) => Err(BuiltinError::failed(format!("{key} must be of a Number"))),
        }
    }

    /// An integer that is not negative, as it is written.
    fn size(&self, key: &str) -> Result<Option<i64>, BuiltinError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let size = if value.is_number() { value.to_string().parse().ok() } else { None };
        match size {
            None => Err(must_be_of_an(key, "integer")),
            Some(..0) => Err(BuiltinError::failed(format!("{key} must be greater than or equal to 0"))),
            size => Ok(size),
        }
    }

    pub(super) fn range(&self, min: &str, max: &str) -> Result<Range, BuiltinError> {
        let range = Range { min: self.size(min)?, max: self.size(max)? };
        // Of items nobody looks.
        if min != "minItems" && range.max.is_some_and(|max| range.min.is_some_and(|min| min > max)) {
            return Err(BuiltinError::failed(format!("{min} cannot be greater than {max}")));
        }
        Ok(range)
    }

    /// Texts of which no two are equal.
    pub(super) fn unique_strings(&self, key: &str) -> Result<Vec<String>, BuiltinError> {
        let mut texts = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for value in self.list(key)?.unwrap_or_default() {
            let text = value.as_str().ok_or_else(|| invalid_type("string", key))?;
            if !seen.insert(text.as_str()) {
                return Err(BuiltinError::failed(format!("{key} items must be unique")));
            }
            texts.push(text.to_string());
        }
        Ok(texts)
    }
}

/// The JSON text of a value whose numbers are doubles: what is equal in it is equal (`marshalWithoutNumber`).
pub(super) fn plain(value: &Value) -> Result<String, BuiltinError> {
    json::write(&doubles(value), usize::MAX).map_err(|error| BuiltinError::failed(error.to_string()))
}

fn doubles(value: &Value) -> Value {
    match value {
        Value::Number(_) | Value::Int(_) => {
            let double = value.as_f64().filter(|double| double.is_finite()).map(float::json);
            double.and_then(|text| Value::number(&text)).unwrap_or_else(|| value.clone())
        }
        Value::Array(array) => super::validate::level(value.depth(), || Value::array(array.items().iter().map(doubles))),
        Value::Object(object) => super::validate::level(value.depth(), || {
            Value::object(object.iter().map(|(key, value)| (key.clone(), doubles(value))))
        }),
        scalar => scalar.clone(),
    }
}
