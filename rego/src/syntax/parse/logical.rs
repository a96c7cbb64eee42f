//! `and`, `or`, and `not` with a body (`v1/ast/parser.go`, `parseLogicalOrChain` and around it).

use super::literal::{place_negated, plain};
use super::state::{Parser, Tall};
use crate::syntax::span::Span;
use crate::syntax::token::Token;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Logical};

/// One side of an operator.
pub(super) struct Operand {
    pub(super) body: Tall<Body>,
    /// Written in braces.
    pub(super) explicit: bool,
    pub(super) span: Span,
}

impl Operand {
    pub(super) fn of(expr: Tall<Expr>, span: Span) -> Self {
        Self { body: expr.map(|expr| vec![expr]), explicit: false, span }
    }
}

impl Parser<'_> {
    /// An expression that begins with a body in braces or with a group, and an operator behind it. `None`: it is something else.
    pub(super) fn logical_literal(&mut self) -> Option<Option<Tall<Expr>>> {
        match self.token() {
            Token::LBrace => self.logical_behind_body(),
            Token::LParen => {
                let group = self.logical_group(None)?;
                Some(group.and_then(|operand| self.fold_operand(operand)))
            }
            _ => None,
        }
    }

    fn logical_behind_body(&mut self) -> Option<Option<Tall<Expr>>> {
        let begin = self.here();
        let end = self.bracket_end(begin.start)?;
        if !self.is_operator_at(end) {
            return None;
        }
        let state = self.save();
        self.scan();
        let Some(body) = self.parse_body(Token::RBrace) else {
            self.restore(state);
            return None;
        };
        self.scan();
        if self.is_ambiguous_union(&body.node) {
            self.ambiguous_union(begin, &body.node, "");
            return Some(None);
        }
        Some(self.fold_operand(Operand { body, explicit: true, span: begin }))
    }

    fn is_operator_at(&mut self, offset: u32) -> bool {
        let state = self.save();
        self.at.end = offset;
        self.scan();
        let operator = matches!(self.token(), Token::LogicalAnd | Token::LogicalOr);
        self.restore(state);
        operator
    }

    /// The operators behind a first operand, and `with` behind all of it (`foldLogicalTail`).
    pub(super) fn fold_operand(&mut self, operand: Operand) -> Option<Tall<Expr>> {
        let mut expr = if matches!(self.token(), Token::LogicalAnd | Token::LogicalOr) {
            self.or_chain(operand)?
        } else {
            let height = operand.body.height;
            let node = operand.body.node.into_iter().next()?;
            Tall { node, height }
        };
        self.parse_with(&mut expr)?;
        Some(expr)
    }

    /// The same behind one expression.
    pub(super) fn fold_logical(&mut self, expr: Tall<Expr>) -> Option<Tall<Expr>> {
        let span = expr.node.span;
        self.fold_operand(Operand::of(expr, span))
    }

    /// An operator behind an expression that was read as any other (`parseLiteralExpr`).
    pub(super) fn logical_behind(&mut self, mut expr: Tall<Expr>, with: Option<Span>, negated: bool) -> Option<Tall<Expr>> {
        let operator = self.token().name();
        if let Some(with) = with {
            self.with_on_operand(with, operator);
            return None;
        }
        let span = expr.node.span;
        let text = self.slice(span.start, span.end);
        if !negated && text.starts_with('{') {
            let empty = matches!(&expr.node.kind, ExprKind::Term(term) if matches!(&term.kind, Kind::Object(members) if members.is_empty()));
            if empty {
                return self.fail(span, "found empty body");
            }
            self.brace_led_operand(span, text, operator);
            return None;
        }
        place_negated(&mut expr.node);
        self.fold_logical(expr)
    }

    /// `or` binds less than `and`; both are left-associative.
    pub(super) fn or_chain(&mut self, mut left: Operand) -> Option<Tall<Expr>> {
        if self.is(Token::LogicalAnd) {
            left = self.and_chain(left)?;
        }
        while self.is(Token::LogicalOr) {
            self.scan();
            let mut right = self.nested(|parser| parser.logical_operand("or"))?;
            if self.is(Token::LogicalAnd) {
                right = self.and_chain(right)?;
            }
            left = self.joined(left, right, "or", ExprKind::Or)?;
        }
        let height = left.body.height;
        left.body.node.into_iter().next().map(|node| Tall { node, height })
    }

    fn and_chain(&mut self, mut left: Operand) -> Option<Operand> {
        while self.is(Token::LogicalAnd) {
            self.scan();
            let right = self.nested(|parser| parser.logical_operand("and"))?;
            left = self.joined(left, right, "and", ExprKind::And)?;
        }
        Some(left)
    }

    fn joined(&mut self, left: Operand, right: Operand, operator: &str, kind: fn(Box<Logical>) -> ExprKind) -> Option<Operand> {
        self.check_void(&left.body.node, operator);
        self.check_void(&right.body.node, operator);
        let span = self.since(left.span);
        let height = left.body.height.max(right.body.height);
        let logical = Logical {
            span,
            left: left.body.node,
            right: right.body.node,
            explicit_left: left.explicit,
            explicit_right: right.explicit,
        };
        let expr = self.tall(plain(span, kind(Box::new(logical))), height)?;
        Some(Operand::of(expr, span))
    }
}
