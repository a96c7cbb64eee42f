//! Tokens to documents (`parser/`), with gqlparser's errors. The first one ends it.

mod lists;
mod query;
mod schema;
mod value;

use super::ast::{At, Comments, Ids, QueryDocument, SchemaDocument, Trees};
use super::error::Stop;
use super::lexer::{Kind, Lexer, Read, Token};
use crate::builtins::quote;
use crate::limits::{Account, Halt};

/// Stack that must be there for a level, and what is added where it is not.
const STACK: (usize, usize) = (256 << 10, 2 << 20);

/// Reads a query.
pub(super) fn query<'a>(trees: &'a Trees<'a>, account: &mut Account, text: &'a str) -> Result<QueryDocument<'a>, Stop> {
    Parser::new(trees, account, text, false)?.query_document()
}

/// Reads a schema.
pub(super) fn schema<'a>(trees: &'a Trees<'a>, account: &mut Account, text: &'a str) -> Result<SchemaDocument<'a>, Stop> {
    Parser::new(trees, account, text, false)?.schema_document()
}

/// Reads what every schema has.
pub(super) fn prelude<'a>(trees: &'a Trees<'a>, account: &mut Account, text: &'a str) -> Result<SchemaDocument<'a>, Stop> {
    Parser::new(trees, account, text, true)?.schema_document()
}

/// Goes one level down, on a stack that grows. Fails where it is deeper than an evaluation may go.
pub(super) fn level<T, E: From<Halt>>(depth: u32, deepest: u32, down: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    if depth > deepest {
        return Err(Halt::Depth(deepest).into());
    }
    stacker::maybe_grow(STACK.0, STACK.1, down)
}

type Parsed<T> = Result<T, Stop>;

/// What parses a text.
struct Parser<'a, 'c> {
    lexer: Lexer<'a>,
    trees: &'a Trees<'a>,
    account: &'c mut Account,
    peeked: Option<Read<'a>>,
    previous: Token<'a>,
    /// Those before the token that is peeked.
    comment: Comments<'a>,
    in_comments: bool,
    depth: u32,
    ids: Ids,
    prelude: bool,
}

impl<'a, 'c> Parser<'a, 'c> {
    fn new(trees: &'a Trees<'a>, account: &'c mut Account, text: &'a str, prelude: bool) -> Result<Self, Halt> {
        // What strings stand for is no longer than what is written.
        account.charge(text.len())?;
        let lexer = Lexer::new(text, &trees.text, prelude);
        let previous = Token { kind: Kind::Invalid, value: "", at: super::ast::Position { line: 0, column: 0, prelude } };
        let (peeked, comment, ids) = (None, Comments::default(), Ids::default());
        Ok(Self { lexer, trees, account, peeked, previous, comment, in_comments: false, depth: 0, ids, prelude })
    }

    fn peek(&mut self) -> Parsed<Token<'a>> {
        if let Some((token, _)) = &self.peeked {
            return Ok(*token);
        }
        self.account.step(1)?;
        let read = self.lexer.read();
        let token = read.0;
        self.peeked = Some(read);
        if token.kind != Kind::Comment || self.in_comments {
            return Ok(token);
        }
        self.comments()?;
        self.peek()
    }

    /// Comments that stand one behind another are one group.
    fn comments(&mut self) -> Parsed<()> {
        self.in_comments = true;
        let mut comments = Vec::new();
        loop {
            let token = self.peek()?;
            if token.kind != Kind::Comment {
                break;
            }
            self.next()?;
            self.push(&mut comments, token.value)?;
        }
        self.comment = self.trees.keep(comments);
        self.in_comments = false;
        Ok(())
    }

    fn next(&mut self) -> Parsed<Token<'a>> {
        self.peek()?;
        let Some((token, error)) = self.peeked.take() else { return Ok(self.previous) };
        self.comment = &[];
        self.previous = token;
        match error {
            None => Ok(token),
            Some(why) => Err(Stop::at(Some(token.at), why.to_string())),
        }
    }

    /// The next token's position, as a node's own.
    fn here(&mut self) -> Parsed<At> {
        Ok(Some(self.peek()?.at))
    }

    /// The comments before the next token.
    fn comment_here(&mut self) -> Parsed<Comments<'a>> {
        self.peek()?;
        Ok(self.comment)
    }

    fn error<T>(&self, token: Token<'_>, message: String) -> Parsed<T> {
        Err(Stop::at(Some(token.at), message))
    }

    fn unexpected<T>(&mut self) -> Parsed<T> {
        let token = self.peek()?;
        self.error(token, format!("Unexpected {}", token.shown()))
    }

    /// Reads a keyword; returns the comments before it.
    fn expect_keyword(&mut self, keyword: &str) -> Parsed<Comments<'a>> {
        let token = self.peek()?;
        let comment = self.comment;
        if token.kind != Kind::Name || token.value != keyword {
            return self.error(token, format!("Expected {}, found {}", quote::quote(keyword), token.shown()));
        }
        self.next()?;
        Ok(comment)
    }

    fn expect(&mut self, kind: Kind) -> Parsed<(Token<'a>, Comments<'a>)> {
        let token = self.peek()?;
        let comment = self.comment;
        if token.kind != kind {
            return self.error(token, format!("Expected {}, found {}", kind.shown(), token.kind.shown()));
        }
        Ok((self.next()?, comment))
    }

    fn name(&mut self) -> Parsed<&'a str> {
        Ok(self.expect(Kind::Name)?.0.value)
    }

    fn skip(&mut self, kind: Kind) -> Parsed<bool> {
        let found = self.peek()?.kind == kind;
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn next_is(&mut self, kind: Kind) -> Parsed<bool> {
        Ok(self.peek()?.kind == kind)
    }

    /// Charges a node, once while it is read and once where it is kept.
    fn push<T>(&mut self, items: &mut Vec<T>, item: T) -> Result<(), Halt> {
        self.account.charge(size_of::<T>().saturating_mul(2))?;
        items.push(item);
        Ok(())
    }

    /// Goes one level down.
    fn down<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth = self.depth.saturating_add(1);
        let parsed = level(self.depth, self.account.limits().depth, || parse(self));
        self.depth = self.depth.saturating_sub(1);
        parsed
    }
}

/// A number that nothing else in the document has.
pub(super) fn next_id(last: &mut usize) -> usize {
    let id = *last;
    *last = id.saturating_add(1);
    id
}
