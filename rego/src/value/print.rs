//! Values as Rego writes them (`v1/ast/term_appenders.go`): what `print`, `sprintf("%v")` and messages show.

mod text;

use std::fmt::{self, Write};

use super::meter::Meter;
use super::{Value, deep};

pub use super::text::TextError;
use super::text::Writer;
pub(crate) use text::{escape, escaped, is_printable};

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(self, f)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(self, f)
    }
}

/// Returns the first `most` bytes, about, of what something is shown as, and whether that is all of it. Values and types share their
/// parts, so their text may be longer than there is time to write: it is written no further than that.
pub(crate) fn beginning(of: &impl fmt::Display, most: usize) -> (String, bool) {
    let mut text = Beginning { text: String::new(), most };
    let is_whole = write!(text, "{of}").is_ok();
    (text.text, is_whole)
}

/// Refuses text once it has enough.
struct Beginning {
    text: String,
    most: usize,
}

impl Write for Beginning {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.text.len() > self.most {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}

impl Value {
    /// As [`Display`](fmt::Display), up to so many bytes, paid by an account.
    pub fn print_within<M: Meter>(&self, limit: usize, meter: &mut M) -> Result<String, TextError> {
        let mut writer = Writer::new(limit, meter);
        let written = print(self, &mut writer);
        writer.done(written)
    }
}

/// Text in quotes, as Go's `strconv.Quote` writes it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    text::quote(text, &mut out).unwrap_or(());
    out
}

fn print<W: Write>(value: &Value, out: &mut W) -> fmt::Result {
    match value {
        Value::Null => out.write_str("null"),
        Value::False => out.write_str("false"),
        Value::True => out.write_str("true"),
        Value::Int(value) => write!(out, "{value}"),
        Value::Number(number) => out.write_str(number.text()),
        Value::String(text) => text::quote(text, out),
        Value::Array(array) => deep::level(array.depth(), || list(out, "[", array.items(), "]")),
        Value::Set(set) if set.is_empty() => out.write_str("set()"),
        Value::Set(set) => deep::level(set.depth(), || list(out, "{", set.members(), "}")),
        Value::Object(object) => deep::level(object.depth(), || members(out, object)),
    }
}

fn list<W: Write>(out: &mut W, open: &str, items: &[Value], close: &str) -> fmt::Result {
    out.write_str(open)?;
    for (index, item) in items.iter().enumerate() {
        out.write_str(if index > 0 { ", " } else { "" })?;
        print(item, out)?;
    }
    out.write_str(close)
}

fn members<W: Write>(out: &mut W, object: &super::Object) -> fmt::Result {
    out.write_str("{")?;
    for (index, (key, value)) in object.iter().enumerate() {
        out.write_str(if index > 0 { ", " } else { "" })?;
        print(key, out)?;
        out.write_str(": ")?;
        print(value, out)?;
    }
    out.write_str("}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Free;

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
            Value::True,
            Value::number("1.50").unwrap(),
            Value::object([(Value::Int(1), Value::from("x")), (Value::from("y"), Value::Int(2))]),
        ]);
        assert_eq!(mixed.to_string(), r#"[set(), {}, [], {1, 2}, null, true, 1.50, {1: "x", "y": 2}]"#);
        assert_eq!(quoted("\u{10fe00}\u{e0001}"), r#""\U0010fe00\U000e0001""#);
    }

    /// A byte that is no UTF-8 is kept as a private character.
    #[test]
    fn bytes_are_printed_as_go_does() {
        assert_eq!(quoted("a\u{10ffff}\u{10ff80}"), r#""a\xff\x80""#);
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
