//! JSON as Go's `encoding/json` reads it: half a surrogate pair is U+FFFD, and the last of equal keys counts.

use std::collections::BTreeMap;

use regorus::Value;

use super::super::error::BuiltinError;
use super::number;

/// How deep a document may be.
const DEPTH: usize = 512;

/// Reads a document.
pub(in super::super) fn read(text: &str) -> Result<Value, BuiltinError> {
    document(text, true)
}

/// Whether a text is a document, whatever its numbers are.
pub(super) fn is_valid(text: &str) -> Result<bool, BuiltinError> {
    match document(text, false) {
        Ok(_) => Ok(true),
        Err(limit @ BuiltinError::Limit(_)) => Err(limit),
        Err(_) => Ok(false),
    }
}

fn document(text: &str, numbers: bool) -> Result<Value, BuiltinError> {
    let mut reader = Reader { rest: text, numbers };
    let value = reader.value(0)?;
    reader.blanks();
    if reader.rest.is_empty() { Ok(value) } else { Err(reader.invalid("after top-level value")) }
}

struct Reader<'t> {
    rest: &'t str,
    /// Whether numbers are read, or only looked at.
    numbers: bool,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    fn invalid(&self, place: &str) -> BuiltinError {
        BuiltinError::other(match self.rest.chars().next() {
            Some(c) => format!("invalid character {c:?} {place}"),
            None => "unexpected end of JSON input".to_owned(),
        })
    }

    fn takes(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn value(&mut self, depth: usize) -> Result<Value, BuiltinError> {
        if depth > DEPTH {
            return Err(BuiltinError::Limit(format!("reads no JSON deeper than {DEPTH}")));
        }
        self.blanks();
        match self.rest.as_bytes().first() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Value::from),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.takes("null") => Ok(Value::Null),
            _ if self.takes("true") => Ok(Value::from(true)),
            _ if self.takes("false") => Ok(Value::from(false)),
            _ => Err(self.invalid("looking for beginning of value")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, BuiltinError> {
        let mut items = Vec::new();
        self.takes("[");
        self.blanks();
        if self.takes("]") {
            return Ok(items.into());
        }
        loop {
            items.push(self.value(depth.saturating_add(1))?);
            self.blanks();
            match () {
                () if self.takes(",") => {}
                () if self.takes("]") => return Ok(items.into()),
                () => return Err(self.invalid("after array element")),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, BuiltinError> {
        let mut members = BTreeMap::new();
        self.takes("{");
        self.blanks();
        if self.takes("}") {
            return Ok(members.into());
        }
        loop {
            self.blanks();
            let key = self.string()?;
            self.blanks();
            if !self.takes(":") {
                return Err(self.invalid("after object key"));
            }
            let value = self.value(depth.saturating_add(1))?;
            members.insert(Value::from(key), value);
            self.blanks();
            match () {
                () if self.takes(",") => {}
                () if self.takes("}") => return Ok(members.into()),
                () => return Err(self.invalid("after object key:value pair")),
            }
        }
    }

    fn digits(&mut self) -> usize {
        let after = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = self.rest.len().saturating_sub(after.len());
        self.rest = after;
        digits
    }

    fn number(&mut self) -> Result<Value, BuiltinError> {
        let whole = self.rest;
        self.takes("-");
        if !self.takes("0") && self.digits() == 0 {
            return Err(self.invalid("in numeric literal"));
        }
        if self.takes(".") && self.digits() == 0 {
            return Err(self.invalid("after decimal point in numeric literal"));
        }
        if self.takes("e") || self.takes("E") {
            let _sign = self.takes("+") || self.takes("-");
            if self.digits() == 0 {
                return Err(self.invalid("in exponent of numeric literal"));
            }
        }
        let text = whole.get(..whole.len().saturating_sub(self.rest.len())).unwrap_or_default();
        if self.numbers { number::exact(text) } else { Ok(Value::Null) }
    }

    fn string(&mut self) -> Result<String, BuiltinError> {
        if !self.takes("\"") {
            return Err(self.invalid("looking for beginning of object key string"));
        }
        let mut text = String::new();
        loop {
            let plain = self.rest.find(|c| c < ' ' || c == '"' || c == '\\').unwrap_or(self.rest.len());
            let (before, rest) = self.rest.split_at_checked(plain).unwrap_or((self.rest, ""));
            text.push_str(before);
            self.rest = rest;
            match () {
                () if self.takes("\"") => return Ok(text),
                () if self.takes("\\") => text.push(self.escape()?),
                () => return Err(self.invalid("in string literal")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, BuiltinError> {
        let read = match self.rest.chars().next() {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.code(),
            _ => return Err(self.invalid("in string escape code")),
        };
        self.rest = self.rest.get(1..).unwrap_or_default();
        Ok(read)
    }

    /// `uXXXX`, and the other half of a pair if it follows.
    fn code(&mut self) -> Result<char, BuiltinError> {
        let first = unit(self.rest).ok_or_else(|| self.invalid("in \\u hexadecimal character escape"))?;
        self.rest = self.rest.get(5..).unwrap_or_default();
        let second = self.rest.strip_prefix('\\').and_then(unit);
        match (char::from_u32(first), second) {
            (Some(c), _) => Ok(c),
            (None, Some(low @ 0xdc00..0xe000)) if first < 0xdc00 => {
                self.rest = self.rest.get(6..).unwrap_or_default();
                let both = 0x1_0000_u32.saturating_add((first & 0x3ff) << 10) | (low & 0x3ff);
                Ok(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
            _ => Ok(char::REPLACEMENT_CHARACTER),
        }
    }
}

/// The number of `uXXXX`.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let is_hexadecimal = digits.bytes().all(|c| c.is_ascii_hexdigit());
    if is_hexadecimal { u32::from_str_radix(digits, 16).ok() } else { None }
}
