//! Values of expressions: `data.a.b` of a query becomes `data.a.b = $term1` (opa `v1/rego/rego.go`, `rewriteQueryToCaptureValue`).

use super::super::terms::generated;
use super::super::{Arity, names};
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Term, Var};
use crate::syntax::visit::{Node, walk};

/// What the names of these variables begin with; as all that begins with `$`, nobody can write it, and messages say `_`.
const PREFIX: &str = "$term";

/// Has the value of each expression that may have one bound to a variable. What is negated, an assignment or a unification has
/// none. A value must be true when the query has several expressions or goes through something: a generated expression demands it.
pub(super) fn rewrite(arity: Arity<'_>, body: &mut Body) {
    let demanded = body.len() > 1 || iterates(arity, body);
    let mut demands = Vec::new();
    let mut count = 0_usize;
    for expr in body.iter_mut().filter(|expr| !expr.negated) {
        let name = Var::from(format!("{PREFIX}{}", count.saturating_add(1)));
        let Some(value) = capture(arity, expr, name) else { continue };
        count = count.saturating_add(1);
        demands.push(generated(expr.span, ExprKind::Term(value)));
    }
    if demanded {
        body.extend(demands);
    }
}

/// The variable that has the value of an expression, if one was put there.
pub fn captured(expr: &Expr) -> Option<&Var> {
    let ExprKind::Call(parts) = &expr.kind else { return None };
    parts.last()?.as_var().filter(|name| name.starts_with(PREFIX))
}

fn capture(arity: Arity<'_>, expr: &mut Expr, name: Var) -> Option<Term> {
    let value = match &mut expr.kind {
        ExprKind::Term(term) => {
            let value = Term::var(term.span, name);
            let operator = names::operator(names::EQUALITY, term);
            let term = std::mem::replace(term, value.clone());
            expr.kind = ExprKind::Call(vec![operator, term, value.clone()]);
            value
        }
        ExprKind::Call(parts) => {
            let operator = parts.first()?;
            if !answers(arity, operator, parts.len().saturating_sub(1)) {
                return None;
            }
            let value = Term::var(operator.span, name);
            parts.push(value.clone());
            value
        }
        _ => return None,
    };
    Some(value)
}

/// Whether a call with so many operands is one whose answer may be shown.
fn answers(arity: Arity<'_>, operator: &Term, operands: usize) -> bool {
    let is = |name: &Var| matches!(operator.as_ref_parts(), Some([only]) if only.as_var() == Some(name));
    if is(&names::EQUALITY) || is(&names::ASSIGN) || arity.builtin(operator).is_some_and(|builtin| builtin.result.is_none()) {
        return false;
    }
    arity.of(operator) == Some(operands)
}

/// Whether a query may hold in several ways: a reference has a variable behind its first name, or goes on from a relation.
fn iterates(arity: Arity<'_>, body: &Body) -> bool {
    let mut found = false;
    walk(Node::Body(body), &mut |node| {
        let Node::Term(term) = node else { return found };
        match &term.kind {
            Kind::ArrayCompr(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_) => return true,
            Kind::Ref(parts) => {
                let relation = arity.builtin(term).is_some_and(|builtin| builtin.relation);
                found = found || relation || parts.iter().skip(1).any(|part| part.as_var().is_some());
            }
            _ => {}
        }
        found
    });
    found
}
