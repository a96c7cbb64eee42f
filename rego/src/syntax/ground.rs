//! What has no variables (`v1/ast/term.go`, `IsGround`).

use super::steps;
use super::tree::{Body, Expr, ExprKind, Kind, Term};

/// Whether a term has no variable in it. The head of a reference does not count.
pub fn is_ground(term: &Term) -> bool {
    steps::one();
    match &term.kind {
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => true,
        Kind::Var(_) | Kind::Template(_) => false,
        Kind::Ref(parts) => parts.iter().skip(1).all(is_ground),
        Kind::Array(items) | Kind::Set(items) | Kind::Call(items) => items.iter().all(is_ground),
        Kind::Object(members) => members.iter().all(|(key, value)| is_ground(key) && is_ground(value)),
        Kind::ArrayCompr(it) | Kind::SetCompr(it) => is_ground(&it.term) && is_ground_body(&it.body),
        Kind::ObjectCompr(it) => is_ground(&it.key) && is_ground(&it.value) && is_ground_body(&it.body),
    }
}

fn is_ground_body(body: &Body) -> bool {
    body.iter().all(is_ground_expr)
}

fn is_ground_expr(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Term(term) => is_ground(term),
        ExprKind::Call(terms) => terms.iter().skip(1).all(is_ground),
        ExprKind::Some(_) | ExprKind::Every(_) => false,
        ExprKind::Not(not) => is_ground_body(&not.body),
        ExprKind::And(it) | ExprKind::Or(it) => is_ground_body(&it.left) && is_ground_body(&it.right),
    }
}
