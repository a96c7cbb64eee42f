//! Operands of `and`, `or` and `not` (`v1/ast/parser.go`, `parseLogicalOperand`, `parseNotBody`).

use super::logical::Operand;
use super::state::{Parser, State, Tall};
use crate::syntax::span::Span;
use crate::syntax::token::Token;
use crate::syntax::tree::{Expr, Term};

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
            && let Some(group) = self.logical_group(Some(""))
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
        let group = self.logical_group(Some("not "))?;
        Some(group.and_then(|group| self.not_body(not, group.body, group.explicit)))
    }

    /// The same at the beginning of an expression, with the operators behind it.
    pub(super) fn not_group(&mut self, not: Span) -> Option<Option<Tall<Expr>>> {
        let group = self.logical_group(Some("not "))?;
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
    fn reads_as_value(&mut self, state: State) -> Option<Term> {
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
}
