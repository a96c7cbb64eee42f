//! Rules that are always evaluated (opa `v1/ast/index.go`, `bodySkipsIndexing`).

use crate::compile::arity::with_name;
use crate::syntax::tree::{Expr, ExprKind};
use crate::syntax::visit::{Node, walk};

/// Whether a body prints, or tells the cases of a test apart: what it does must not be looked up away.
pub(super) fn skips(body: &[Expr]) -> bool {
    body.iter().any(|expr| is_effect(expr) || nested(expr))
}

fn nested(expr: &Expr) -> bool {
    if !matches!(expr.kind, ExprKind::Every(_) | ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_)) {
        return false;
    }
    let mut found = false;
    walk(Node::Expr(expr), &mut |node| {
        if let Node::Expr(expr) = node {
            found = found || is_effect(expr);
        }
        found
    });
    found
}

/// Whether an expression is such a call.
fn is_effect(expr: &Expr) -> bool {
    let ExprKind::Call(parts) = &expr.kind else { return false };
    let named = |name: &str| matches!(name, "internal.print" | "internal.test_case");
    parts.first().and_then(|operator| with_name(operator, named)).unwrap_or(false)
}
