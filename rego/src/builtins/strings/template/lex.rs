//! The words of a template (`text/template/parse`, `lex.go`).

mod literal;

use crate::builtins::BuiltinError;

/// A word of an action, or the text before one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Text(String),
    /// `{{`, with its trim marker.
    Open,
    /// `}}`.
    Close,
    /// A name: a keyword, a function, `true`.
    Name(String),
    /// `.name`.
    Field(String),
    /// `$name`.
    Variable(String),
    Dot,
    Quoted(String),
    Number(String),
    Character(char),
    /// `:=`, `=`, `|`, `(`, `)`, `,`.
    Sign(&'static str),
    Space,
    /// Any other character, which is wrong wherever it stands.
    Other(char),
}

/// A token, and in which byte it begins.
pub(super) type Placed = (Token, usize);

const SIGNS: [&str; 6] = [":=", "=", "|", "(", ")", ","];
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// An error of a template, in a line.
pub(super) fn wrong(text: &str, at: usize, what: &str) -> BuiltinError {
    let line = text.get(..at).unwrap_or(text).matches('\n').count().saturating_add(1);
    BuiltinError::failed(format!("template: template:{line}: {what}"))
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Placed>,
}

pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, BuiltinError> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new() };
    let mut trims = false;
    while let Some(open) = lexer.rest().find("{{") {
        lexer.text_before(open, trims);
        trims = lexer.action()?;
    }
    let rest = lexer.rest().len();
    lexer.text_before(rest, trims);
    Ok(lexer.tokens)
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn push(&mut self, token: Token, length: usize) {
        self.tokens.push((token, self.at));
        self.at = self.at.saturating_add(length);
    }

    fn wrong(&self, what: &str) -> BuiltinError {
        wrong(self.text, self.at, what)
    }

    /// The text before an action, without the blanks that markers on both sides take away.
    fn text_before(&mut self, length: usize, trims: bool) {
        let mut text = self.rest().get(..length).unwrap_or_default();
        if trims {
            text = text.trim_start_matches(BLANKS);
        }
        let behind = self.rest().get(length.saturating_add(2)..).unwrap_or_default();
        if behind.starts_with('-') && behind.get(1..).is_some_and(|behind| behind.starts_with(BLANKS)) {
            text = text.trim_end_matches(BLANKS);
        }
        if text.is_empty() {
            self.at = self.at.saturating_add(length);
        } else {
            self.push(Token::Text(text.to_owned()), length);
        }
    }

    /// From `{{` to `}}`; whether blanks behind it are taken away.
    fn action(&mut self) -> Result<bool, BuiltinError> {
        let rest = self.rest();
        let marked = rest.starts_with("{{-") && rest.get(3..).is_some_and(|behind| behind.starts_with(BLANKS));
        let length = if marked { 4 } else { 2 };
        if rest.get(length..).is_some_and(|behind| behind.starts_with("/*")) {
            return self.comment(length);
        }
        self.push(Token::Open, length);
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(BLANKS);
            if trimmed.len() < rest.len() && trimmed.starts_with("-}}") {
                self.at = self.text.len().saturating_sub(trimmed.len());
                self.push(Token::Close, 3);
                return Ok(true);
            }
            if rest.starts_with("}}") {
                self.push(Token::Close, 2);
                return Ok(false);
            }
            self.word()?;
        }
    }

    fn comment(&mut self, length: usize) -> Result<bool, BuiltinError> {
        let inside = self.rest().get(length..).unwrap_or_default();
        let end = inside.find("*/").ok_or_else(|| self.wrong("unclosed comment"))?;
        let behind = inside.get(end.saturating_add(2)..).unwrap_or_default();
        let trimmed = behind.trim_start_matches(BLANKS);
        let trims = trimmed.len() < behind.len() && trimmed.starts_with("-}}");
        let closed = if trims { trimmed.strip_prefix("-}}") } else { behind.strip_prefix("}}") };
        let rest = closed.ok_or_else(|| self.wrong("comment ends before closing delimiter"))?;
        self.at = self.text.len().saturating_sub(rest.len());
        Ok(trims)
    }

    fn word(&mut self) -> Result<(), BuiltinError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Err(self.wrong("unclosed action")) };
        if BLANKS.contains(&first) {
            self.push(Token::Space, rest.len().saturating_sub(rest.trim_start_matches(BLANKS).len()));
            return Ok(());
        }
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            self.push(Token::Sign(sign), sign.len());
            return Ok(());
        }
        match first {
            '"' => self.quoted(),
            '`' => self.raw(),
            '\'' => self.character(),
            '$' => {
                let name = name(rest.get(1..).unwrap_or_default());
                self.push(Token::Variable(format!("${name}")), name.len().saturating_add(1));
                Ok(())
            }
            '.' if !rest.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) => {
                let name = name(rest.get(1..).unwrap_or_default());
                let token = if name.is_empty() { Token::Dot } else { Token::Field(name.to_owned()) };
                self.push(token, name.len().saturating_add(1));
                Ok(())
            }
            '.' | '+' | '-' | '0'..='9' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !".+-_".contains(c)).unwrap_or(rest.len());
                self.push(Token::Number(rest.get(..end).unwrap_or_default().to_owned()), end);
                Ok(())
            }
            c if c.is_alphanumeric() || c == '_' => {
                let name = name(rest);
                self.push(Token::Name(name.to_owned()), name.len());
                Ok(())
            }
            c if c.is_ascii_graphic() => {
                self.push(Token::Other(c), 1);
                Ok(())
            }
            c => Err(self.wrong(&format!("unrecognized character in action: U+{:04X} '{c}'", u32::from(c)))),
        }
    }
}

/// Letters, digits and `_`.
fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}
