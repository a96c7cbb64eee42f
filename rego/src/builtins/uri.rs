//! URIs (`v1/topdown/uri.go`, on Go's `net/url`).

mod error;
mod escape;
mod host;
pub(super) mod url;
mod written;

use super::error::Answer;
use super::signature::Type;
use super::table::{Builtin, row};
use super::{Context, operand};
use crate::value::Value;

pub(crate) use url::Url;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("uri.is_valid", &[Type::String], Some(Type::Boolean)).by(is_valid),
    row("uri.parse", &[Type::String], Some(Type::Object(&Type::String, &Type::String))).by(parse),
];

/// Bytes that the parts take, for each byte of a URL.
const PARTS: usize = 8;

fn parse(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len().saturating_mul(PARTS))?;
    let url = Url::parse(text)?;
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
    Ok(Some(Value::object(parts.map(|(name, text)| (Value::from(name), Value::from(text))))))
}

fn is_valid(context: &mut Context, operands: &[&Value]) -> Answer {
    let Ok(text) = operand::string(operands, 0) else { return Ok(Some(false.into())) };
    context.account.charge(text.len().saturating_mul(PARTS))?;
    Ok(Some((!text.is_empty() && Url::parse(text).is_ok()).into()))
}
