//! How the parser goes on and back.

use super::state::{Parser, State};
use crate::syntax::lexer::{Lexer, Mode};
use crate::syntax::span::Span;
use crate::syntax::token::Token;
use crate::syntax::tree::Comment;

impl<'a> Parser<'a> {
    pub(super) fn token(&self) -> Token {
        self.at.token
    }

    pub(super) fn is(&self, token: Token) -> bool {
        self.at.token == token
    }

    /// What is written at the token.
    pub(super) fn literal(&self) -> &'a str {
        self.slice(self.at.start, self.at.end)
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> &'a str {
        let range = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
        self.text.get(range).unwrap_or_default()
    }

    /// The place of the token.
    pub(super) fn here(&self) -> Span {
        self.span(self.at.start, self.at.end)
    }

    pub(super) fn span(&self, start: u32, end: u32) -> Span {
        Span { source: self.source, start, end: end.max(start) }
    }

    /// From the beginning of a place to the end of the token before this one.
    pub(super) fn since(&self, begin: Span) -> Span {
        self.span(begin.start, self.at.last_end)
    }

    pub(super) fn save(&self) -> State {
        State { errors: self.errors.len(), comments: self.comments.len(), ..self.at.clone() }
    }

    pub(super) fn restore(&mut self, state: State) {
        self.errors.truncate(state.errors);
        self.comments.truncate(state.comments);
        self.at = state;
    }

    /// The next token that is no white space.
    pub(super) fn scan(&mut self) {
        self.advance(true, Mode::Token);
    }

    /// The next token.
    pub(super) fn scan_space(&mut self) {
        self.advance(false, Mode::Token);
    }

    /// The token behind this one, white space included if asked for.
    pub(super) fn peek(&mut self, skip_space: bool) -> Token {
        let state = self.save();
        self.advance(skip_space, Mode::Token);
        let token = self.token();
        self.restore(state);
        token
    }

    pub(super) fn advance(&mut self, skip_space: bool, mode: Mode) {
        if !self.is(Token::Whitespace) {
            self.at.last_end = self.at.end;
            self.at.skipped_newline = false;
        }
        let mut mode = mode;
        loop {
            self.take(mode);
            mode = Mode::Token;
            match self.token() {
                Token::Whitespace => {
                    self.at.skipped_newline |= self.literal() == "\n";
                    if !skip_space {
                        return;
                    }
                }
                Token::Comment => self.comment(),
                _ => return,
            }
        }
    }

    fn take(&mut self, mode: Mode) {
        let lexeme = Lexer::new(self.text, self.at.end).scan(mode, self.keywords);
        self.looks = self.looks.saturating_sub(u64::from(lexeme.end.saturating_sub(lexeme.start)).saturating_add(1));
        (self.at.token, self.at.start, self.at.end) = (lexeme.token, lexeme.start, lexeme.end);
        for message in &lexeme.errors {
            self.error(self.here(), *message);
        }
        if self.looks == 0 {
            self.error(self.here(), "text is too ambiguous");
            (self.at.token, self.at.end) = (Token::Eof, u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        } else if !lexeme.errors.is_empty() {
            self.at.token = Token::Illegal;
        }
    }

    fn comment(&mut self) {
        let text = self.literal().get(1..).unwrap_or_default();
        let mut text = if text == "\r" { "" } else { text };
        while text.len() > 1 && text.ends_with('\r') {
            text = text.get(..text.len().saturating_sub(1)).unwrap_or_default();
        }
        self.comments.push(Comment { span: self.here(), text: text.into() });
    }
}
