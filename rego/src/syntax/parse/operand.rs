//! Operands of `and`, `or` and `not` (`v1/ast/parser.go`, `parseLogicalOperand`, `parseLogicalGroup`, `parseNotBody`).

use super::logical::Operand;
use super::state::{Parser, State, Tall};
use crate::syntax::span::Span;
use crate::syntax::token::Token;
use crate::syntax::tree::{Body, Expr, ExprKind};

impl Parser<'_> {
    /// One operand; `operator` is empty where the caller may go back.
    pub(super) fn logical_operand(&mut self, operator: &str) -> Option<Operand> {
        if self.is(Token::LBrace) {
            return self.braced_operand(operator);
        }
        let not = (self.is(Token::Not) && !matches!(self.peek(false), Token::Dot | Token::LBrack)).then(|| self.here());
        if not.is_some() {
            self.scan();
        }
        if let Some(not) = not
            && self.not_bodies
        {
            return self.not_operand(not);
        }
        if not.is_none()
            && self.is(Token::LParen)
            && self.logical_words()
            && let Some(group) = self.logical_group(true, "")
        {
            return group;
        }
        let mut expr = self.parse_expr(None)?;
        expr.node.negated = not.is_some();
        let span = expr.node.span;
        Some(Operand::of(expr, span))
    }

    fn not_operand(&mut self, not: Span) -> Option<Operand> {
        if self.is(Token::LBrace) {
            let body = self.parse_not_body(not)?;
            let span = body.node.span;
            return Some(Operand::of(body, span));
        }
        let expr = match self.group_of_not(not) {
            Some(decided) => decided?,
            None => {
                let inner = self.parse_expr(None)?;
                self.not_body(not, inner.map(|inner| vec![inner]), false)?
            }
        };
        let span = expr.node.span;
        Some(Operand::of(expr, span))
    }

    /// `not (a or b)`; `None`: the parentheses hold a term.
    fn group_of_not(&mut self, not: Span) -> Option<Option<Tall<Expr>>> {
        if !self.is(Token::LParen) || !self.logical_words() {
            return None;
        }
        let group = self.logical_group(true, "not ")?;
        Some(group.and_then(|group| self.not_body(not, group.body, group.explicit)))
    }

    /// The same at the beginning of an expression, with the operators behind it.
    pub(super) fn not_group(&mut self, not: Span) -> Option<Option<Tall<Expr>>> {
        let group = self.logical_group(true, "not ")?;
        Some(group.and_then(|group| self.not_body(not, group.body, group.explicit)).and_then(|expr| self.fold_logical(expr)))
    }

    fn braced_operand(&mut self, operator: &str) -> Option<Operand> {
        let begin = self.here();
        let state = self.save();
        self.scan();
        let empty = self.is(Token::RBrace);
        let Some(body) = self.parse_body(Token::RBrace) else {
            if !empty && !operator.is_empty() && self.is_shallow() && self.reads_as_value(state).is_some() {
                let text = self.slice(begin.start, self.at.last_end);
                self.brace_led_operand(begin, text, operator);
            }
            return None;
        };
        self.scan();
        if self.is_ambiguous_union(&body.node) {
            self.ambiguous_union(begin, &body.node, "");
        }
        Some(Operand { body, explicit: true, span: begin })
    }

    /// `not { … }`, from the brace on.
    pub(super) fn parse_not_body(&mut self, not: Span) -> Option<Tall<Expr>> {
        let begin = self.here();
        let state = self.save();
        self.scan();
        let empty = self.is(Token::RBrace);
        let Some(body) = self.parse_body(Token::RBrace) else {
            if !empty
                && self.is_shallow()
                && let Some(term) = self.reads_as_value(state)
            {
                let text = self.slice(begin.start, self.at.last_end);
                self.operand_needs_body(begin, text, &term, "not ");
            }
            return None;
        };
        self.scan();
        if self.is_ambiguous_union(&body.node) {
            self.ambiguous_union(begin, &body.node, "not ");
            return None;
        }
        self.not_body(not, body, true)
    }

    /// Whether braces that hold no body hold a value; if not, all stays as it is.
    fn reads_as_value(&mut self, state: State) -> Option<crate::syntax::tree::Term> {
        let failed = self.save();
        let errors = self.errors.split_off(state.errors.min(self.errors.len()));
        self.restore(state);
        if let Some(term) = self.parse_infix() {
            return Some(term.node);
        }
        self.errors.truncate(failed.errors.saturating_sub(errors.len()));
        self.errors.extend(errors);
        self.at = failed;
        None
    }

    /// Parentheses around `and`, `or` or `not`; `None`: they hold a term, and the parser stands where it stood.
    pub(super) fn logical_group(&mut self, operand: bool, prefix: &str) -> Option<Option<Operand>> {
        let begin = self.here();
        if operand && self.peek(true) == Token::RParen {
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
        self.group_behind(inner, begin, state, operand, prefix)
    }

    fn group_behind(
        &mut self,
        mut inner: Operand,
        begin: Span,
        state: State,
        operand: bool,
        prefix: &str,
    ) -> Option<Option<Operand>> {
        if matches!(self.token(), Token::LogicalAnd | Token::LogicalOr) {
            return Some(self.group_of(inner, begin));
        }
        if self.is(Token::With) && !inner.explicit {
            return self.group_with(inner, begin, state, operand);
        }
        if inner.explicit {
            return self.parens_around_braces(inner, begin, state, prefix);
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
