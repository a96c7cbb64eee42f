//! Other places for what is written once and means several things (`v1/ast/parser.go`, `setLocRecursive`).

use super::span::Span;
use super::tree::{Body, Expr, ExprKind, Head, Kind, TemplatePart, Term};

/// A head with its arguments, key and value; the reference keeps its places.
pub(super) fn head(head: &mut Head, span: Span) {
    head.span = span;
    let terms = head.args.iter_mut().flatten().chain(&mut head.key).chain(&mut head.value);
    terms.for_each(|term| self::term(term, span));
}

/// A body with all that is in it.
pub(super) fn body(body: &mut Body, span: Span) {
    body.iter_mut().for_each(|expr| self::expr(expr, span));
}

fn expr(expr: &mut Expr, span: Span) {
    expr.span = span;
    match &mut expr.kind {
        ExprKind::Term(term) => self::term(term, span),
        ExprKind::Call(terms) => terms.iter_mut().for_each(|term| self::term(term, span)),
        ExprKind::Some(some) => {
            some.span = span;
            some.symbols.iter_mut().for_each(|term| self::term(term, span));
        }
        ExprKind::Every(every) => {
            every.span = span;
            let terms = every.key.iter_mut().chain([&mut every.value, &mut every.domain]);
            terms.for_each(|term| self::term(term, span));
            body(&mut every.body, span);
        }
        ExprKind::Not(not) => {
            not.span = span;
            body(&mut not.body, span);
        }
        ExprKind::And(it) | ExprKind::Or(it) => {
            it.span = span;
            body(&mut it.left, span);
            body(&mut it.right, span);
        }
    }
    for with in &mut expr.with {
        with.span = span;
        term(&mut with.target, span);
        term(&mut with.value, span);
    }
}

fn term(term: &mut Term, span: Span) {
    term.span = span;
    match &mut term.kind {
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) => {}
        Kind::Ref(terms) | Kind::Array(terms) | Kind::Set(terms) | Kind::Call(terms) => {
            terms.iter_mut().for_each(|term| self::term(term, span));
        }
        Kind::Object(members) => members.iter_mut().for_each(|(key, value)| {
            self::term(key, span);
            self::term(value, span);
        }),
        Kind::ArrayCompr(it) | Kind::SetCompr(it) => {
            self::term(&mut it.term, span);
            body(&mut it.body, span);
        }
        Kind::ObjectCompr(it) => {
            self::term(&mut it.key, span);
            self::term(&mut it.value, span);
            body(&mut it.body, span);
        }
        Kind::Template(template) => template.parts.iter_mut().for_each(|part| match part {
            TemplatePart::Text(text) => self::term(text, span),
            TemplatePart::Expr(part) => expr(part, span),
        }),
    }
}
