//! Other places for what is written once and means several things (`v1/ast/parser.go`, `setLocRecursive`).

use super::span::Span;
use super::tree::{Body, Expr, ExprKind, Head, Term, With};
use super::visit::Rewrite;

/// A head with its arguments, key and value; the reference keeps its places.
pub(super) fn head(head: &mut Head, span: Span) {
    head.span = span;
    Place(span).terms(head.args.iter_mut().flatten().chain(&mut head.key).chain(&mut head.value));
}

/// A body with all that is in it.
pub(super) fn body(body: &mut Body, span: Span) {
    Place(span).body(body);
}

struct Place(Span);

impl Rewrite for Place {
    fn term(&mut self, term: &mut Term) {
        term.span = self.0;
        self.inside_term(term);
    }

    fn expr(&mut self, expr: &mut Expr) {
        expr.span = self.0;
        match &mut expr.kind {
            ExprKind::Term(_) | ExprKind::Call(_) => {}
            ExprKind::Some(some) => some.span = self.0,
            ExprKind::Every(every) => every.span = self.0,
            ExprKind::Not(not) => not.span = self.0,
            ExprKind::And(logical) | ExprKind::Or(logical) => logical.span = self.0,
        }
        self.inside_expr(expr);
    }

    fn with(&mut self, with: &mut With) {
        with.span = self.0;
        self.terms([&mut with.target, &mut with.value]);
    }
}
