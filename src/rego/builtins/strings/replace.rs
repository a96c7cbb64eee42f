//! `replace` and `strings.replace_n`, as Go's `strings.NewReplacer`: at each place the first that fits, what was put in is not
//! looked at, and nothing fits before and behind each *byte*.

use regorus::Value;

use super::super::error::BuiltinError;
use super::super::operand;

/// Bytes that one call may make.
const BYTES: usize = 16 << 20;
/// Comparisons that one call may make.
const COMPARISONS: usize = 1 << 28;

pub(super) fn replace(values: &[Value]) -> Result<Value, BuiltinError> {
    let (text, old) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let new = operand::string(values, 3)?;
    if old.is_empty() {
        return replaced(&[(old, new)], text);
    }
    let bytes = text.matches(old).count().saturating_mul(new.len()).saturating_add(text.len());
    if bytes > BYTES { Err(too_long()) } else { Ok(text.replace(old, new).into()) }
}

pub(super) fn replace_n(values: &[Value]) -> Result<Value, BuiltinError> {
    let Value::Object(patterns) = operand::any(values, 1) else {
        return Err(operand::wrong(1, "object", operand::any(values, 1)));
    };
    let text = operand::string(values, 2)?;
    let mut pairs = Vec::new();
    for (old, new) in patterns.iter_sorted() {
        let Value::String(old) = old else {
            return Err(BuiltinError::operand(1, "non-string key found in pattern object"));
        };
        let Value::String(new) = new else {
            return Err(BuiltinError::operand(1, "non-string value found in pattern object"));
        };
        pairs.push((old.as_ref(), new.as_ref()));
    }
    replaced(&pairs, text)
}

/// The text with the first of the pairs that fits, at each place.
fn replaced(pairs: &[(&str, &str)], text: &str) -> Result<Value, BuiltinError> {
    if pairs.len().saturating_mul(text.len()) > COMPARISONS {
        return Err(BuiltinError::Limit(format!("would make more than {COMPARISONS} comparisons")));
    }
    let (mut made, mut rest, mut was_empty) = (Vec::new(), text.as_bytes(), false);
    loop {
        if made.len() > BYTES {
            return Err(too_long());
        }
        let fits = |(old, _): &&(&str, &str)| rest.starts_with(old.as_bytes()) && !(old.is_empty() && was_empty);
        let found = pairs.iter().find(fits);
        was_empty = found.is_some_and(|(old, _)| old.is_empty());
        if let Some((old, new)) = found {
            made.extend_from_slice(new.as_bytes());
            rest = rest.get(old.len()..).unwrap_or_default();
            continue;
        }
        let Some((next, after)) = rest.split_first() else { break };
        made.push(*next);
        rest = after;
    }
    let whole = String::from_utf8(made);
    // OPA's answer is no text any more.
    whole.map(Value::from).map_err(|_| BuiltinError::Limit("of nothing would put text into the middle of a character".into()))
}

fn too_long() -> BuiltinError {
    BuiltinError::Limit(format!("would make more than {} MiB", BYTES >> 20))
}
