//! Values as templates print them (Go: `fmt`, `%v`), and as `printf` formats them.

use std::fmt;

use super::value::Data;
use crate::builtins::float;
use crate::value::Value;

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing | Self::Null => f.write_str("<nil>"),
            Self::Bool(truth) => truth.fmt(f),
            Self::Int(number) => number.fmt(f),
            Self::Float(number) => {
                write!(f, "{}{}", if number.is_sign_negative() { "-" } else { "" }, float::general(number.abs(), None))
            }
            Self::Text(text) | Self::Number(text) => f.write_str(text),
            Self::Collection(value) => nested(value, f),
        }
    }
}

fn nested(value: &Value, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        Value::Null => f.write_str("<nil>"),
        Value::String(text) => f.write_str(text),
        Value::Array(array) => stacker::maybe_grow(64 << 10, 1 << 20, || {
            f.write_str("[")?;
            for (index, item) in array.items().iter().enumerate() {
                f.write_str(if index > 0 { " " } else { "" })?;
                nested(item, f)?;
            }
            f.write_str("]")
        }),
        Value::Object(object) => stacker::maybe_grow(64 << 10, 1 << 20, || {
            f.write_str("map[")?;
            for (index, (key, member)) in object.iter().enumerate() {
                f.write_str(if index > 0 { " " } else { "" })?;
                nested(key, f)?;
                f.write_str(":")?;
                nested(member, f)?;
            }
            f.write_str("]")
        }),
        scalar => fmt::Display::fmt(scalar, f),
    }
}
