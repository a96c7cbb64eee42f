//! Expressions of a body (`v1/ast/parser.go`, `parseLiteral`, `parseLiteralExpr`, `parseExpr`).

use super::state::{Parser, State, Tall};
use crate::syntax::span::Span;
use crate::syntax::token::{Keywords, Token};
use crate::syntax::tree::{Expr, ExprKind, Kind, Not, Term, Version};

impl Parser<'_> {
    /// One expression.
    pub(super) fn parse_literal(&mut self) -> Option<Tall<Expr>> {
        let begin = self.here();
        let expr = self.literal_of_any_kind()?;
        Some(self.placed(begin, expr))
    }

    /// The expression takes the place from a beginning on, and so does what `not` makes a body of.
    pub(super) fn placed(&self, begin: Span, mut expr: Tall<Expr>) -> Tall<Expr> {
        expr.node.span = self.since(begin);
        place_negated(&mut expr.node);
        expr
    }

    fn literal_of_any_kind(&mut self) -> Option<Tall<Expr>> {
        if self.logical_words()
            && let Some(decided) = self.logical_literal()
        {
            return decided;
        }
        if self.name_ahead() {
            let state = self.save();
            return self.parse_literal_expr(state, None, None);
        }
        let not = self.is(Token::Not).then(|| self.here());
        if not.is_some() {
            self.scan();
        }
        if let Some(not) = not
            && self.not_bodies
            && self.is(Token::LBrace)
        {
            let body = self.parse_not_body(not)?;
            return self.fold_logical(body);
        }
        match (self.token(), not) {
            (Token::Some, Some(_)) => self.refuse("illegal negation of 'some'"),
            (Token::Every, Some(_)) => self.refuse("illegal negation of 'every'"),
            (Token::Some, None) => self.parse_some(),
            (Token::Every, None) => self.parse_every(),
            _ => {
                let state = self.save();
                self.parse_literal_expr(state, None, not)
            }
        }
    }

    /// An expression with its `with`; perhaps its first term is there already, or `not` in front of it.
    pub(super) fn parse_literal_expr(
        &mut self,
        begin: State,
        first: Option<Tall<Term>>,
        not: Option<Span>,
    ) -> Option<Tall<Expr>> {
        if let Some(not) = not
            && self.not_bodies
            && self.is(Token::LParen)
            && let Some(decided) = self.not_group(not)
        {
            return decided;
        }
        let mut expr = self.parse_expr(first)?;
        let with = self.is(Token::With).then(|| self.here());
        self.parse_with(&mut expr)?;
        self.hint_at_every(&begin, &expr.node);
        let expr = match not {
            Some(not) if self.not_bodies => self.not_of(not, expr)?,
            not => {
                expr.node.negated = not.is_some();
                expr
            }
        };
        if matches!(self.token(), Token::LogicalAnd | Token::LogicalOr) {
            return self.logical_behind(expr, with, not.is_some());
        }
        Some(expr)
    }

    /// `not` of an expression, whose `with` becomes that of `not`.
    fn not_of(&mut self, not: Span, mut expr: Tall<Expr>) -> Option<Tall<Expr>> {
        let with = std::mem::take(&mut expr.node.with);
        let mut outer = self.not_body(not, expr.map(|expr| vec![expr]), false)?;
        outer.node.with = with;
        Some(outer)
    }

    pub(super) fn not_body(&mut self, not: Span, body: Tall<Vec<Expr>>, explicit: bool) -> Option<Tall<Expr>> {
        let span = self.since(not);
        let kind = ExprKind::Not(Box::new(Not { span, body: body.node, explicit }));
        self.tall(plain(span, kind), body.height)
    }

    /// Terms with `:=` or `=` between them, or one term.
    pub(super) fn parse_expr(&mut self, first: Option<Tall<Term>>) -> Option<Tall<Expr>> {
        let begin = first.as_ref().map_or_else(|| self.here(), |term| term.node.span);
        let left = match first {
            Some(first) => first,
            None => self.parse_infix()?,
        };
        let (kind, height) = if matches!(self.token(), Token::Assign | Token::Unify) {
            let operator = self.operator();
            let right = self.parse_infix()?;
            let height = left.height.max(right.height);
            (ExprKind::Call(vec![operator, left.node, right.node]), height)
        } else {
            match left.node.kind {
                Kind::Call(terms) => (ExprKind::Call(terms), left.height),
                kind => (ExprKind::Term(Term { kind, ..left.node }), left.height),
            }
        };
        let span = self.since(begin);
        self.tall(plain(span, kind), height)
    }

    /// A plain `every`, where it is no keyword, may have been meant as one.
    fn hint_at_every(&mut self, begin: &State, expr: &Expr) {
        let imported = matches!(self.version, Version::V0 | Version::V0CompatV1);
        let named = matches!(&expr.kind, ExprKind::Term(term) if term.as_var().is_some_and(|name| name == "every"));
        if !imported || !named || self.keywords.has(Keywords::ALL) || !self.is_shallow() {
            return;
        }
        let begin = begin.clone();
        let found = self.in_future(|parser| {
            parser.at = begin;
            parser.parse_every()
        });
        if found.is_some() {
            self.hint("`import future.keywords.every` for `every x in xs { ... }` expressions");
        }
    }
}

/// Gives the expressions that `not` makes a body of the place of the `not`: they are one range in a report on coverage.
pub(super) fn place_negated(expr: &mut Expr) {
    if let ExprKind::Not(not) = &mut expr.kind
        && !not.explicit
    {
        not.body.iter_mut().for_each(|inner| inner.span = expr.span);
    }
}

/// An expression without anything around it.
pub(super) fn plain(span: Span, kind: ExprKind) -> Expr {
    Expr::new(span, kind)
}
