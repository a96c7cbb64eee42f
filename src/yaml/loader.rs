//! From what the reader gives to what OPA would have.

use serde_json::{Map, Value as Json};
use yaml_serde::Value as Yaml;

use super::plain::{self, Kind};
use super::{YamlError, invalid, unsure};

/// Bytes of a text that are looked through, for all of its odd scalars together.
const LOOKED_THROUGH: usize = 1 << 30;

pub(super) struct Loader<'t> {
    text: &'t str,
    /// Whether it matters what a plain scalar is.
    exact: bool,
    looked_through: usize,
}

impl<'t> Loader<'t> {
    /// With `exact`, what cannot be told is an error.
    pub(super) fn new(text: &'t str, exact: bool) -> Self {
        Self { text, exact, looked_through: 0 }
    }

    pub(super) fn value(&mut self, yaml: &Yaml) -> Result<Json, YamlError> {
        Ok(match yaml {
            Yaml::Null => Json::Null,
            Yaml::Bool(truth) => Json::from(*truth),
            Yaml::Number(written) => number(written)?,
            Yaml::String(text) => Json::from(self.scalar(text)?),
            Yaml::Sequence(items) => items.iter().map(|item| self.value(item)).collect::<Result<Vec<_>, _>>()?.into(),
            Yaml::Mapping(members) => self.mapping(members)?.into(),
            Yaml::Tagged(_) => return Err(unsure("tags")),
        })
    }

    /// A text that was quoted, or is none for Go either.
    fn scalar(&mut self, text: &str) -> Result<String, YamlError> {
        if self.exact && plain::kind(text) == Kind::Other && is_text_here(text) {
            self.quoted(text)?;
        }
        Ok(text.to_owned())
    }

    /// That a text stands nowhere without a quote before it.
    fn quoted(&mut self, text: &str) -> Result<(), YamlError> {
        self.looked_through = self.looked_through.saturating_add(self.text.len());
        if self.looked_through > LOOKED_THROUGH {
            return Err(unsure(&format!("`{text}` in so large a document")));
        }
        let before = |at: &usize| self.text.get(..*at).unwrap_or_default();
        let mut places = self.text.match_indices(text).map(|(at, _)| at);
        match places.find(|at| !before(at).ends_with(['"', '\''])) {
            Some(at) => Err(unsure(&format!("`{text}`, in line {},", before(&at).matches('\n').count().saturating_add(1)))),
            None => Ok(()),
        }
    }

    fn mapping(&mut self, members: &yaml_serde::Mapping) -> Result<Map<String, Json>, YamlError> {
        let (mut read, mut merged) = (Map::new(), None);
        for (key, value) in members {
            if key.as_str() == Some("<<") {
                merged = Some(value);
                continue;
            }
            if read.insert(self.key(key)?, self.value(value)?).is_some() {
                return Err(unsure("equal keys in one mapping"));
            }
        }
        let Some(merged) = merged else { return Ok(read) };
        if self.text.contains(['"', '\'']) && (self.text.contains("\"<<\"") || self.text.contains("'<<'")) {
            return Err(unsure("`<<` in quotes"));
        }
        self.merge(merged, &mut read)?;
        Ok(read)
    }

    /// Adds the members of a mapping, or of several, that are not there.
    fn merge(&mut self, merged: &Yaml, read: &mut Map<String, Json>) -> Result<(), YamlError> {
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
            _ => Err(invalid("map merge requires map or sequence of maps as the value")),
        }
    }

    fn key(&mut self, key: &Yaml) -> Result<String, YamlError> {
        match key {
            Yaml::String(text) => self.scalar(text),
            Yaml::Bool(truth) => Ok(truth.to_string()),
            Yaml::Number(number) if number.is_i64() || number.is_u64() => Ok(number.to_string()),
            Yaml::Number(_) => Err(unsure("fractions as keys")),
            Yaml::Tagged(_) => Err(unsure("tags")),
            _ => Err(invalid("unsupported map key")),
        }
    }
}

fn number(written: &yaml_serde::Number) -> Result<Json, YamlError> {
    if let Some(integer) = written.as_i64().map(Json::from).or_else(|| written.as_u64().map(Json::from)) {
        return Ok(integer);
    }
    match written.as_f64() {
        Some(float) if float.is_finite() => Ok(Json::from(float)),
        // JSON has no such number.
        _ if is_written_infinite(written) => Err(invalid("json: unsupported value")),
        _ => Err(unsure("a number beyond 64-bit floating point")),
    }
}

fn is_written_infinite(number: &yaml_serde::Number) -> bool {
    number.is_nan() || number.is_infinite()
}

/// Whether the reader underneath takes a plain scalar for a text.
fn is_text_here(text: &str) -> bool {
    yaml_serde::from_str::<Yaml>(text).map_or(true, |read| read.is_string())
}
