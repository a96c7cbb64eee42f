//! JSON of tokens and keys: read into values, and written as Go writes it.

use crate::builtins::{BuiltinError, Context};
use crate::value::Value;

/// The value of a JSON text, or what is wrong with it.
pub(in crate::builtins) fn read(context: &mut Context, text: &str) -> Result<Result<Value, String>, BuiltinError> {
    context.account.charge(text.len().saturating_mul(8))?;
    let json: Result<serde_json::Value, _> = serde_json::from_str(text);
    Ok(json.map(|json| value(&json)).map_err(|error| error.to_string()))
}

fn value(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::number(&number.to_string()).unwrap_or(Value::Null),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::array(items.iter().map(value)),
        Json::Object(members) => Value::object(members.iter().map(|(key, member)| (Value::from(key.as_str()), value(member)))),
    }
}

/// A value as JSON without spaces.
pub(in crate::builtins) fn write(context: &mut Context, of: &Value) -> Result<String, BuiltinError> {
    let mut text = json(of).to_string();
    // Go has HTML in mind; outside of strings none of these stands.
    for (c, escaped) in [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")] {
        text = text.replace(c, escaped);
    }
    context.account.charge(text.len())?;
    Ok(text)
}

fn json(of: &Value) -> serde_json::Value {
    use serde_json::Value as Json;
    match of {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::from(*value),
        Value::Int(_) | Value::Number(_) => serde_json::from_str(&of.to_string()).unwrap_or_default(),
        Value::String(text) => Json::from(text.as_str()),
        Value::Array(items) => items.items().iter().map(json).collect(),
        Value::Set(members) => members.members().iter().map(json).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (key.as_str().map_or_else(|| key.to_string(), ToString::to_string), json(value)))
            .collect(),
    }
}
