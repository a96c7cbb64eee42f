//! What an expression asks other rules and functions.

use plimsoll_rego::syntax::tree::{Expr, ExprKind, Kind, Term};
use plimsoll_rego::syntax::visit::{Node, walk_terms};

use super::bindings::called;

/// Returns the variable and the collection of `some x in xs`; `None` for other expressions.
pub(super) fn drawn(expr: &Expr) -> Option<(&Term, &Term)> {
    let ExprKind::Some(some) = &expr.kind else { return None };
    let Kind::Call(parts) = &some.symbols.first()?.kind else { return None };
    let [.., item, from] = parts.as_slice() else { return None };
    Some((item, from))
}

/// Something that asks rules or functions.
pub(super) struct Ask<'t> {
    pub(super) what: What<'t>,
    /// It is all that the expression says.
    pub(super) is_all: bool,
}

/// A kind of question.
#[derive(Clone, Copy)]
pub(super) enum What<'t> {
    /// A function, and its operands.
    Call(&'t [Term]),
    /// A document, or what lies inside one.
    Reference(&'t Term),
}

/// Returns what an expression asks: itself, and what its operands ask.
pub(super) fn asks(expr: &Expr) -> Vec<Ask<'_>> {
    let mut found = Vec::new();
    match &expr.kind {
        ExprKind::Term(term) => found.extend(asked(term, true)),
        ExprKind::Call(parts) => {
            found.push(Ask { what: What::Call(parts), is_all: true });
            operands(parts, &mut found);
        }
        ExprKind::Not(not) => not.body.iter().for_each(|expr| found.extend(asks(expr))),
        ExprKind::Some(some) => operands(&some.symbols, &mut found),
        ExprKind::Every(_) | ExprKind::And(_) | ExprKind::Or(_) => {}
    }
    found
}

fn asked(term: &Term, is_all: bool) -> Option<Ask<'_>> {
    let what = match &term.kind {
        Kind::Call(parts) => What::Call(parts),
        Kind::Ref(_) => What::Reference(term),
        Kind::Var(_) if is_all => What::Reference(term),
        _ => return None,
    };
    Some(Ask { what, is_all })
}

fn operands<'t>(parts: &'t [Term], found: &mut Vec<Ask<'t>>) {
    for part in parts.iter().skip(1) {
        walk_terms(Node::Term(part), |term| {
            let ask = asked(term, false);
            let asks = ask.is_some();
            found.extend(ask);
            asks || matches!(term.kind, Kind::ArrayCompr(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_))
        });
    }
}

/// The operands of an expression, if it does more than to name one.
pub(super) fn compared(expr: &Expr) -> Vec<&Term> {
    match &expr.kind {
        ExprKind::Call(parts) if called(parts).is_some_and(|name| name == "assign") => Vec::new(),
        ExprKind::Call(parts) => parts.iter().skip(1).collect(),
        ExprKind::Term(term) => vec![term],
        _ => Vec::new(),
    }
}

/// Whether a call asks for a member of a collection.
pub(super) fn is_member(parts: &[Term]) -> bool {
    called(parts).is_some_and(|name| name.starts_with("internal.member"))
}

/// Whether an expression asks that something does not hold.
pub(super) fn is_not(expr: &Expr) -> bool {
    expr.negated || matches!(expr.kind, ExprKind::Not(_))
}
