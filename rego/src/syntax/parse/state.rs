//! Where the parser stands, and how it goes on and back (`v1/ast/parser.go`, `state`).

use super::group::Groups;
use crate::error::Error;
use crate::syntax::lexer::{Lexer, Mode};
use crate::syntax::span::{SourceId, Span};
use crate::syntax::token::{Keywords, Token};
use crate::syntax::tree::{Comment, Term, Version};

/// How deep trees nest, at most.
pub(super) const MAX_DEPTH: u32 = 10_000;

/// How deep something is read again for a better message.
const SHALLOW: u32 = 8;

/// How often each byte of a text may be looked at before the text counts as hopeless: what OPA tries twice is decided here by
/// looking ahead, so that only texts that are made to be tried again and again come near.
const LOOKS: u64 = 256;

/// A parser of one text.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) source: SourceId,
    pub(super) version: Version,
    /// Statements are queries only.
    pub(super) skip_rules: bool,
    pub(super) keywords: Keywords,
    /// `not` makes a body of what follows.
    pub(super) not_bodies: bool,
    pub(super) at: State,
    pub(super) errors: Vec<Error>,
    pub(super) comments: Vec<Comment>,
    /// A term that was read behind a comma and turned out to be no part of `k, v in xs`, and where.
    pub(super) ahead: Option<Ahead>,
    /// Which brackets belong together, once somebody asked.
    pub(super) groups: Option<Groups>,
    pub(super) nesting: u32,
    pub(super) looks: u64,
}

/// What going back restores.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) token: Token,
    pub(super) start: u32,
    /// Behind the token.
    pub(super) end: u32,
    /// Behind the token before, white space not counted.
    pub(super) last_end: u32,
    pub(super) skipped_newline: bool,
    pub(super) wildcards: u32,
    pub(super) hints: Vec<String>,
    pub(super) errors: usize,
    pub(super) comments: usize,
}

/// See [`Parser::ahead`].
pub(super) struct Ahead {
    pub(super) start: u32,
    /// `None` when it could not be read.
    pub(super) term: Option<Tall<Term>>,
    pub(super) errors: Vec<Error>,
    pub(super) comments: Vec<Comment>,
    pub(super) after: State,
}

/// A node, and how many levels lie inside.
pub(super) struct Tall<T> {
    pub(super) node: T,
    pub(super) height: u32,
}

impl<T> Tall<T> {
    /// The same node made into another one.
    pub(super) fn map<U>(self, make: impl FnOnce(T) -> U) -> Tall<U> {
        Tall { node: make(self.node), height: self.height }
    }
}

impl<'a> Parser<'a> {
    /// A parser before the first token.
    pub(super) fn new(text: &'a str, source: SourceId, version: Version) -> Self {
        let at = State {
            token: Token::Illegal,
            start: 0,
            end: 0,
            last_end: 0,
            skipped_newline: false,
            wildcards: 0,
            hints: Vec::new(),
            errors: 0,
            comments: 0,
        };
        Self {
            text,
            source,
            version,
            skip_rules: false,
            keywords: Keywords::default(),
            not_bodies: false,
            at,
            errors: Vec::new(),
            comments: Vec::new(),
            ahead: None,
            groups: None,
            nesting: 0,
            looks: u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_mul(LOOKS).saturating_add(100_000),
        }
    }

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

    /// One level deeper; `None`, with an error, when that is too deep.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.nesting >= MAX_DEPTH {
            self.too_deep();
            return None;
        }
        self.nesting = self.nesting.saturating_add(1);
        let result = inner(self);
        self.nesting = self.nesting.saturating_sub(1);
        result
    }

    /// A node around others of that height; `None`, with an error, when it is too high.
    pub(super) fn tall<T>(&mut self, node: T, inner: u32) -> Option<Tall<T>> {
        if inner >= MAX_DEPTH {
            self.too_deep();
            return None;
        }
        Some(Tall { node, height: inner.saturating_add(1) })
    }

    /// Whether something may be read again for a better message: deeper, that would double the work at each level.
    pub(super) fn is_shallow(&self) -> bool {
        self.nesting <= SHALLOW
    }

    fn too_deep(&mut self) {
        self.error(self.here(), "max nesting depth exceeded");
    }
}
