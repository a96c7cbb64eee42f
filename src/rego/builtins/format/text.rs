//! Values as OPA writes them in texts: Rego, with strings as Go quotes them (OPA: `v1/ast/term.go`).

use std::sync::LazyLock;

use regex::Regex;
use regorus::Value;

use super::super::error::BuiltinError;
use crate::rego::order::{self, TooMany};

/// The text of a value; an error if it would have more bytes than that, or has no order.
pub(super) fn of(value: &Value, bytes: usize) -> Result<String, BuiltinError> {
    let mut writer = Writer { out: String::new(), bytes };
    writer.value(value)?;
    Ok(writer.out)
}

/// A string in quotes.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    text.chars().for_each(|c| escape(c, &mut quoted));
    quoted.push('"');
    quoted
}

fn escape(c: char, out: &mut String) {
    match c {
        '"' | '\\' => out.extend(['\\', c]),
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{b}' => out.push_str("\\v"),
        c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
        c if is_printable(c) => out.push(c),
        c if u32::from(c) < 0x1_0000 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
    }
}

/// What Go's `strconv.IsPrint` says of characters beyond ASCII: letters, marks, numbers, punctuation and symbols of Unicode 15.0.
static PRINTABLE: LazyLock<Result<Regex, regex::Error>> = LazyLock::new(|| Regex::new(r"^[[\pL\pM\pN\pP\pS]&&\p{age:15.0}]$"));

fn is_printable(c: char) -> bool {
    (' '..='~').contains(&c) || PRINTABLE.as_ref().is_ok_and(|printable| printable.is_match(c.encode_utf8(&mut [0; 4])))
}

struct Writer {
    out: String,
    bytes: usize,
}

impl Writer {
    fn value(&mut self, value: &Value) -> Result<(), BuiltinError> {
        match value {
            Value::String(text) => self.push(&quote(text)),
            Value::Set(items) if items.is_empty() => self.push("set()"),
            Value::Set(items) => self.list('{', order::members(items).map_err(unordered)?.into_iter(), '}'),
            Value::Array(items) => self.list('[', items.iter(), ']'),
            Value::Object(members) => {
                self.push("{")?;
                for (at, (key, member)) in order::entries(members).map_err(unordered)?.into_iter().enumerate() {
                    self.push(if at > 0 { ", " } else { "" })?;
                    self.value(key)?;
                    self.push(": ")?;
                    self.value(member)?;
                }
                self.push("}")
            }
            // The text of the value would go through a float.
            Value::Number(number) => self.push(&number.format_decimal()),
            scalar => self.push(&scalar.to_string()),
        }
    }

    fn list<'v>(&mut self, open: char, items: impl Iterator<Item = &'v Value>, close: char) -> Result<(), BuiltinError> {
        self.out.push(open);
        for (at, item) in items.enumerate() {
            self.push(if at > 0 { ", " } else { "" })?;
            self.value(item)?;
        }
        self.out.push(close);
        Ok(())
    }

    fn push(&mut self, text: &str) -> Result<(), BuiltinError> {
        self.out.push_str(text);
        if self.out.len() > self.bytes {
            return Err(BuiltinError::Limit(format!("would make more than {} MiB", self.bytes >> 20)));
        }
        Ok(())
    }
}

fn unordered(error: TooMany) -> BuiltinError {
    BuiltinError::Limit(error.to_string())
}
