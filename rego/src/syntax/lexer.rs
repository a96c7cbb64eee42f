//! Text to tokens (`v1/ast/internal/scanner/scanner.go`).

mod literal;

use super::token::{Keywords, Token};

const BOM: char = '\u{feff}';

/// One token: its kind, where it stands, what is wrong with it.
#[derive(Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) errors: Vec<&'static str>,
}

/// Reads tokens from a position on. To go back is to begin again there.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    errors: Vec<&'static str>,
}

/// What is read: a token from its beginning, or the rest of a template string behind an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Token,
    Template,
    RawTemplate,
}

impl<'a> Lexer<'a> {
    /// Begins at an offset.
    pub(super) fn new(text: &'a str, offset: u32) -> Self {
        Self { text, at: usize::try_from(offset).unwrap_or(usize::MAX), errors: Vec::new() }
    }

    /// The next token.
    pub(super) fn scan(&mut self, mode: Mode, keywords: Keywords) -> Lexeme {
        if self.at == 0 {
            self.begin();
        }
        let start = self.at;
        let token = match mode {
            Mode::Token => self.token(keywords),
            Mode::Template => self.template(),
            Mode::RawTemplate => self.raw_template(),
        };
        Lexeme { token, start: word(start), end: word(self.at), errors: std::mem::take(&mut self.errors) }
    }

    /// Steps over a byte-order mark; sees a null character at the very beginning.
    fn begin(&mut self) {
        match self.peek() {
            Some(BOM) => self.bump(),
            Some('\0') => self.error("illegal null character"),
            _ => {}
        }
    }

    fn token(&mut self, keywords: Keywords) -> Token {
        match self.peek() {
            None => Token::Eof,
            Some(' ' | '\t' | '\n' | '\r') => self.one(Token::Whitespace),
            Some(first) if is_letter(first) => self.identifier(keywords),
            Some('0'..='9') => self.number(),
            Some(first) => {
                self.bump();
                self.sign(first)
            }
        }
    }

    fn sign(&mut self, first: char) -> Token {
        match first {
            '#' => self.comment(),
            '"' => self.string(),
            '`' => self.raw_string(),
            '[' => Token::LBrack,
            ']' => Token::RBrack,
            '{' => Token::LBrace,
            '}' => Token::RBrace,
            '(' => Token::LParen,
            ')' => Token::RParen,
            ',' => Token::Comma,
            ';' => Token::Semicolon,
            '.' => Token::Dot,
            '+' => Token::Add,
            '-' => Token::Sub,
            '*' => Token::Mul,
            '/' => Token::Quo,
            '%' => Token::Rem,
            '&' => Token::And,
            '|' => Token::Or,
            ':' => self.or_equals(Token::Colon, Token::Assign),
            '=' => self.or_equals(Token::Unify, Token::Equal),
            '>' => self.or_equals(Token::Gt, Token::Gte),
            '<' => self.or_equals(Token::Lt, Token::Lte),
            _ => self.odd(first),
        }
    }

    fn odd(&mut self, first: char) -> Token {
        match (first, self.peek()) {
            ('!', Some('=')) => return self.one(Token::Neq),
            ('!', _) => self.error("illegal ! character"),
            ('\u{a0}', _) => self.error("illegal non-breaking space character, use a regular space instead"),
            ('$', Some('`')) => {
                self.bump();
                return self.raw_template();
            }
            ('$', Some('"')) => {
                self.bump();
                return self.template();
            }
            ('$', _) => self.error("illegal $ character"),
            _ => {}
        }
        Token::Illegal
    }

    fn or_equals(&mut self, alone: Token, equals: Token) -> Token {
        if self.peek() == Some('=') { self.one(equals) } else { alone }
    }

    fn one(&mut self, token: Token) -> Token {
        self.bump();
        token
    }

    fn identifier(&mut self, keywords: Keywords) -> Token {
        let start = self.at;
        self.skip(|c| is_letter(c) || is_digit(c));
        // OPA's scanner takes a byte of such a character for a part of the word.
        if self.peek().is_some_and(|next| !next.is_ascii()) {
            return Token::Ident;
        }
        keywords.token(self.text.get(start..self.at).unwrap_or_default())
    }

    fn comment(&mut self) -> Token {
        self.skip(|c| c != '\n');
        Token::Comment
    }

    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            Some(_) => self.text.get(self.at..)?.chars().next(),
            None => None,
        }
    }

    /// One character further; what may not stand anywhere is an error of the token in front of it.
    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
        match self.peek() {
            Some('\0') => self.error("illegal null character"),
            Some(BOM) => self.error("illegal byte-order mark"),
            _ => {}
        }
    }

    /// Over all characters of a kind; whether there was one.
    fn skip(&mut self, kind: impl Fn(char) -> bool) -> bool {
        let start = self.at;
        while self.peek().is_some_and(&kind) {
            self.bump();
        }
        self.at > start
    }

    fn error(&mut self, message: &'static str) {
        self.errors.push(message);
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Digits of every script, as Go's `unicode.IsDigit`: OPA lets them stand in names behind the first letter.
fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric() && decimal(c))
}

/// Whether a numeric character is one of a run of ten digits (general category Nd): letters and fractions are not.
fn decimal(c: char) -> bool {
    !matches!(u32::from(c), 0x00b2 | 0x00b3 | 0x00b9 | 0x00bc..=0x00be | 0x2070..=0x218b | 0x2460..=0x24ff | 0x2776..=0x2793 | 0x3007..=0x33ff)
}

fn word(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}
