//! `urlquery.*` (OPA: `v1/topdown/encoding.go`, on Go's `net/url`).

use std::collections::BTreeMap;

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, encoding, json, operand};

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "urlquery.decode", operands: 1, call: decode },
    Builtin { name: "urlquery.decode_object", operands: 1, call: decode_object },
    Builtin { name: "urlquery.encode", operands: 1, call: encode },
    Builtin { name: "urlquery.encode_object", operands: 1, call: encode_object },
];

/// Bytes that one call may write.
const BYTES: usize = 16 << 20;
/// Parameters that Go reads.
const PARAMETERS: usize = 10_000;
const VALUES: &str = "values must be string, array[string], or set[string]";

fn encode(values: &[Value]) -> Result<Value, BuiltinError> {
    let mut encoded = String::new();
    push_escaped(&mut encoded, operand::string(values, 1)?)?;
    Ok(Value::from(encoded))
}

fn push_escaped(written: &mut String, text: &str) -> Result<(), BuiltinError> {
    for byte in text.bytes() {
        match byte {
            b'-' | b'_' | b'.' | b'~' => written.push(char::from(byte)),
            b' ' => written.push('+'),
            _ if byte.is_ascii_alphanumeric() => written.push(char::from(byte)),
            _ => written.push_str(&format!("%{byte:02X}")),
        }
    }
    if written.len() > BYTES {
        return Err(BuiltinError::Limit(format!("would make more than {} MiB", BYTES >> 20)));
    }
    Ok(())
}

fn decode(values: &[Value]) -> Result<Value, BuiltinError> {
    let decoded = unescaped(operand::string(values, 1)?)?;
    Ok(Value::from(decoded))
}

fn unescaped(text: &str) -> Result<String, BuiltinError> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
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
    encoding::utf8(plain)
}

fn invalid(behind: &[u8]) -> BuiltinError {
    let escape = super::uri::quoted(&format!("%{}", String::from_utf8_lossy(behind)));
    BuiltinError::other(format!("invalid URL escape {escape}"))
}

fn decode_object(values: &[Value]) -> Result<Value, BuiltinError> {
    let query = operand::string(values, 1)?;
    if query.matches('&').count() >= PARAMETERS {
        return Err(BuiltinError::other("number of URL query parameters exceeded limit"));
    }
    if query.contains(';') {
        return Err(BuiltinError::other("invalid semicolon separator in query"));
    }
    let mut parameters: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let (key, value) = (Value::from(unescaped(key)?), Value::from(unescaped(value)?));
        parameters.entry(key).or_default().push(value);
    }
    Ok(parameters.into_iter().map(|(key, values)| (key, Value::from(values))).collect::<BTreeMap<_, _>>().into())
}

fn encode_object(values: &[Value]) -> Result<Value, BuiltinError> {
    let Value::Object(members) = operand::any(values, 1) else {
        return Err(operand::wrong(1, "object", operand::any(values, 1)));
    };
    let mut query: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (key, value) in members.iter_sorted() {
        let key = match key {
            Value::String(key) => key.to_string(),
            // As a key of JSON.
            other => json::compact(other)?,
        };
        query.insert(key, texts(value)?);
    }
    let mut written = String::new();
    for (key, value) in query.iter().flat_map(|(key, values)| values.iter().map(move |value| (key, value))) {
        if !written.is_empty() {
            written.push('&');
        }
        push_escaped(&mut written, key)?;
        written.push('=');
        push_escaped(&mut written, value)?;
    }
    Ok(Value::from(written))
}

fn texts(value: &Value) -> Result<Vec<&str>, BuiltinError> {
    fn text(value: &Value) -> Result<&str, BuiltinError> {
        value.as_string().map(AsRef::as_ref).map_err(|_| BuiltinError::operand(1, VALUES))
    }
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        Value::Set(items) => items.iter_sorted().map(text).collect(),
        other => text(other).map(|text| vec![text]),
    }
}
