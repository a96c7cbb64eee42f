//! `urlquery.*` (Go: `net/url`).

use std::collections::BTreeMap;

use super::json;
use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::output::Output;
use crate::builtins::{Context, bytes, operand, quote};
use crate::limits::Halt;
use crate::value::{Str, Value};

/// Parameters that Go reads.
const PARAMETERS: usize = 10_000;
const VALUES: &str = "values must be string, array[string], or set[string]";

pub(super) fn encode(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    let mut out = Output::new(&mut context.account);
    escape(text, &mut out)?;
    Ok(Some(out.finish().into()))
}

/// Appends a text in the encoding of queries.
pub(in crate::builtins) fn escape(text: &str, out: &mut Output<'_>) -> Result<(), Halt> {
    const PIECE: usize = 1024;
    for piece in bytes::of(text).chunks(PIECE) {
        let mut escaped = String::with_capacity(piece.len());
        for byte in piece {
            match byte {
                b'-' | b'_' | b'.' | b'~' => escaped.push(char::from(*byte)),
                b' ' => escaped.push('+'),
                byte if byte.is_ascii_alphanumeric() => escaped.push(char::from(*byte)),
                byte => escaped.extend([b'%', bytes::digit(byte >> 4, b'A'), bytes::digit(byte & 15, b'A')].map(char::from)),
            }
        }
        out.push(&escaped)?;
    }
    Ok(())
}

pub(super) fn decode(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len())?;
    Ok(Some(unescaped(text)?.into()))
}

fn unescaped(text: &str) -> Result<String, BuiltinError> {
    let mut plain = Vec::with_capacity(text.len());
    let whole = bytes::of(text);
    let mut rest = whole.as_ref();
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'+' => plain.push(b' '),
            b'%' => {
                let Some((digits, behind)) = behind.split_first_chunk::<2>() else { return Err(invalid(behind)) };
                let digit = |at: u8| char::from(at).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                let [Some(high), Some(low)] = digits.map(digit) else { return Err(invalid(digits)) };
                plain.push(high << 4 | low);
                rest = behind;
            }
            _ => plain.push(*byte),
        }
    }
    Ok(bytes::text(plain))
}

fn invalid(behind: &[u8]) -> BuiltinError {
    let escape = quote::quote(&format!("%{}", bytes::text(behind.to_vec())));
    BuiltinError::failed(format!("invalid URL escape {escape}"))
}

pub(super) fn decode_object(context: &mut Context, operands: &[&Value]) -> Answer {
    let query = operand::string(operands, 0)?;
    context.account.charge(query.len())?;
    if query.matches('&').count() >= PARAMETERS {
        return Err(BuiltinError::failed("number of URL query parameters exceeded limit"));
    }
    let mut parameters: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    // What is wrong is said at the end, and of several the first.
    let mut wrong = None;
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        context.account.charge(parameter.len().saturating_add(2 * size_of::<Value>()))?;
        match read(parameter) {
            Ok((key, value)) => parameters.entry(key).or_default().push(value.into()),
            Err(error) => wrong = wrong.or(Some(error)),
        }
    }
    wrong.map_or(Ok(()), Err)?;
    Ok(Some(Value::object(parameters.into_iter().map(|(key, values)| (Value::from(key), Value::array(values))))))
}

/// `key=value`.
fn read(parameter: &str) -> Result<(String, String), BuiltinError> {
    if parameter.contains(';') {
        return Err(BuiltinError::failed("invalid semicolon separator in query"));
    }
    let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    Ok((unescaped(key)?, unescaped(value)?))
}

/// Sorted by the keys, which are as JSON has them.
pub(super) fn encode_object(context: &mut Context, operands: &[&Value]) -> Answer {
    let mut query: BTreeMap<String, Vec<&Str>> = BTreeMap::new();
    for (key, value) in operand::object(operands, 0)?.iter() {
        context.account.charge(size_of::<Value>())?;
        query.insert(written(context, key)?, texts(value)?);
    }
    let mut out = Output::new(&mut context.account);
    for (key, value) in query.iter().flat_map(|(key, values)| values.iter().map(move |value| (key, value))) {
        out.push(if out.is_empty() { "" } else { "&" })?;
        escape(key, &mut out)?;
        out.push("=")?;
        escape(value, &mut out)?;
    }
    Ok(Some(out.finish().into()))
}

/// A key as a member of a JSON object has it: of what is no text, its JSON.
fn written(context: &mut Context, key: &Value) -> Result<String, BuiltinError> {
    let Value::String(text) = key else { return json::write(context, key, None) };
    context.account.charge(text.len())?;
    Ok(text.to_string())
}

fn texts(value: &Value) -> Result<Vec<&Str>, BuiltinError> {
    let text = |value| Value::as_str(value).ok_or_else(|| operand::invalid(0, VALUES));
    match value {
        Value::Array(array) => array.items().iter().map(text).collect(),
        Value::Set(set) => set.members().iter().map(text).collect(),
        other => text(other).map(|text| vec![text]),
    }
}
