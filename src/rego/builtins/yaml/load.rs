//! YAML as OPA reads it: the first of several documents, all keys texts, anchors merged below `<<`.
//!
//! The reader underneath does not tell a quoted scalar from a plain one. Where Go's takes a plain scalar for something else, and
//! it may be plain in the text, evaluation ends with an error.

use std::collections::BTreeMap;

use regorus::Value;
use serde::Deserialize;
use yaml_serde::Value as Yaml;

use super::super::error::BuiltinError;
use super::plain::{self, Kind};

/// Looks for scalars in the text that one call may take.
const LOOKS: usize = 10_000;

/// Reads the first document of a text; the others have to be YAML too.
pub(super) fn load(text: &str) -> Result<Value, BuiltinError> {
    read(text, true)
}

/// Whether a text can be read, whatever its plain scalars are.
pub(super) fn is_valid(text: &str) -> Result<bool, BuiltinError> {
    match read(text, false) {
        Ok(_) => Ok(true),
        Err(limit @ BuiltinError::Limit(_)) => Err(limit),
        Err(_) => Ok(false),
    }
}

fn read(text: &str, exact: bool) -> Result<Value, BuiltinError> {
    if text.lines().any(|line| line.starts_with('%')) {
        return Err(limit("directives"));
    }
    let mut documents = yaml_serde::Deserializer::from_str(text).map(|document| Yaml::deserialize(document).map_err(wrong));
    let first = documents.next().unwrap_or(Ok(Yaml::Null))?;
    for document in documents {
        document?;
    }
    Loader { text, exact, looks: 0 }.value(&first)
}

fn wrong(error: yaml_serde::Error) -> BuiltinError {
    let message = error.to_string();
    match () {
        // Of equal keys the last counts for OPA.
        () if message.contains("duplicate") => limit("equal keys in one mapping"),
        () if message.contains("` as u128") || message.contains("` as i128") => limit("a number beyond 64 bits"),
        () if message.contains("limit exceeded") => limit("so deep or repetitive a document"),
        () => BuiltinError::other(format!("yaml: {message}")),
    }
}

fn limit(what: &str) -> BuiltinError {
    BuiltinError::Limit(format!("does not read {what} as OPA does: write it otherwise"))
}

struct Loader<'t> {
    text: &'t str,
    /// Whether it matters what a plain scalar is.
    exact: bool,
    looks: usize,
}

impl Loader<'_> {
    fn value(&mut self, yaml: &Yaml) -> Result<Value, BuiltinError> {
        Ok(match yaml {
            Yaml::Null => Value::Null,
            Yaml::Bool(truth) => Value::from(*truth),
            Yaml::Number(number) => float(number)?,
            Yaml::String(text) => self.scalar(text)?,
            Yaml::Sequence(items) => items.iter().map(|item| self.value(item)).collect::<Result<Vec<_>, _>>()?.into(),
            Yaml::Mapping(members) => self.mapping(members)?.into(),
            Yaml::Tagged(_) => return Err(limit("tags")),
        })
    }

    /// A text that was quoted, or is none for Go either.
    fn scalar(&mut self, text: &str) -> Result<Value, BuiltinError> {
        if self.exact && plain::kind(text) == Kind::Other && is_text_here(text) && self.may_be_plain(text) {
            return Err(limit(&format!("`{text}`")));
        }
        Ok(Value::from(text))
    }

    /// Whether a text stands somewhere without a quote before it.
    fn may_be_plain(&mut self, text: &str) -> bool {
        self.looks = self.looks.saturating_add(1);
        let before = |at: usize| self.text.get(..at).and_then(|before| before.chars().next_back());
        self.looks > LOOKS || self.text.match_indices(text).any(|(at, _)| !matches!(before(at), Some('"' | '\'')))
    }

    fn mapping(&mut self, members: &yaml_serde::Mapping) -> Result<BTreeMap<Value, Value>, BuiltinError> {
        let (mut read, mut merged) = (BTreeMap::new(), None);
        for (key, value) in members {
            if key.as_str() == Some("<<") {
                merged = Some(value);
                continue;
            }
            if read.insert(self.key(key)?, self.value(value)?).is_some() {
                return Err(limit("equal keys in one mapping"));
            }
        }
        let Some(merged) = merged else { return Ok(read) };
        if self.text.contains(['"', '\'']) && (self.text.contains("\"<<\"") || self.text.contains("'<<'")) {
            return Err(limit("`<<` in quotes"));
        }
        self.merge(merged, &mut read)?;
        Ok(read)
    }

    /// Adds the members of a mapping, or of several, that are not there.
    fn merge(&mut self, merged: &Yaml, read: &mut BTreeMap<Value, Value>) -> Result<(), BuiltinError> {
        match merged {
            Yaml::Mapping(members) => {
                for (key, value) in self.mapping(members)? {
                    read.entry(key).or_insert(value);
                }
                Ok(())
            }
            Yaml::Sequence(several) if several.iter().all(Yaml::is_mapping) => {
                several.iter().try_for_each(|one| self.merge(one, read))
            }
            _ => Err(BuiltinError::other("map merge requires map or sequence of maps as the value")),
        }
    }

    fn key(&mut self, key: &Yaml) -> Result<Value, BuiltinError> {
        match key {
            Yaml::String(text) => self.scalar(text),
            Yaml::Bool(truth) => Ok(Value::from(truth.to_string())),
            Yaml::Number(number) if number.is_i64() || number.is_u64() => Ok(Value::from(number.to_string())),
            Yaml::Number(_) => Err(limit("fractions as keys")),
            Yaml::Tagged(_) => Err(limit("tags")),
            _ => Err(BuiltinError::other("unsupported map key")),
        }
    }
}

fn float(number: &yaml_serde::Number) -> Result<Value, BuiltinError> {
    if let (Some(integer), _) | (None, Some(integer)) = (number.as_i64().map(i128::from), number.as_u64().map(i128::from)) {
        return Ok(Value::from(integer));
    }
    match number.as_f64() {
        Some(float) if float.is_finite() => Ok(Value::from(float)),
        // JSON has no such number.
        _ if is_written_infinite(number) => Err(BuiltinError::other("json: unsupported value")),
        _ => Err(limit("a number beyond 64-bit floating point")),
    }
}

fn is_written_infinite(number: &yaml_serde::Number) -> bool {
    number.is_nan() || number.is_infinite()
}

/// Whether the reader underneath takes a plain scalar for a text.
fn is_text_here(text: &str) -> bool {
    yaml_serde::from_str::<Yaml>(text).map_or(true, |read| read.is_string())
}
