//! Numbers and strings.

use super::{Lexer, is_digit, is_letter};
use crate::syntax::token::Token;

impl Lexer<'_> {
    /// A number, with all letters and digits behind it: `0a2b` is one wrong number.
    pub(super) fn number(&mut self) -> Token {
        let digit = |c: char| c.is_ascii_digit();
        self.skip(digit);
        if self.peek() == Some('.') {
            self.bump();
            if !self.skip(digit) {
                self.error("expected fraction");
            }
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            self.bump();
            if matches!(self.peek(), Some('+' | '-')) {
                self.bump();
            }
            if !self.skip(digit) {
                self.error("expected exponent");
            }
        }
        if self.peek().is_some_and(is_letter) {
            self.error("illegal number format");
            self.skip(|c| is_letter(c) || is_digit(c));
        }
        Token::Number
    }

    /// The rest of a string, behind its first quote.
    pub(super) fn string(&mut self) -> Token {
        while self.inside() {
            let first = self.peek();
            self.bump();
            match first {
                Some('"') => break,
                Some('\\') => self.escape(false),
                _ => {}
            }
        }
        Token::String
    }

    /// The rest of a raw string, behind its first quote.
    pub(super) fn raw_string(&mut self) -> Token {
        self.skip(|c| c != '`');
        if self.peek().is_none() {
            self.error("non-terminated string");
        }
        self.bump();
        Token::String
    }

    /// A part of a template string, behind its quote or the brace of an expression.
    pub(super) fn template(&mut self) -> Token {
        while self.inside() {
            let first = self.peek();
            self.bump();
            match first {
                Some('"') => return Token::TemplateEnd,
                Some('{') => break,
                Some('\\') => self.escape(true),
                _ => {}
            }
        }
        Token::TemplatePart
    }

    /// The same of a raw one.
    pub(super) fn raw_template(&mut self) -> Token {
        loop {
            let first = self.peek();
            self.bump();
            match first {
                None => {
                    self.error("non-terminated string");
                    break;
                }
                Some('`') => return Token::RawTemplateEnd,
                Some('{') => break,
                Some('\\') if self.peek() == Some('{') => self.bump(),
                _ => {}
            }
        }
        Token::RawTemplatePart
    }

    fn inside(&mut self) -> bool {
        let ended = matches!(self.peek(), None | Some('\n'));
        if ended {
            self.error("non-terminated string");
        }
        !ended
    }

    /// Behind a backslash. Of `\u1234` the last digit is read as text: only what it means is checked, later.
    fn escape(&mut self, template: bool) {
        match self.peek() {
            Some('\\' | '"' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => self.bump(),
            Some('{') if template => self.bump(),
            Some('u') => (0..4).for_each(|_| self.bump()),
            _ => self.error("illegal escape sequence"),
        }
    }
}
