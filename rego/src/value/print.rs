//! Values as Rego writes them: what `print`, `sprintf("%v")` and messages show.

use std::fmt;

use super::Value;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Number(number) => f.write_str(number.text()),
            Self::String(text) => fmt::Debug::fmt(text.as_str(), f),
            Self::Array(array) => list(f, '[', array.items(), ']'),
            Self::Set(set) if set.is_empty() => f.write_str("set()"),
            Self::Set(set) => list(f, '{', set.members(), '}'),
            Self::Object(object) => members(f, object),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, open: char, items: &[Value], close: char) -> fmt::Result {
    write!(f, "{open}")?;
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
    }
    write!(f, "{close}")
}

fn members(f: &mut fmt::Formatter<'_>, object: &super::Object) -> fmt::Result {
    f.write_str("{")?;
    for (index, (key, value)) in object.iter().enumerate() {
        write!(f, "{}{key}: {value}", if index > 0 { ", " } else { "" })?;
    }
    f.write_str("}")
}
