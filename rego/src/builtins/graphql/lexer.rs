//! Text to tokens (`lexer/lexer.go`). Lines and columns are those of gqlparser, which counts characters.

mod error;
mod string;
mod token;

use typed_arena::Arena;

pub(super) use token::{Kind, Token};

use super::ast::Position;
pub(super) use error::LexError;

/// A token that is none says why.
pub(super) type Read<'a> = (Token<'a>, Option<LexError>);

/// What reads a text.
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// Strings whose value is not written as it is.
    made: &'a Arena<u8>,
    prelude: bool,
    /// Where the token begins and where reading is, in bytes and in characters.
    start: Place,
    end: Place,
    line: usize,
    line_start: usize,
}

#[derive(Clone, Copy, Default)]
struct Place {
    byte: usize,
    character: usize,
}

impl Place {
    /// So many characters of one byte further on.
    fn ascii(self, count: usize) -> Self {
        self.wide(count, count)
    }

    fn wide(self, bytes: usize, characters: usize) -> Self {
        Self { byte: self.byte.saturating_add(bytes), character: self.character.saturating_add(characters) }
    }
}

/// Characters from `a` to `b`, which may stand before it.
fn distance(a: usize, b: usize) -> i64 {
    let number = |count| i64::try_from(count).unwrap_or(i64::MAX);
    number(b).saturating_sub(number(a))
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, made: &'a Arena<u8>, prelude: bool) -> Self {
        let (start, end) = (Place::default(), Place::default());
        Self { text, made, prelude, start, end, line: 1, line_start: 0 }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn next_byte(&self) -> Option<u8> {
        self.byte(self.end.byte)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.end.byte..).unwrap_or_default()
    }

    /// What was read since the token began.
    fn read_text(&self) -> &'a str {
        self.text.get(self.start.byte..self.end.byte).unwrap_or_default()
    }

    fn position(&self, character: usize) -> Position {
        let column = distance(self.line_start, character).saturating_add(1);
        Position { line: self.line, column, prelude: self.prelude }
    }

    fn token(&self, kind: Kind, value: &'a str) -> Read<'a> {
        (Token { kind, value, at: self.position(self.start.character) }, None)
    }

    fn error(&self, why: LexError) -> Read<'a> {
        (Token { kind: Kind::Invalid, value: "", at: self.position(self.end.character) }, Some(why))
    }

    /// The next token.
    pub(super) fn read(&mut self) -> Read<'a> {
        self.skip_ignored();
        self.start = self.end;
        let Some(first) = self.next_byte() else { return self.token(Kind::Eof, "") };
        if let Some(kind) = Kind::punctuator(first) {
            self.end = self.end.ascii(1);
            return self.token(kind, "");
        }
        match first {
            b'.' if self.rest().starts_with("...") => {
                self.end = self.end.ascii(3);
                self.token(Kind::Spread, "")
            }
            b'#' => self.comment(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.name(),
            b'-' | b'0'..=b'9' => self.number(),
            b'"' if self.rest().starts_with("\"\"\"") => self.block_string(),
            b'"' => self.string(),
            0..=0x1f => self.error(LexError::ControlCharacter(first)),
            b'\'' => self.error(LexError::SingleQuote),
            _ => self.error(LexError::Character(char::from(first))),
        }
    }

    fn skip_ignored(&mut self) {
        while let Some(byte) = self.next_byte() {
            match byte {
                b'\t' | b' ' | b',' => self.end = self.end.ascii(1),
                b'\n' => self.next_line(),
                b'\r' => {
                    self.next_line();
                    if self.next_byte() == Some(b'\n') {
                        // It counts as a character of the new line.
                        self.end = self.end.ascii(1);
                    }
                }
                _ if self.rest().starts_with('\u{feff}') => self.end = self.end.wide(3, 1),
                _ => return,
            }
        }
    }

    fn next_line(&mut self) {
        self.end = self.end.ascii(1);
        self.line = self.line.saturating_add(1);
        self.line_start = self.end.character;
    }

    fn comment(&mut self) -> Read<'a> {
        let rest = self.rest();
        let end = rest.find(|c: char| c <= '\u{1f}' && c != '\t').unwrap_or(rest.len());
        let comment = rest.get(..end).unwrap_or_default();
        self.end = self.end.wide(end, comment.chars().count());
        self.token(Kind::Comment, comment)
    }

    fn name(&mut self) -> Read<'a> {
        let rest = self.rest().as_bytes();
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(rest.len());
        self.end = self.end.ascii(length);
        self.token(Kind::Name, self.read_text())
    }

    fn number(&mut self) -> Read<'a> {
        match self.accept_number() {
            Ok(kind) => self.token(kind, self.read_text()),
            Err(why) => self.error(why),
        }
    }

    fn accept_number(&mut self) -> Result<Kind, LexError> {
        self.accept(b"-");
        if self.accept(b"0") {
            if self.next_byte().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(LexError::DigitAfterZero(self.next_shown()));
            }
        } else {
            self.digits()?;
        }
        let mut kind = Kind::Int;
        if self.accept(b".") {
            kind = Kind::Float;
            self.digits()?;
        }
        if self.accept(b"eE") {
            kind = Kind::Float;
            self.accept(b"-+");
            self.digits()?;
        }
        Ok(kind)
    }

    fn accept(&mut self, bytes: &[u8]) -> bool {
        let accepted = self.next_byte().is_some_and(|byte| bytes.contains(&byte));
        self.end = self.end.ascii(usize::from(accepted));
        accepted
    }

    fn digits(&mut self) -> Result<(), LexError> {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.end = self.end.ascii(count);
        if count == 0 { Err(LexError::NoDigit(self.next_shown())) } else { Ok(()) }
    }

    fn next_shown(&self) -> String {
        self.next_byte().map_or_else(|| "<EOF>".to_owned(), |byte| format!("\"{}\"", char::from(byte)))
    }
}
