//! What terms, bodies and references are, in OPA's words (`v1/ast/term.go`, `v1/ast/policy.go`), and what is added to them.

use super::names::EQUALITY;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Module, Rule, Term, Var};
use crate::syntax::visit::{Node, any_term};

pub(super) use crate::syntax::is_ground;

/// Visits all rules and their `else`.
pub(super) fn each_rule(modules: &mut [Module], mut visit: impl FnMut(&mut Rule)) {
    modules.iter_mut().flat_map(|module| &mut module.rules).for_each(|rule| rule.each_of_chain(&mut visit));
}

/// Whether a term is a scalar (`IsScalar`).
pub(super) fn is_scalar(term: &Term) -> bool {
    matches!(term.kind, Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_))
}

/// Whether a term is a comprehension.
pub(super) fn is_comprehension(term: &Term) -> bool {
    matches!(term.kind, Kind::ArrayCompr(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_))
}

/// The parts of a reference before the first one that is not ground (`GroundPrefix`).
pub(crate) fn ground_prefix(path: &[Term]) -> &[Term] {
    let end = path.iter().skip(1).position(|part| !is_ground(part)).map(|at| at.saturating_add(1));
    path.get(..end.unwrap_or(path.len())).unwrap_or(path)
}

/// Whether a term holds a reference or a comprehension (`requiresEval`).
pub(super) fn requires_eval(term: &Term) -> bool {
    any_term(Node::Term(term), |term| matches!(term.kind, Kind::Ref(_)) || is_comprehension(term))
}

/// Whether an expression calls a builtin with a name of one word (`isGlobalBuiltin`).
pub(super) fn calls(expr: &Expr, name: &Var) -> bool {
    match &expr.kind {
        ExprKind::Call(parts) => parts.first().is_some_and(|operator| is_global(operator, name)),
        _ => false,
    }
}

/// Whether a reference is one word.
pub(super) fn is_global(operator: &Term, name: &Var) -> bool {
    matches!(&operator.kind, Kind::Ref(parts) if matches!(parts.as_slice(), [only] if only.as_var() == Some(name)))
}

/// Whether an expression is an equality (`IsEquality`).
pub(crate) fn is_equality(expr: &Expr) -> bool {
    calls(expr, &EQUALITY)
}

/// The operands of a call (`Operands`).
pub(crate) fn operands(expr: &Expr) -> &[Term] {
    match &expr.kind {
        ExprKind::Call(parts) => parts.get(1..).unwrap_or_default(),
        _ => &[],
    }
}

/// Whether a body is the `true` of a rule without one (`isEmptyBody`).
pub(super) fn is_empty_body(body: &[Expr]) -> bool {
    matches!(body, [Expr { kind: ExprKind::Term(Term { kind: Kind::Bool(true), .. }), .. }])
}

/// Adds expressions to a body; the first one replaces the `true` of an empty body (`appendToBody`).
pub(super) fn append(body: &mut Body, exprs: impl IntoIterator<Item = Expr>) {
    let mut exprs = exprs.into_iter().peekable();
    if exprs.peek().is_some() && is_empty_body(body) {
        body.clear();
    }
    body.extend(exprs);
}

/// An expression that is made for what is written at its place.
pub(crate) fn generated(span: crate::syntax::span::Span, kind: ExprKind) -> Expr {
    Expr { generated: true, ..Expr::new(span, kind) }
}
