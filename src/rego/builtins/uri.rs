//! `uri.parse` and `uri.is_valid` (OPA: `v1/topdown/uri.go`, on Go's `net/url`).

use std::collections::BTreeMap;

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, encoding, operand};

mod escape;
mod host;
mod url;

pub(super) use escape::quoted;
pub(super) use url::Url;

pub(super) const BUILTINS: &[Builtin] =
    &[Builtin { name: "uri.parse", operands: 1, call: parse }, Builtin { name: "uri.is_valid", operands: 1, call: is_valid }];

fn parse(values: &[Value]) -> Result<Value, BuiltinError> {
    let text = operand::string(values, 1)?;
    let url = Url::parse(text)?;
    let (written, fragment) = text.split_once('#').unwrap_or((text, ""));
    // Queries, and what is opaque, stay as they are written.
    let written = written.split('?').next().filter(|_| url.opaque.is_empty()).unwrap_or_default();
    if ![written, fragment].into_iter().all(escape::is_text) {
        return Err(encoding::no_text());
    }
    let (hostname, port) = host::split(&url.host);
    let parts = [
        ("scheme", url.scheme.as_str()),
        ("hostname", &hostname),
        ("port", &port),
        ("path", &url.path),
        ("raw_path", if url.raw_path.is_empty() { &url.path } else { &url.raw_path }),
        ("raw_query", &url.raw_query),
        ("fragment", &url.fragment),
    ];
    let parts = parts.into_iter().filter(|(_, text)| !text.is_empty());
    Ok(parts.map(|(name, text)| (Value::from(name), Value::from(text))).collect::<BTreeMap<_, _>>().into())
}

fn is_valid(values: &[Value]) -> Result<Value, BuiltinError> {
    let valid = operand::string(values, 1).is_ok_and(|text| !text.is_empty() && Url::parse(text).is_ok());
    Ok(Value::from(valid))
}
