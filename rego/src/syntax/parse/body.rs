//! Bodies (`v1/ast/parser.go`, `parseBody`, `parseQuery`).

use super::infix_words::missing;
use super::state::{Parser, State, Tall};
use crate::syntax::token::Token;
use crate::syntax::tree::{Body, Expr, Term};

impl Parser<'_> {
    /// Expressions up to a token, which is the current one then.
    pub(super) fn parse_body(&mut self, end: Token) -> Option<Tall<Body>> {
        self.nested(|parser| parser.parse_query(false, end))
    }

    /// The same where the end of the first expression may be the end of all (`requireSemi`).
    pub(super) fn parse_query(&mut self, one: bool, end: Token) -> Option<Tall<Body>> {
        if self.is(end) {
            return self.fail(self.here(), "found empty body");
        }
        let first = self.parse_literal()?;
        self.query(first, one, end)
    }

    /// A body of which the first term of the first expression is there already.
    pub(super) fn parse_query_behind(&mut self, begin: State, left: Tall<Term>, end: Token) -> Option<Tall<Body>> {
        let place = self.span(begin.start, begin.end);
        let expr = self.parse_literal_expr(begin, Some(left), None)?;
        let first = self.placed(place, expr);
        self.query(first, false, end)
    }

    fn query(&mut self, first: Tall<Expr>, one: bool, end: Token) -> Option<Tall<Body>> {
        let (mut height, mut body) = (first.height, vec![first.node]);
        while self.next_literal(one, end)? {
            let expr = self.parse_literal()?;
            height = height.max(expr.height);
            body.push(expr.node);
        }
        self.tall(body, height)
    }

    /// Whether another expression follows.
    fn next_literal(&mut self, one: bool, end: Token) -> Option<bool> {
        if self.is(Token::Semicolon) {
            self.scan();
            return Some(true);
        }
        if self.is(end) || one {
            return Some(false);
        }
        if self.at.skipped_newline {
            return Some(true);
        }
        if self.errors.is_empty() {
            missing(self);
            self.illegal(format!("expected \\n or ; or {}", end.name()));
        }
        None
    }
}
