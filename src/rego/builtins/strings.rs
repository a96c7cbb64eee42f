//! Strings (OPA: `v1/topdown/{strings,aggregates}.go`), which are counted and cut by characters.

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};

mod letters;
mod replace;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "count", operands: 1, call: count },
    Builtin { name: "indexof", operands: 2, call: indexof },
    Builtin { name: "indexof_n", operands: 2, call: indexof_n },
    Builtin { name: "lower", operands: 1, call: |values| letters::each(values, letters::lower) },
    Builtin { name: "replace", operands: 3, call: replace::replace },
    Builtin { name: "strings.replace_n", operands: 2, call: replace::replace_n },
    Builtin { name: "strings.split_n", operands: 3, call: split_n },
    Builtin { name: "substring", operands: 3, call: substring },
    Builtin { name: "upper", operands: 1, call: |values| letters::each(values, letters::upper) },
];

/// Bytes that one call may compare.
const COMPARED: usize = 1 << 30;

/// Members, or characters: the interpreter counts UTF-16 units.
fn count(values: &[Value]) -> Result<Value, BuiltinError> {
    Ok(Value::from(match operand::any(values, 1) {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Set(items) => items.len(),
        Value::Object(members) => members.len(),
        other => return Err(operand::wrong(1, "one of {array, object, set, string}", other)),
    }))
}

/// The text, and what to look for in it.
fn searched(values: &[Value]) -> Result<(&str, &str), BuiltinError> {
    let (text, part) = (operand::string(values, 1)?, operand::string(values, 2)?);
    if part.is_empty() {
        return Err(BuiltinError::other("empty search character"));
    }
    Ok((text, part))
}

fn indexof(values: &[Value]) -> Result<Value, BuiltinError> {
    let (text, part) = searched(values)?;
    let Some(at) = text.find(part) else { return Ok(Value::from(-1_i64)) };
    Ok(Value::from(text.get(..at).unwrap_or_default().chars().count()))
}

/// Every place, also those that overlap.
fn indexof_n(values: &[Value]) -> Result<Value, BuiltinError> {
    let (text, part) = searched(values)?;
    let (mut places, mut rest, mut passed, mut compared) = (Vec::new(), text, 0_usize, 0_usize);
    while let Some(at) = rest.find(part) {
        passed = passed.saturating_add(rest.get(..at).unwrap_or_default().chars().count());
        places.push(Value::from(passed));
        passed = passed.saturating_add(1);
        let next = rest.get(at..).unwrap_or_default().chars().next().map_or(1, char::len_utf8);
        rest = rest.get(at.saturating_add(next)..).unwrap_or_default();
        compared = compared.saturating_add(part.len());
        if compared > COMPARED {
            return Err(BuiltinError::Limit(format!("would compare more than {} MiB", COMPARED >> 20)));
        }
    }
    Ok(places.into())
}

/// A negative length goes to the end.
fn substring(values: &[Value]) -> Result<Value, BuiltinError> {
    let text = operand::string(values, 1)?;
    let (from, length) = (operand::integer(values, 2)?, operand::integer(values, 3)?);
    let from = usize::try_from(from).map_err(|_| BuiltinError::other("negative offset"))?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(text.chars().skip(from).take(length).collect::<String>().into())
}

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
