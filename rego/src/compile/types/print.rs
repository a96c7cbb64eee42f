//! Types as messages show them (`v1/types/types.go`, `String`).

use std::fmt::{self, Display, Formatter};

use super::declared;
use super::lattice::{Dynamic, Function, Type};
use crate::value::Value;
use crate::value::print::beginning;

/// A type, or `???`.
pub(crate) struct Shown<'a>(pub Option<&'a Type>);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(known) => known.fmt(f),
            None => f.write_str("???"),
        }
    }
}

/// Bytes of a type that are shown: it may have very many parts.
const LONGEST: usize = 16 << 10;

/// A type, or `???`; of a long one the beginning.
pub(crate) fn shown(of: Option<&Type>) -> String {
    let (mut text, is_whole) = beginning(&Shown(of), LONGEST);
    if !is_whole {
        text.push('…');
    }
    text
}

/// A key as Go prints it: text without quotes.
pub(crate) fn key(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::String(text) => text.to_string(),
        Value::Array(array) => list(array.items()),
        Value::Set(set) => list(set.members()),
        Value::Object(object) => {
            let members: Vec<_> = object.iter().map(|(name, value)| format!("{}:{}", key(name), key(value))).collect();
            format!("map[{}]", members.join(" "))
        }
        other => other.to_string(),
    }
}

fn list(items: &[Value]) -> String {
    format!("[{}]", items.iter().map(key).collect::<Vec<_>>().join(" "))
}

/// `array<a, b>[c]` from its parts.
pub(crate) fn composite(name: &str, fixed: &[String], dynamic: Option<&str>) -> String {
    let mut text = String::from(name);
    if !fixed.is_empty() {
        text.push_str(&format!("<{}>", fixed.join(", ")));
    }
    if let Some(dynamic) = dynamic {
        text.push_str(&format!("[{dynamic}]"));
    }
    text
}

/// Operands in parentheses, with the names that a builtin's declaration gives them if these are wanted.
pub(crate) fn operands(function: &Function, named: bool) -> String {
    let mut all: Vec<String> = Vec::new();
    for (at, operand) in function.operands.iter().enumerate() {
        let name = if named { declared::operand_name(function, at) } else { None };
        all.push(labelled(name, &shown(operand.as_ref())));
    }
    all.extend(function.variadic.iter().map(|variadic| format!("{variadic}...")));
    format!("({})", all.join(", "))
}

/// `name: type`.
pub(crate) fn labelled(name: Option<&str>, shown: &str) -> String {
    name.map_or_else(|| shown.to_owned(), |name| format!("{name}: {shown}"))
}

impl Display for Dynamic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Shown(self.key.as_ref()), Shown(self.value.as_ref()))
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean => f.write_str("boolean"),
            Self::Number => f.write_str("number"),
            Self::String => f.write_str("string"),
            Self::Array(array) => {
                f.write_str("array")?;
                angled(f, array.fixed.iter().map(|one| (None, one.as_ref())))?;
                array.dynamic.as_ref().map_or(Ok(()), |of| write!(f, "[{of}]"))
            }
            Self::Object(object) => {
                f.write_str("object")?;
                angled(f, object.fixed.iter().map(|(key, one)| (Some(key), one.as_ref())))?;
                object.dynamic.as_ref().map_or(Ok(()), |of| write!(f, "[{of}]"))
            }
            Self::Set(of) => match &of.0 {
                Some(of) => write!(f, "set[{of}]"),
                None => f.write_str("set"),
            },
            Self::Any(union) => {
                f.write_str("any")?;
                angled(f, union.0.iter().map(|one| (None, Some(one))))
            }
            Self::Function(function) => write!(f, "{} => {}", operands(function, false), Shown(function.result.as_ref())),
        }
    }
}

fn angled<'a>(f: &mut Formatter<'_>, parts: impl Iterator<Item = (Option<&'a Value>, Option<&'a Type>)>) -> fmt::Result {
    let mut separator = "<";
    for (name, part) in parts {
        f.write_str(separator)?;
        if let Some(name) = name {
            write!(f, "{}: ", key(name))?;
        }
        Shown(part).fmt(f)?;
        separator = ", ";
    }
    if separator == "<" { Ok(()) } else { f.write_str(">") }
}
