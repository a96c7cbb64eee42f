//! Where the parser stands (`v1/ast/parser.go`, `state`).

use super::group::Groups;
use crate::error::Error;
use crate::syntax::span::SourceId;
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
