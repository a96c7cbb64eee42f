//! `strings.split_n` (OPA: `v1/topdown/strings.go`).

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};

pub(super) const BUILTINS: &[Builtin] = &[Builtin { name: "strings.split_n", operands: 3, call: split_n }];

/// The first `n` parts; for a negative `n` the last `-n`.
fn split_n(values: &[Value]) -> Result<Value, BuiltinError> {
    let (text, delimiter) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let n = operand::integer(values, 3)?;
    let parts: Vec<&str> = split(text, delimiter).collect();
    let kept = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX).min(parts.len());
    let range = if n >= 0 { 0..kept } else { parts.len() - kept..parts.len() };
    Ok(parts.get(range).unwrap_or_default().iter().map(|part| Value::from(*part)).collect::<Vec<_>>().into())
}

/// As Go splits: an empty delimiter separates every character, and nothing stands before the first nor after the last.
fn split<'t>(text: &'t str, delimiter: &'t str) -> Box<dyn Iterator<Item = &'t str> + 't> {
    if delimiter.is_empty() {
        Box::new(text.char_indices().map(|(at, c)| text.get(at..at + c.len_utf8()).unwrap_or_default()))
    } else {
        Box::new(text.split(delimiter))
    }
}
