//! Changes trees level by level.

use crate::syntax::tree::{Body, Expr, ExprKind, Kind, TemplatePart, Term, With};

/// Goes through a tree, in the order of the text, and changes it: what an implementation does not treat on its own is gone through.
pub trait Rewrite: Sized {
    /// A term.
    fn term(&mut self, term: &mut Term) {
        self.inside_term(term);
    }

    /// An expression.
    fn expr(&mut self, expr: &mut Expr) {
        self.inside_expr(expr);
    }

    /// A body.
    fn body(&mut self, body: &mut Body) {
        body.iter_mut().for_each(|expr| self.expr(expr));
    }

    /// A comprehension: what each solution gives, and the body.
    fn comprehension(&mut self, heads: &mut [&mut Term], body: &mut Body) {
        heads.iter_mut().for_each(|head| self.term(head));
        self.body(body);
    }

    /// A `with`.
    fn with(&mut self, with: &mut With) {
        self.terms([&mut with.target, &mut with.value]);
    }

    /// Terms.
    fn terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t mut Term>) {
        terms.into_iter().for_each(|term| self.term(term));
    }

    /// What a term holds.
    fn inside_term(&mut self, term: &mut Term) {
        match &mut term.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) => {}
            Kind::Ref(parts) | Kind::Array(parts) | Kind::Set(parts) | Kind::Call(parts) => self.terms(parts),
            Kind::Object(members) => members.iter_mut().for_each(|(key, value)| self.terms([key, value])),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => self.comprehension(&mut [&mut inner.term], &mut inner.body),
            Kind::ObjectCompr(inner) => self.comprehension(&mut [&mut inner.key, &mut inner.value], &mut inner.body),
            Kind::Template(template) => template.parts.iter_mut().for_each(|part| match part {
                TemplatePart::Text(term) => self.term(term),
                TemplatePart::Expr(expr) => self.expr(expr),
            }),
        }
    }

    /// What an expression holds, its `with` included.
    fn inside_expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Call(parts) => self.terms(parts),
            ExprKind::Some(some) => self.terms(&mut some.symbols),
            ExprKind::Every(every) => self.terms(every.key.iter_mut().chain([&mut every.value, &mut every.domain])),
            ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) => {}
        }
        self.bodies(expr);
        expr.with.iter_mut().for_each(|with| self.with(with));
    }

    /// The bodies of an expression; returns whether it has any.
    fn bodies(&mut self, expr: &mut Expr) -> bool {
        match &mut expr.kind {
            ExprKind::Every(every) => self.body(&mut every.body),
            ExprKind::Not(not) => self.body(&mut not.body),
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                self.body(&mut logical.left);
                self.body(&mut logical.right);
            }
            ExprKind::Term(_) | ExprKind::Call(_) | ExprKind::Some(_) => return false,
        }
        true
    }
}
