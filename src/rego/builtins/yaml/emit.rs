//! Values as Go's YAML writes them, two columns for each level.

use regorus::Value;

use super::super::error::BuiltinError;
use super::super::{format, json};
use super::keys;
use super::scalar::{self, Style};
use crate::rego::order;

/// Bytes that one call may make.
const BYTES: usize = 16 << 20;
/// Bytes of the longest simple key.
const SIMPLE: usize = 128;
/// Bytes of the longest key that Go's reader finds again.
const KEY: usize = 1_000;

pub(super) fn emit(value: &Value) -> Result<String, BuiltinError> {
    let mut emitter = Emitter { out: String::new() };
    emitter.node(value, 0, true)?;
    emitter.end_line();
    Ok(emitter.out)
}

struct Emitter {
    out: String,
}

impl Emitter {
    /// Writes a node whose lines begin at a column; `here` if its first line goes on where the last ended.
    fn node(&mut self, value: &Value, column: usize, here: bool) -> Result<(), BuiltinError> {
        match value {
            Value::String(text) => self.text(text, column, false),
            Value::Array(items) if items.is_empty() => self.word("[]"),
            Value::Array(items) => self.sequence(items.iter(), column, here),
            Value::Set(items) if items.is_empty() => self.word("[]"),
            Value::Set(items) => {
                let members = order::members(items).map_err(|error| BuiltinError::Limit(error.to_string()))?;
                self.sequence(members.into_iter(), column, here)
            }
            Value::Object(members) if members.is_empty() => self.word("{}"),
            Value::Object(members) => self.mapping(keys::sort(json::members(members)?.into_iter().collect()), column, here),
            scalar => self.word(&word(scalar)),
        }
    }

    fn sequence<'v>(&mut self, items: impl Iterator<Item = &'v Value>, column: usize, here: bool) -> Result<(), BuiltinError> {
        for (at, item) in items.enumerate() {
            self.begin(column, here && at == 0)?;
            self.push("-")?;
            self.node(item, column.saturating_add(2), true)?;
        }
        Ok(())
    }

    fn mapping(&mut self, members: Vec<(String, &Value)>, column: usize, here: bool) -> Result<(), BuiltinError> {
        for (at, (key, value)) in members.into_iter().enumerate() {
            if key.len() > KEY {
                return Err(BuiltinError::Limit(format!("would write a key of more than {KEY} bytes")));
            }
            self.begin(column, here && at == 0)?;
            let simple = key.len() <= SIMPLE && !key.contains(['\n', '\r']);
            if !simple {
                self.push("?")?;
            }
            self.text(&key, column.saturating_add(2), simple)?;
            if !simple {
                self.begin(column, false)?;
            }
            self.push(":")?;
            self.node(value, column.saturating_add(2), !simple)?;
        }
        Ok(())
    }

    /// Begins a line at a column, or goes on behind an indicator.
    fn begin(&mut self, column: usize, here: bool) -> Result<(), BuiltinError> {
        if here {
            return self.space();
        }
        self.end_line();
        self.push(&" ".repeat(column))
    }

    /// A blank behind what stands in the line, if it is not a blank.
    fn space(&mut self) -> Result<(), BuiltinError> {
        self.push(if self.out.is_empty() || self.out.ends_with(['\n', ' ']) { "" } else { " " })
    }

    fn end_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn word(&mut self, word: &str) -> Result<(), BuiltinError> {
        self.space()?;
        self.push(word)
    }

    fn text(&mut self, text: &str, column: usize, key: bool) -> Result<(), BuiltinError> {
        if text.contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}']) {
            return Err(BuiltinError::Limit("does not write line separators of Unicode".into()));
        }
        if text.contains(|c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')) {
            return Err(BuiltinError::other("yaml: control characters are not allowed"));
        }
        self.space()?;
        match scalar::style(text, key) {
            Style::Plain => self.push(text),
            Style::Single => self.push(&format!("'{}'", text.replace('\'', "''"))),
            Style::Double => self.double(text),
            Style::Literal => self.literal(text, column.max(2)),
        }
    }

    fn literal(&mut self, text: &str, column: usize) -> Result<(), BuiltinError> {
        self.push("|")?;
        self.push(if text.starts_with([' ', '\n']) { "2" } else { "" })?;
        self.push(match text.strip_suffix('\n') {
            None => "-",
            Some(before) if before.is_empty() || before.ends_with('\n') => "+",
            Some(_) => "",
        })?;
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.out.push('\n');
            self.push(&" ".repeat(if line.is_empty() { 0 } else { column }))?;
            self.push(line)?;
        }
        if text.ends_with('\n') {
            self.out.push('\n');
        }
        Ok(())
    }

    fn double(&mut self, text: &str) -> Result<(), BuiltinError> {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '\0' => self.out.push_str("\\0"),
                '\u{7}' => self.out.push_str("\\a"),
                '\u{8}' => self.out.push_str("\\b"),
                '\t' => self.out.push_str("\\t"),
                '\n' => self.out.push_str("\\n"),
                '\u{b}' => self.out.push_str("\\v"),
                '\u{c}' => self.out.push_str("\\f"),
                '\r' => self.out.push_str("\\r"),
                '\u{1b}' => self.out.push_str("\\e"),
                '"' | '\\' => self.out.extend(['\\', c]),
                c if scalar::is_printable(c) => self.out.push(c),
                c => self.out.push_str(&match u32::from(c) {
                    code @ ..0x100 => format!("\\x{code:02X}"),
                    code @ 0x100..0x1_0000 => format!("\\u{code:04X}"),
                    code => format!("\\U{code:08X}"),
                }),
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

/// Null, booleans and numbers: what fits into 64 bits as it is, the rest as Go writes floats.
fn word(scalar: &Value) -> String {
    let Ok(number) = scalar.as_number() else { return scalar.to_string() };
    if let (true, Some(integer)) = (number.is_integer(), number.as_i64().map(i128::from).or(number.as_u64().map(i128::from))) {
        return integer.to_string();
    }
    number.format_decimal().parse().map_or_else(|_| number.format_decimal(), format::shortest)
}
