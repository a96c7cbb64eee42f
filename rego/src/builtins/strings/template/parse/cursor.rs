//! Where the parser is in its words, and what is wrong there.

use super::super::lex::{self, Token};
use super::super::tree::Place;
use super::{KEYWORDS, Parser, SHOWN};
use crate::builtins::{BuiltinError, quote};

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    pub(super) fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |(_, offset)| *offset)
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at = self.at.saturating_add(1);
        token
    }

    pub(super) fn eat(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at = self.at.saturating_add(usize::from(found));
        found
    }

    pub(super) fn spaces(&mut self) {
        self.eat(&Token::Space);
    }

    pub(super) fn wrong(&self, what: &str) -> BuiltinError {
        lex::wrong(self.text, self.offset(), what)
    }

    pub(super) fn unexpected(&self, context: &str) -> BuiltinError {
        let behind = self.tokens.get(self.at.saturating_add(1)).map_or(self.text.len(), |(_, offset)| *offset);
        let shown = self.text.get(self.offset()..behind).unwrap_or_default().trim_end();
        let shown = match self.peek() {
            _ if shown.is_empty() => "EOF".to_owned(),
            Some(Token::Dot) => "<.>".to_owned(),
            Some(Token::Name(name)) if KEYWORDS.contains(&name.as_str()) => format!("<{name}>"),
            _ if shown.chars().count() > SHOWN => format!("{}...", quote::quote(&shown.chars().take(SHOWN).collect::<String>())),
            _ => quote::quote(shown),
        };
        self.wrong(&format!("unexpected {shown} in {context}"))
    }

    pub(super) fn offset_of(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(self.text.len(), |(_, offset)| *offset)
    }

    /// What stands from a token up to another.
    pub(super) fn between(&self, start: usize, end: usize) -> String {
        self.text.get(self.offset_of(start)..self.offset_of(end)).unwrap_or_default().trim_end().to_owned()
    }

    /// The place of what was read since a token.
    pub(super) fn place(&self, start: usize) -> Place {
        let from = self.offset_of(start);
        let before = self.text.get(..from).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        Place {
            line: before.matches('\n').count().saturating_add(1),
            column: from.saturating_sub(line_start),
            text: self.between(start, self.at),
        }
    }
}
