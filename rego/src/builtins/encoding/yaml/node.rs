//! What a node of YAML stands for (`go.yaml.in/yaml/v3`, `decode.go`; opa `internal/yaml`).

use granit_parser::{ScalarStyle, Tag};

use super::resolve::{self, Scalar};
use crate::builtins::encoding::base64;
use crate::builtins::{BuiltinError, bytes};
use crate::value::Value;

/// What was read.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) value: Value,
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
        Ok(Self { value: value(resolved, text)?, is_merge: false, float })
    }

    /// As a key of an object.
    pub(super) fn key(&self) -> Result<String, BuiltinError> {
        match (&self.value, self.float) {
            (Value::String(text), _) => Ok(text.to_string()),
            (_, Some(float)) => Ok(short(float)),
            (Value::Bool(_) | Value::Int(_) | Value::Number(_), None) => Ok(self.value.to_string()),
            (Value::Null, _) => Err(BuiltinError::failed("unsupported map key of type: %!s(<nil>), key: <nil>")),
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

fn value(scalar: Scalar, text: &str) -> Result<Value, BuiltinError> {
    Ok(match scalar {
        Scalar::Text | Scalar::Time => Value::from(text),
        Scalar::Null => Value::Null,
        Scalar::Bool(truth) => Value::Bool(truth),
        Scalar::Int(integer) => Value::number(&text_of(integer)).unwrap_or(Value::Null),
        Scalar::Float(float) => json_float(float)?,
    })
}

/// A float as Go's JSON writes it: plain between 1e-6 and 1e21.
fn json_float(float: f64) -> Result<Value, BuiltinError> {
    let unsupported = |name: &str| Err(BuiltinError::failed(format!("json: unsupported value: {name}")));
    match float {
        _ if float.is_nan() => return unsupported("NaN"),
        f64::INFINITY => return unsupported("+Inf"),
        f64::NEG_INFINITY => return unsupported("-Inf"),
        _ => {}
    }
    let size = float.abs();
    let text = if size != 0.0 && !(1e-6..1e21).contains(&size) {
        format!("{float:e}").replacen('e', if size < 1.0 { "e" } else { "e+" }, 1)
    } else {
        format!("{float}")
    };
    Ok(Value::number(&text).unwrap_or(Value::Null))
}

/// A float with as few digits as tell it from its neighbours of 32 bits.
#[allow(clippy::cast_possible_truncation, reason = "what 32 bits keep of it is what is asked for")]
fn short(float: f64) -> String {
    match float {
        _ if float.is_nan() => ".nan".into(),
        f64::INFINITY => ".inf".into(),
        f64::NEG_INFINITY => "-.inf".into(),
        _ => {
            let digits = format!("{:e}", float as f32);
            let nearest = digits.parse().ok().and_then(Value::from_f64);
            nearest.map_or(digits, |value| value.to_string())
        }
    }
}
