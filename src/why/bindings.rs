//! Expressions by themselves: how they are written, and which variables they give values to.

use std::collections::BTreeSet;

use plimsoll_rego::syntax::print;
use plimsoll_rego::syntax::span::Span;
use plimsoll_rego::syntax::tree::{Expr, ExprKind, Kind, Term, Var};
use plimsoll_rego::syntax::visit::{Node, walk_terms};

use super::policies::Policies;

/// The variables that an expression declares, if that is all that it does.
pub(super) fn declared(expr: &Expr) -> Vec<Var> {
    match &expr.kind {
        ExprKind::Some(some) if is_declaration(expr) => {
            some.symbols.iter().filter_map(|symbol| symbol.as_var().cloned()).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether an expression only says which names are variables.
pub(super) fn is_declaration(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Some(some) if some.symbols.iter().all(|symbol| symbol.as_var().is_some()))
}

/// An expression as it is written, its `not` and its `with` included.
pub(super) fn written(policies: &Policies, expr: &Expr) -> String {
    let end = expr.with.iter().map(|with| with.span.end).fold(expr.span.end, u32::max);
    let text = policies.text(Span { end, ..expr.span });
    // What stands behind an `else` is said to begin there, all of it, as in OPA.
    if text.starts_with("else") { print::expr(expr) } else { text.to_owned() }
}

/// The name of a call's function or operator, such as `eq` or `internal.member_2`.
pub(super) fn operator(expr: &Expr) -> Option<String> {
    if let ExprKind::Call(parts) = &expr.kind { called(parts) } else { None }
}

/// The same of the terms of a call.
pub(super) fn called(parts: &[Term]) -> Option<String> {
    let names = match &parts.first()?.kind {
        Kind::Ref(parts) => {
            parts.iter().filter_map(|part| part.as_var().or_else(|| part.as_str())).map(ToString::to_string).collect()
        }
        Kind::Var(name) => vec![name.to_string()],
        _ => return None,
    };
    Some(names.join("."))
}

/// The variables in a node, wildcards left out.
pub(super) fn variables(node: Node<'_>) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    walk_terms(node, |term| {
        found.extend(term.as_var().filter(|name| !name.starts_with('$')).cloned());
        false
    });
    found
}

/// The variables that an expression may give values to.
pub(super) fn bound(expr: &Expr) -> BTreeSet<Var> {
    if expr.negated {
        return BTreeSet::new();
    }
    let mut found = BTreeSet::new();
    match &expr.kind {
        ExprKind::Some(some) => {
            for symbol in &some.symbols {
                if let Kind::Call(parts) = &symbol.kind {
                    let names = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
                    found.extend(names.iter().flat_map(|name| variables(Node::Term(name))));
                }
            }
        }
        ExprKind::Call(parts) => {
            let sides = match called(parts).as_deref() {
                Some("assign") => parts.get(1..2),
                Some("eq") => parts.get(1..),
                _ => None,
            };
            sides.unwrap_or_default().iter().for_each(|side| patterns(side, &mut found));
        }
        _ => {}
    }
    brackets(expr, &mut found);
    found
}

/// Behind its operands a call may say where its answer goes.
pub(super) fn answered(expr: &Expr) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    if let ExprKind::Call(parts) = &expr.kind
        && !expr.negated
    {
        parts.last().into_iter().for_each(|last| patterns(last, &mut found));
    }
    found
}

/// The variables of a pattern: not those that a call or a comprehension asks for.
fn patterns(term: &Term, found: &mut BTreeSet<Var>) {
    match &term.kind {
        Kind::Var(name) if !name.starts_with('$') => {
            found.insert(name.clone());
        }
        Kind::Array(items) => items.iter().for_each(|item| patterns(item, found)),
        Kind::Object(members) => members.iter().for_each(|(_, value)| patterns(value, found)),
        _ => {}
    }
}

/// The variables between the brackets of references.
fn brackets(expr: &Expr, found: &mut BTreeSet<Var>) {
    walk_terms(Node::Expr(expr), |term| {
        match &term.kind {
            Kind::Ref(parts) => parts.iter().skip(1).for_each(|part| patterns(part, found)),
            Kind::ArrayCompr(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_) => return true,
            _ => {}
        }
        false
    });
}
