//! Values as Rego writes them (`v1/ast/term_appenders.go`): what `print`, `sprintf("%v")` and messages show.

mod text;
mod unprintable;

use std::fmt;

use super::meter::{Free, Meter};
use super::{Value, deep};

pub use super::text::TextError;
use super::text::Writer;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Number(number) => f.write_str(number.text()),
            Self::String(text) => f.write_str(&quoted(text)),
            collection => f.write_str(&collection.print_within(usize::MAX, &mut Free).map_err(|_| fmt::Error)?),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Text in quotes, as Go's `strconv.Quote` writes it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    text::quote(text, &mut out);
    out
}

impl Value {
    /// As [`Display`](fmt::Display), up to so many bytes, paid by an account.
    pub fn print_within<M: Meter>(&self, limit: usize, meter: &mut M) -> Result<String, TextError> {
        let mut writer = Writer::new(limit, meter);
        self.print_to(&mut writer)?;
        Ok(writer.finish())
    }

    fn print_to<M: Meter>(&self, out: &mut Writer<M>) -> Result<(), TextError> {
        match self {
            Self::Null => out.push("null"),
            Self::Bool(value) => out.push(if *value { "true" } else { "false" }),
            Self::Int(value) => out.push(&value.to_string()),
            Self::Number(number) => out.push(number.text()),
            Self::String(text) => {
                out.expect(text.len())?;
                text::quote(text, out.text());
                out.settle()
            }
            Self::Array(array) => deep::level(array.depth(), || list(out, "[", array.items(), "]")),
            Self::Set(set) if set.is_empty() => out.push("set()"),
            Self::Set(set) => deep::level(set.depth(), || list(out, "{", set.members(), "}")),
            Self::Object(object) => deep::level(object.depth(), || members(out, object)),
        }
    }
}

fn list<M: Meter>(out: &mut Writer<M>, open: &str, items: &[Value], close: &str) -> Result<(), TextError> {
    let mut before = open;
    for item in items {
        out.push(before)?;
        item.print_to(out)?;
        before = ", ";
    }
    if items.is_empty() {
        out.push(open)?;
    }
    out.push(close)
}

fn members<M: Meter>(out: &mut Writer<M>, object: &super::Object) -> Result<(), TextError> {
    out.push("{")?;
    for (index, (key, value)) in object.iter().enumerate() {
        out.push(if index > 0 { ", " } else { "" })?;
        key.print_to(out)?;
        out.push(": ")?;
        value.print_to(out)?;
    }
    out.push("}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As OPA 1.22 prints them.
    #[test]
    fn values_are_printed_as_opa_does() {
        let key = "a\0\u{2028}<é\u{7f}\u{fffd}\n\t\"\u{1f600}\u{300}\u{ad}\u{a0}\u{200b}\u{e000}\u{8}\u{c}\u{b}\u{7}\\";
        let object = Value::object([(Value::from(key), Value::Int(1))]);
        let expected =
            r#"{"a\x00\u2028<é\x7f�"#.to_owned() + r#"\n\t\"😀"# + "\u{300}" + r#"\u00ad\u00a0\u200b\ue000\b\f\v\a\\": 1}"#;
        assert_eq!(object.to_string(), expected);
        let mixed = Value::array([
            Value::set([]),
            Value::object([]),
            Value::array([]),
            Value::set([Value::Int(1), Value::Int(2)]),
            Value::Null,
            Value::Bool(true),
            Value::number("1.50").unwrap(),
            Value::object([(Value::Int(1), Value::from("x")), (Value::from("y"), Value::Int(2))]),
        ]);
        assert_eq!(mixed.to_string(), r#"[set(), {}, [], {1, 2}, null, true, 1.50, {1: "x", "y": 2}]"#);
        assert_eq!(quoted("\u{10ffff}\u{e0001}"), r#""\U0010ffff\U000e0001""#);
    }

    #[test]
    fn printing_ends_at_its_limit() {
        let twice = |value: Value| Value::array([value.clone(), value]);
        let doubled = (0..60).fold(Value::Int(1), |value, _| twice(value));
        assert_eq!(doubled.print_within(1_000, &mut Free), Err(TextError::Limit(1_000)));
        assert_eq!(Value::from("abc").print_within(4, &mut Free), Err(TextError::Limit(4)));
        assert_eq!(Value::from("abc").print_within(5, &mut Free), Ok("\"abc\"".to_owned()));
    }
}
