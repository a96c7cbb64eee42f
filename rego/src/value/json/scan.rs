//! A JSON text, byte by byte, with Go's words for what does not belong there (`encoding/json/scanner.go`).

use super::JsonError;
use crate::value::print::quoted;

/// A text and how far it is read.
#[derive(Debug)]
pub(super) struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Where it is.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// The next byte, which stays.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What was read since.
    pub(super) fn since(&self, start: usize) -> &'t [u8] {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The next byte that is no space, which stays.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.skip(1),
                other => return other,
            }
        }
    }

    /// The rest of `true`, `false` or `null`.
    pub(super) fn word(&mut self, word: &str) -> Result<(), JsonError> {
        for (index, expected) in word.bytes().enumerate() {
            if self.peek() != Some(expected) {
                return Err(self.unexpected(&match index {
                    0 => "looking for beginning of value".to_owned(),
                    _ => format!("in literal {word} (expecting {})", character(expected)),
                }));
            }
            self.skip(1);
        }
        Ok(())
    }

    /// A number as it is written.
    pub(super) fn number(&mut self) -> Result<&'t str, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.skip(1);
        }
        match self.peek() {
            Some(b'0') => self.skip(1),
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected("in numeric literal")),
        }
        if self.peek() == Some(b'.') {
            self.skip(1);
            self.some_digits("after decimal point in numeric literal")?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.skip(1);
            if let Some(b'+' | b'-') = self.peek() {
                self.skip(1);
            }
            self.some_digits("in exponent of numeric literal")?;
        }
        Ok(str::from_utf8(self.since(start)).unwrap_or_default())
    }

    fn some_digits(&mut self, place: &str) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'0'..=b'9') => {
                self.digits();
                Ok(())
            }
            _ => Err(self.unexpected(place)),
        }
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.skip(1);
        }
    }

    /// What stands here does not belong here.
    pub(super) fn unexpected(&self, place: &str) -> JsonError {
        match self.peek() {
            Some(byte) => self.error(format!("invalid character {} {place}", character(byte))),
            None => self.error("unexpected EOF"),
        }
    }

    /// Something is wrong here.
    pub(super) fn error(&self, message: impl Into<String>) -> JsonError {
        JsonError { offset: self.at, message: message.into() }
    }
}

/// A byte in single quotes (`quoteChar`).
fn character(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        other => {
            let text = quoted(&char::from(other).to_string());
            format!("'{}'", text.trim_matches('"'))
        }
    }
}
