//! Documents of files of data. Policies see their numbers as they are written, as in OPA, which keeps them so (`v1/util/json.go`); the
//! tree of JSON that files are put together in has integers of 64 bits and doubles.

use std::path::Path;

use serde_json::Value as Json;

use super::{LoadError, invalid};
use crate::rego::Value;
use crate::state::exact;
use crate::yaml;

/// A document, and the same with numbers as they are written, where the tree has them in another way.
pub(super) type Read = (Json, Option<Value>);

/// Reads a file of JSON. Fails where it is none, and for a number that the tree has not.
pub(super) fn json(path: &Path, text: &str) -> Result<Read, LoadError> {
    exact::check(text.as_bytes()).map_err(|error| invalid(path, &error.to_string()))?;
    let document = serde_json::from_str(text).map_err(|error| invalid(path, &error.to_string()))?;
    let written = (!exact::is_canonical(text)).then(|| Value::from_json(text.as_bytes()).ok());
    Ok((document, written.flatten()))
}

/// Reads a file of YAML. Fails as [`json`] does.
pub(super) fn yaml(path: &Path, text: &str) -> Result<Read, LoadError> {
    let document = yaml::load(text).map_err(|error| invalid(path, &error.to_string()))?;
    Ok((document, Value::from_yaml(text).ok()))
}
