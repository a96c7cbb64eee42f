//! Values as Go's YAML writes them, two columns for each level.

use super::keys;
use super::resolve::{self, Scalar};
use super::style::{self, Style};
use crate::builtins::output::Output;
use crate::builtins::{BuiltinError, float};
use crate::limits::Account;
use crate::value::json::{TextError, write_within};
use crate::value::{Object, Value};

/// Levels that are gone through on the stack as it is; stack that must be there beyond, and what is added.
const STACK: (usize, usize) = (256 << 10, 2 << 20);
/// Bytes of the longest simple key.
const SIMPLE: usize = 128;
/// Characters of the longest key, in quotes, that Go's reader finds again in JSON.
const KEY: usize = 1_024;

pub(super) fn emit(account: &mut Account, value: &Value) -> Result<String, BuiltinError> {
    let mut emitter = Emitter { out: Output::new(account) };
    emitter.node(value, 0, true)?;
    emitter.end_line()?;
    Ok(emitter.out.finish())
}

struct Emitter<'a> {
    out: Output<'a>,
}

impl Emitter<'_> {
    /// Writes a node whose lines begin at a column; `here` if its first line goes on where the last ended.
    fn node(&mut self, value: &Value, column: usize, here: bool) -> Result<(), BuiltinError> {
        match value {
            Value::String(text) => self.text(text, column, false),
            Value::Array(array) => self.collection(column, here, array.items(), value.depth()),
            Value::Set(set) => self.collection(column, here, set.members(), value.depth()),
            Value::Object(object) if object.is_empty() => self.word("{}"),
            Value::Object(object) => {
                let members = keys::sort(self.named(object)?);
                level(value.depth(), || self.mapping(members, column, here))
            }
            scalar => self.word(&word(scalar)),
        }
    }

    fn collection(&mut self, column: usize, here: bool, items: &[Value], depth: u32) -> Result<(), BuiltinError> {
        if items.is_empty() {
            return self.word("[]");
        }
        level(depth, || self.sequence(items.iter(), column, here))
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
            if crate::builtins::quote::quote(&key).chars().count() > KEY {
                return Err(BuiltinError::failed("yaml: did not find expected ',' or '}'"));
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

    /// The members by the JSON text of their keys; of keys with the same text the last counts.
    fn named<'v>(&mut self, object: &'v Object) -> Result<Vec<(String, &'v Value)>, BuiltinError> {
        let account = self.out.account();
        account.charge(object.len().saturating_mul(size_of::<(String, &Value)>()))?;
        let mut members = std::collections::BTreeMap::new();
        for (key, value) in object.iter() {
            members.insert(name(key, account)?, value);
        }
        Ok(members.into_iter().collect())
    }

    /// Begins a line at a column, or goes on behind an indicator.
    fn begin(&mut self, column: usize, here: bool) -> Result<(), BuiltinError> {
        if here {
            return self.space();
        }
        self.end_line()?;
        Ok(self.out.repeat(' ', column)?)
    }

    /// A blank behind what stands in the line, if it is not a blank.
    fn space(&mut self) -> Result<(), BuiltinError> {
        self.push(if self.out.is_empty() || self.out.ends_with(&['\n', ' ']) { "" } else { " " })
    }

    fn end_line(&mut self) -> Result<(), BuiltinError> {
        self.push(if self.out.is_empty() || self.out.ends_with(&['\n']) { "" } else { "\n" })
    }

    fn word(&mut self, word: &str) -> Result<(), BuiltinError> {
        self.space()?;
        self.push(word)
    }

    fn text(&mut self, text: &str, column: usize, key: bool) -> Result<(), BuiltinError> {
        if text.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
            return Err(BuiltinError::failed("yaml: line separators of Unicode are not written here"));
        }
        if text.contains(|c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')) {
            return Err(BuiltinError::failed("yaml: control characters are not allowed"));
        }
        self.space()?;
        match style::style(text, key) {
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
            self.push("\n")?;
            self.out.repeat(' ', if line.is_empty() { 0 } else { column })?;
            self.push(line)?;
        }
        self.push(if text.ends_with('\n') { "\n" } else { "" })
    }

    fn double(&mut self, text: &str) -> Result<(), BuiltinError> {
        self.push("\"")?;
        // Go asks of each character whether the whole text begins with such a mark (`is_bom`), and escapes all of it then.
        let all = text.starts_with('\u{feff}');
        for c in text.chars() {
            match escape(c) {
                Some(letter) => self.push(&format!("\\{letter}"))?,
                None if all && c == '\u{a0}' => self.push("\\_")?,
                None if !all && style::is_printable(c) => self.out.repeat(c, 1)?,
                None => self.push(&match u32::from(c) {
                    code @ ..0x100 => format!("\\x{code:02X}"),
                    code @ 0x100..0x1_0000 => format!("\\u{code:04X}"),
                    code => format!("\\U{code:08X}"),
                })?,
            }
        }
        self.push("\"")
    }

    fn push(&mut self, text: &str) -> Result<(), BuiltinError> {
        Ok(self.out.push(text)?)
    }
}

/// The letter that stands for a character behind a backslash.
fn escape(c: char) -> Option<char> {
    Some(match c {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' | '\\' => c,
        _ => return None,
    })
}

/// Goes one level down, on a stack that grows for what is deep.
fn level<T>(depth: u32, down: impl FnOnce() -> T) -> T {
    if depth < 64 { down() } else { stacker::maybe_grow(STACK.0, STACK.1, down) }
}

/// Returns the text of a key: of what is no text, its JSON.
fn name(key: &Value, account: &mut Account) -> Result<String, BuiltinError> {
    if let Some(text) = key.as_str() {
        account.charge(text.len())?;
        return Ok(text.to_string());
    }
    write_within(key, None, usize::MAX, account).map_err(|error| match error {
        TextError::Halt(halt) => halt.into(),
        other => BuiltinError::failed(other.to_string()),
    })
}

/// Null, booleans and numbers: what fits into 64 bits as it is, the rest as Go writes floats.
fn word(scalar: &Value) -> String {
    let text = scalar.to_string();
    match resolve::resolve(&text) {
        Scalar::Int(integer) => integer.to_string(),
        Scalar::Float(float) => {
            format!("{}{}", if float.is_sign_negative() { "-" } else { "" }, float::general(float.abs(), None))
        }
        _ => text,
    }
}
