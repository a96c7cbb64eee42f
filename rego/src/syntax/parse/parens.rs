//! Parentheses around `and`, `or` and `not` (`v1/ast/parser.go`, `parseLogicalGroup`).

use super::logical::Operand;
use super::state::{Parser, State, Tall};
use crate::syntax::span::Span;
use crate::syntax::token::Token;
use crate::syntax::tree::{Body, ExprKind};

impl Parser<'_> {
    /// Parentheses around `and`, `or` or `not`; `None`: they hold a term, and the parser stands where it stood.
    ///
    /// `operand`: they are an operand already, and what stands in front of them.
    pub(super) fn logical_group(&mut self, operand: Option<&str>) -> Option<Option<Operand>> {
        let begin = self.here();
        if operand.is_some() && self.peek(true) == Token::RParen {
            return Some(self.fail(begin, "empty parenthesized group"));
        }
        if !self.may_be_group(begin.start) {
            return None;
        }
        let state = self.save();
        self.scan();
        let Some(inner) = self.nested(|parser| parser.logical_operand("")) else {
            self.restore(state);
            return None;
        };
        self.group_behind(inner, begin, state, operand)
    }

    fn group_behind(&mut self, mut inner: Operand, begin: Span, state: State, operand: Option<&str>) -> Option<Option<Operand>> {
        if matches!(self.token(), Token::LogicalAnd | Token::LogicalOr) {
            return Some(self.group_of(inner, begin));
        }
        if self.is(Token::With) && !inner.explicit {
            return self.group_with(inner, begin, state, operand.is_some());
        }
        if inner.explicit {
            return self.parens_around_braces(inner, begin, state, operand.unwrap_or_default());
        }
        if !is_logical(&inner.body.node) {
            self.restore(state);
            return None;
        }
        Some(self.close_group().map(|()| {
            inner.span = self.since(begin);
            inner
        }))
    }

    fn group_of(&mut self, inner: Operand, begin: Span) -> Option<Operand> {
        let mut expr = self.or_chain(inner)?;
        self.parse_with(&mut expr)?;
        self.close_group()?;
        Some(Operand::of(expr, self.since(begin)))
    }

    /// `(a with x as 1)`: the `with` belongs to the one operand.
    fn group_with(&mut self, inner: Operand, begin: Span, state: State, operand: bool) -> Option<Option<Operand>> {
        let with = self.here();
        let height = inner.body.height;
        let mut expr = Tall { node: inner.body.node.into_iter().next()?, height };
        if self.parse_with(&mut expr).is_none() {
            return Some(None);
        }
        if matches!(self.token(), Token::LogicalAnd | Token::LogicalOr) {
            self.with_on_operand(with, self.token().name());
            return Some(None);
        }
        if self.close_group().is_none() {
            return Some(None);
        }
        if operand || matches!(self.token(), Token::LogicalAnd | Token::LogicalOr) {
            return Some(Some(Operand::of(expr, self.since(begin))));
        }
        self.restore(state);
        None
    }

    /// `({ … })`: braces in parentheses are a value, never a body.
    fn parens_around_braces(&mut self, inner: Operand, begin: Span, state: State, prefix: &str) -> Option<Option<Operand>> {
        let braces = self.slice(inner.span.start, self.at.last_end);
        self.restore(state);
        let state = self.save();
        self.scan();
        let value = self.parse_term().is_some();
        self.restore(state);
        if value {
            return None;
        }
        self.hint(format!("drop the parens to keep the body: `{prefix}{braces}`"));
        Some(self.fail(begin, "`(...)` in an operand position cannot contain a body"))
    }

    fn close_group(&mut self) -> Option<()> {
        if !self.is(Token::RParen) {
            return self.fail(self.here(), "expected ) to close parenthesized group");
        }
        self.scan();
        Some(())
    }
}

/// Whether a body is one operator, or one negated operand.
fn is_logical(body: &Body) -> bool {
    let [only] = body.as_slice() else { return false };
    only.negated || matches!(only.kind, ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Not(_))
}
