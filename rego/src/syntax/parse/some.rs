//! `some`, `every` and `with` (`v1/ast/parser.go`, `parseSome`, `parseEvery`, `parseWith`).

use super::infix_words::{is_membership, members};
use super::literal::plain;
use super::state::{Parser, Tall};
use crate::syntax::span::Span;
use crate::syntax::token::{Keywords, Token};
use crate::syntax::tree::{Every, Expr, ExprKind, Kind, SomeDecl, Term, Version, With};

impl Parser<'_> {
    /// `some x in xs`, or `some x, y`.
    pub(super) fn parse_some(&mut self) -> Option<Tall<Expr>> {
        let begin = self.here();
        let state = self.save();
        self.scan();
        if let Some(term) = self.parse_infix()
            && matches!(term.node.kind, Kind::Call(_))
        {
            match members(&term.node) {
                None => return self.refuse("expected `x in xs` or `x, y in xs` expression"),
                Some(false) => return self.refuse("illegal domain"),
                Some(true) => {}
            }
            let mut expr = self.declaration(begin, vec![term.node], term.height)?;
            self.parse_with(&mut expr)?;
            return Some(expr);
        }
        self.ahead = None;
        self.restore(state);
        self.hint_at_in();
        self.some_variables(begin)
    }

    fn some_variables(&mut self, begin: Span) -> Option<Tall<Expr>> {
        let mut symbols = Vec::new();
        loop {
            self.scan();
            if !self.is(Token::Ident) {
                return self.refuse("expected var");
            }
            symbols.push(self.parse_var());
            self.scan();
            if !self.is(Token::Comma) {
                return self.declaration(begin, symbols, 0);
            }
        }
    }

    fn declaration(&mut self, begin: Span, symbols: Vec<Term>, height: u32) -> Option<Tall<Expr>> {
        let span = self.since(begin);
        self.tall(plain(span, ExprKind::Some(SomeDecl { span, symbols })), height)
    }

    fn hint_at_in(&mut self) {
        if !matches!(self.version, Version::V0 | Version::V0CompatV1) || self.keywords.has(Keywords::ALL) || !self.is_shallow() {
            return;
        }
        let state = self.save();
        self.scan();
        let found = self.in_future(|parser| parser.parse_infix().filter(|term| is_membership(&term.node)));
        self.ahead = None;
        self.restore(state);
        if found.is_some() {
            self.hint("`import future.keywords.in` for `some x in xs` expressions");
        }
    }

    /// `every k, v in xs { … }`.
    pub(super) fn parse_every(&mut self) -> Option<Tall<Expr>> {
        let begin = self.here();
        self.scan();
        let term = self.parse_infix()?;
        let members = members(&term.node);
        let (Some(whole), Kind::Call(terms)) = (members, term.node.kind) else {
            return self.refuse("expected `x[, y] in xs { ... }` expression");
        };
        if !whole {
            return self.refuse("illegal domain");
        }
        let mut operands = terms.into_iter().skip(1).rev();
        let (domain, value, key) = (operands.next()?, operands.next()?, operands.next());
        if key.as_ref().is_some_and(|key| key.as_var().is_none()) {
            return self.refuse("expected key to be a variable");
        }
        if value.as_var().is_none() {
            return self.refuse("expected value to be a variable");
        }
        if !self.is(Token::LBrace) {
            return self.refuse("missing body");
        }
        self.scan();
        let body = self.parse_body(Token::RBrace)?;
        self.scan();
        let span = self.since(begin);
        let every = ExprKind::Every(Box::new(Every { span, key, value, domain, body: body.node }));
        let mut expr = self.tall(plain(span, every), body.height.max(term.height))?;
        self.parse_with(&mut expr)?;
        Some(expr)
    }

    /// All `with … as …` that follow.
    pub(super) fn parse_with(&mut self, expr: &mut Tall<Expr>) -> Option<()> {
        while self.is(Token::With) {
            let begin = self.here();
            self.scan();
            if !self.is(Token::Ident) {
                return self.refuse("expected ident");
            }
            let target = self.parse_term()?;
            if !matches!(target.node.kind, Kind::Ref(_) | Kind::Var(_)) {
                self.illegal("expected with target path");
            }
            if !self.is(Token::As) {
                return self.refuse("expected as keyword");
            }
            self.scan();
            let value = self.parse_infix()?;
            let height = expr.height.max(target.height.saturating_add(1)).max(value.height.saturating_add(1));
            expr.height = height;
            expr.node.with.push(With { span: self.since(begin), target: target.node, value: value.node });
        }
        Some(())
    }
}
