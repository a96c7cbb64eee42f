//! Parts of text, counted in characters: `substring`, `split`, `strings.split_n`.

use memchr::memchr_iter;

use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::{Context, operand};
use crate::value::Value;

/// A negative length goes to the end.
pub(super) fn substring(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    let (from, length) = (operand::integer(operands, 1)?, operand::integer(operands, 2)?);
    let from = usize::try_from(from).map_err(|_| BuiltinError::failed("negative offset"))?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    context.account.charge(text.len())?;
    let start = place(text, from);
    let rest = text.get(start..).unwrap_or_default();
    let part = rest.get(..place(rest, length)).unwrap_or_default();
    if part.len() == text.len() {
        return Ok(Some(Value::String(text.clone())));
    }
    Ok(Some(part.into()))
}

/// Where a character begins, or the end of the text.
fn place(text: &str, character: usize) -> usize {
    if character >= text.len() {
        return text.len();
    }
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

pub(super) fn split(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, delimiter) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    let parts = match delimiter.as_bytes() {
        [byte] if byte.is_ascii() => parts_at(context, text, *byte)?,
        _ if text.contains(delimiter.as_str()) => Some(parts(context, text, delimiter)?),
        _ => None,
    };
    Ok(Some(parts.map_or_else(|| Value::array([Value::String(text.clone())]), Value::list)))
}

/// The first `n` parts; for a negative `n` the last `-n`.
pub(super) fn split_n(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, delimiter) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    let n = operand::integer(operands, 2)?;
    let mut parts = parts(context, text, delimiter)?;
    let kept = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX).min(parts.len());
    if n >= 0 {
        parts.truncate(kept);
    } else {
        parts.drain(..parts.len().saturating_sub(kept));
    }
    Ok(Some(Value::list(parts)))
}

/// Parts at a character of one byte, which nothing has to be prepared for; none where it does not occur.
fn parts_at(context: &mut Context, text: &str, delimiter: u8) -> Result<Option<Vec<Value>>, BuiltinError> {
    let count = memchr_iter(delimiter, text.as_bytes()).count();
    if count == 0 {
        return Ok(None);
    }
    let count = count.saturating_add(1);
    context.account.charge(count.saturating_mul(size_of::<Value>()).saturating_add(text.len()))?;
    let (mut parts, mut from) = (Vec::with_capacity(count), 0);
    for at in memchr_iter(delimiter, text.as_bytes()) {
        parts.push(Value::from(text.get(from..at).unwrap_or_default()));
        from = at.saturating_add(1);
    }
    parts.push(Value::from(text.get(from..).unwrap_or_default()));
    Ok(Some(parts))
}

/// As Go splits: an empty delimiter separates every character, and nothing stands before the first nor after the last.
fn parts(context: &mut Context, text: &str, delimiter: &str) -> Result<Vec<Value>, BuiltinError> {
    let mut parts = Vec::new();
    let mut keep = |part: &str| -> Result<(), BuiltinError> {
        context.account.charge(part.len().saturating_add(size_of::<Value>()))?;
        parts.push(Value::from(part));
        Ok(())
    };
    if delimiter.is_empty() {
        text.chars().try_for_each(|c| keep(c.encode_utf8(&mut [0; 4])))?;
    } else {
        text.split(delimiter).try_for_each(keep)?;
    }
    Ok(parts)
}
