//! What a node of YAML stands for (`go.yaml.in/yaml/v3`, `decode.go`; opa `internal/yaml`).

use granit_parser::{ScalarStyle, Tag};

use super::resolve::{self, Scalar};
use crate::builtins::encoding::base64;
use crate::builtins::{BuiltinError, bytes, float};
use crate::value::Value;

/// What was read.
#[derive(Clone, Debug)]
pub(super) struct Node {
    value: Value,
    /// `<<`, which takes in the members of what follows it.
    pub(super) is_merge: bool,
    /// A float as a key is written with 32 bits.
    float: Option<f64>,
}

impl Node {
    /// A collection.
    pub(super) fn of(value: Value) -> Self {
        Self { value, is_merge: false, float: None }
    }

    /// A scalar.
    pub(super) fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Self, BuiltinError> {
        let plain = style == ScalarStyle::Plain;
        let tag = tag.map(name).filter(|tag| tag != "!");
        let resolved = match tag.as_deref() {
            None if plain && text == "<<" => return Ok(Self { is_merge: true, ..Self::of(Value::from(text)) }),
            None if plain => resolve::resolve(text),
            Some("!!null" | "!!bool" | "!!int" | "!!float") => cast(tag.as_deref().unwrap_or_default(), text)?,
            Some("!!binary") => return binary(text),
            _ => Scalar::Text,
        };
        let float = if let Scalar::Float(float) = resolved { Some(float) } else { None };
        Ok(Self { value: value(resolved, text), is_merge: false, float })
    }

    /// As a value: JSON has no infinite numbers.
    pub(super) fn value(self) -> Result<Value, BuiltinError> {
        self.float.map_or(Ok(self.value), json_float)
    }

    /// As a key of an object, with its value, which errors show.
    pub(super) fn key(&self, value: &Value) -> Result<String, BuiltinError> {
        match (&self.value, self.float) {
            (Value::String(text), _) => Ok(text.to_string()),
            (_, Some(float)) => Ok(short(float)),
            (Value::False | Value::True | Value::Int(_) | Value::Number(_), None) => Ok(self.value.to_string()),
            (Value::Null, _) => {
                Err(BuiltinError::failed(format!("unsupported map key of type: %!s(<nil>), key: <nil>, value: {value}")))
            }
            _ => Err(BuiltinError::failed("yaml: invalid map key")),
        }
    }
}

/// A tag as Go shortens it.
fn name(tag: &Tag) -> String {
    let whole = format!("{}{}", tag.handle(), tag.suffix());
    match whole.strip_prefix("tag:yaml.org,2002:") {
        Some(short) => format!("!!{short}"),
        None => whole,
    }
}

/// A scalar of the type that its tag says.
fn cast(tag: &str, text: &str) -> Result<Scalar, BuiltinError> {
    let resolved = resolve::resolve(text);
    match (tag, resolved) {
        ("!!null", Scalar::Null) | ("!!bool", Scalar::Bool(_)) | ("!!int", Scalar::Int(_)) | ("!!float", Scalar::Float(_)) => {
            Ok(resolved)
        }
        ("!!float", Scalar::Int(integer)) => text_of(integer).parse().map_or(Ok(resolved), |float| Ok(Scalar::Float(float))),
        (tag, other) => Err(BuiltinError::failed(format!("yaml: cannot decode {} `{text}` as a {tag}", kind(other)))),
    }
}

fn text_of(integer: i128) -> String {
    integer.to_string()
}

fn kind(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Text => "!!str",
        Scalar::Time => "!!timestamp",
        Scalar::Null => "!!null",
        Scalar::Bool(_) => "!!bool",
        Scalar::Int(_) => "!!int",
        Scalar::Float(_) => "!!float",
    }
}

fn binary(text: &str) -> Result<Node, BuiltinError> {
    let invalid = |_| BuiltinError::failed("yaml: !!binary value contains invalid base64 data");
    let decoded = base64::standard(text.as_bytes()).map_err(invalid)?;
    // On its way through JSON what is no UTF-8 is replaced.
    let shown = |c| if bytes::byte(c).is_some() { char::REPLACEMENT_CHARACTER } else { c };
    Ok(Node::of(Value::from(bytes::text(decoded).chars().map(shown).collect::<String>())))
}

fn value(scalar: Scalar, text: &str) -> Value {
    match scalar {
        Scalar::Text | Scalar::Time => Value::from(text),
        Scalar::Null => Value::Null,
        Scalar::Bool(truth) => Value::from(truth),
        Scalar::Int(integer) => Value::number(&text_of(integer)).unwrap_or(Value::Null),
        // Computed where it is no key.
        Scalar::Float(_) => Value::Int(0),
    }
}

/// A float as Go's JSON writes it.
fn json_float(number: f64) -> Result<Value, BuiltinError> {
    let unsupported = |name: &str| Err(BuiltinError::failed(format!("json: unsupported value: {name}")));
    match number {
        _ if number.is_nan() => return unsupported("NaN"),
        f64::INFINITY => return unsupported("+Inf"),
        f64::NEG_INFINITY => return unsupported("-Inf"),
        _ => {}
    }
    Ok(Value::number(&float::json(number)).unwrap_or(Value::Null))
}

/// A float with as few digits as tell it from its neighbours of 32 bits.
#[allow(clippy::cast_possible_truncation, reason = "what 32 bits keep of it is what is asked for")]
fn short(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    match number {
        _ if number.is_nan() => ".nan".into(),
        _ if number.is_infinite() => format!("{sign}.inf"),
        _ => {
            // As a double these digits are the shortest, too.
            let double = format!("{:e}", (number as f32).abs()).parse().unwrap_or(number.abs());
            format!("{sign}{}", float::general(double, None))
        }
    }
}
