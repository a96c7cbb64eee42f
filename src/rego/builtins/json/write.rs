//! JSON as Go's `encoding/json` writes it: sorted keys, and what HTML would take for markup escaped.

use regorus::Value;

use super::super::error::BuiltinError;
use super::{BYTES, notation};
use crate::rego::order;

/// How JSON over several lines begins each line.
pub(super) struct Layout {
    pub(super) prefix: String,
    pub(super) indent: String,
}

impl Default for Layout {
    fn default() -> Self {
        Self { prefix: String::new(), indent: "\t".into() }
    }
}

/// JSON without blanks.
pub(in super::super) fn compact(value: &Value) -> Result<String, BuiltinError> {
    write(value, None)
}

/// JSON over several lines.
pub(super) fn pretty(value: &Value, layout: &Layout) -> Result<String, BuiltinError> {
    write(value, Some(layout))
}

fn write(value: &Value, layout: Option<&Layout>) -> Result<String, BuiltinError> {
    let mut writer = Writer { out: layout.map_or(String::new(), |layout| layout.prefix.clone()), layout, depth: 0 };
    writer.value(value)?;
    Ok(writer.out)
}

struct Writer<'l> {
    out: String,
    layout: Option<&'l Layout>,
    depth: usize,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) -> Result<(), BuiltinError> {
        match value {
            Value::Null | Value::Undefined => self.push("null"),
            Value::Bool(true) => self.push("true"),
            Value::Bool(false) => self.push("false"),
            Value::Number(_) => self.push(&notation::number(value)),
            Value::String(text) => self.string(text),
            Value::Array(items) => self.list(items.iter()),
            Value::Set(items) => {
                let members = order::members(items).map_err(|error| BuiltinError::Limit(error.to_string()))?;
                self.list(members.into_iter())
            }
            Value::Object(members) => {
                let members = notation::members(members)?;
                self.collection('{', '}', members.into_iter(), |writer, (key, value)| {
                    writer.string(&key)?;
                    writer.push(if writer.layout.is_some() { ": " } else { ":" })?;
                    writer.value(value)
                })
            }
        }
    }

    fn list<'v>(&mut self, items: impl ExactSizeIterator<Item = &'v Value>) -> Result<(), BuiltinError> {
        self.collection('[', ']', items, |writer, item| writer.value(item))
    }

    fn collection<T>(
        &mut self,
        open: char,
        close: char,
        items: impl ExactSizeIterator<Item = T>,
        each: impl Fn(&mut Self, T) -> Result<(), BuiltinError>,
    ) -> Result<(), BuiltinError> {
        self.out.push(open);
        let is_empty = items.len() == 0;
        self.depth = self.depth.saturating_add(1);
        for (at, item) in items.enumerate() {
            self.push(if at > 0 { "," } else { "" })?;
            self.line()?;
            each(self, item)?;
        }
        self.depth = self.depth.saturating_sub(1);
        if !is_empty {
            self.line()?;
        }
        self.out.push(close);
        Ok(())
    }

    /// Begins a line.
    fn line(&mut self) -> Result<(), BuiltinError> {
        let Some(layout) = self.layout else { return Ok(()) };
        self.out.push('\n');
        self.push(&layout.prefix)?;
        (0..self.depth).try_for_each(|_| self.push(&layout.indent))
    }

    fn string(&mut self, text: &str) -> Result<(), BuiltinError> {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => self.out.extend(['\\', c]),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..'\u{20}' => {
                    self.out.push_str(&format!("\\u{:04x}", u32::from(c)));
                }
                c => self.out.push(c),
            }
        }
        self.push("\"")
    }

    fn push(&mut self, text: &str) -> Result<(), BuiltinError> {
        self.out.push_str(text);
        let too_much = || BuiltinError::Limit(format!("would make more than {} MiB", BYTES >> 20));
        if self.out.len() > BYTES { Err(too_much()) } else { Ok(()) }
    }
}
