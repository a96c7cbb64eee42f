//! Which variables an expression binds (`v1/ast/compile.go`, `outputVarsForBody`).

use super::super::terms::{is_comprehension, is_equality, is_ground, operands};
use super::super::vars::{Params, SAFETY};
use super::super::{Arity, VarSet};
use super::unify::{IsSafe, is_ref_safe, unify};
use crate::syntax::tree::{Expr, ExprKind, Kind, Term, Var};

/// What a call takes, and what it gives.
const OPERANDS: Params<'static> =
    Params { skip_closures: true, skip_sets: true, skip_object_keys: true, skip_ref_head: true, ..Params::ALL };
const BELOW_HEAD: Params<'static> = Params { skip_ref_head: true, ..Params::ALL };

/// Returns the variables that a body binds where those of `safe` are bound already.
pub(in super::super) fn of_body(body: &[Expr], arity: Arity<'_>, safe: &IsSafe<'_>) -> VarSet {
    let mut bound = VarSet::default();
    for expr in body {
        let outputs = of_expr(expr, arity, &|var| safe(var) || bound.contains(var));
        bound.extend(&outputs);
    }
    bound
}

/// What an equality binds (`outputVarsForExprEq`).
pub(in super::super) fn of_equality(expr: &Expr, safe: &VarSet) -> VarSet {
    equality(expr, &|var| safe.contains(var))
}

/// What an expression binds; some of it may be bound already (`outputVarsForExpr`).
pub(super) fn of_expr(expr: &Expr, arity: Arity<'_>, safe: &IsSafe<'_>) -> VarSet {
    let mut needed = VarSet::default();
    expr.with.iter().for_each(|with| needed.add_with(with, SAFETY));
    if expr.negated || !needed.iter().all(safe) {
        return VarSet::default();
    }
    match &expr.kind {
        ExprKind::Term(Term { kind: Kind::Template(_), .. }) => VarSet::default(),
        ExprKind::Term(_) => of_terms(expr, safe),
        ExprKind::Call(_) if is_equality(expr) => equality(expr, safe),
        ExprKind::Call(parts) => call(expr, parts, arity, safe),
        ExprKind::Every(every) => {
            let mut bound = VarSet::default();
            of_term(&every.domain, safe, &mut bound);
            bound
        }
        ExprKind::Some(_) | ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) => VarSet::default(),
    }
}

fn equality(expr: &Expr, safe: &IsSafe<'_>) -> VarSet {
    let [left, right] = operands(expr) else { return VarSet::default() };
    let mut bound = of_terms(expr, safe);
    let mut assigned = VarSet::default();
    if expr.from_assignment {
        // What `:=` assigns does not bind its other side.
        assigned.add_term(left, Params::ALL);
        assigned.iter().for_each(|var| bound.remove(var));
    }
    let unified = unify(&|var| (safe(var) || bound.contains(var)) && !assigned.contains(var), left, right);
    bound.extend(&unified.into_iter().collect());
    let known: Vec<Var> = bound.iter().filter(|var| safe(var)).cloned().collect();
    known.iter().for_each(|var| bound.remove(var));
    bound
}

fn call(expr: &Expr, parts: &[Term], arity: Arity<'_>, safe: &IsSafe<'_>) -> VarSet {
    let Some(operator) = parts.first().filter(|operator| matches!(operator.kind, Kind::Ref(_))) else { return VarSet::default() };
    let Some(arity) = arity.of(operator) else { return VarSet::default() };
    let mut bound = of_terms(expr, safe);
    let (Some(inputs), Some(outputs)) = (parts.get(..=arity), parts.get(arity.saturating_add(1)..)) else { return bound };
    if outputs.is_empty() {
        return bound;
    }
    let mut needed = VarSet::default();
    needed.add_terms(inputs, OPERANDS);
    if !needed.iter().all(|var| safe(var) || bound.contains(var)) {
        return VarSet::default();
    }
    bound.add_terms(outputs, OPERANDS);
    bound
}

/// What references to what is bound enumerate (`outputVarsForTerms`).
fn of_terms(expr: &Expr, safe: &IsSafe<'_>) -> VarSet {
    let mut bound = VarSet::default();
    match &expr.kind {
        ExprKind::Term(term) => of_term(term, safe, &mut bound),
        ExprKind::Call(parts) => parts.iter().for_each(|part| of_term(part, safe, &mut bound)),
        _ => {}
    }
    for with in &expr.with {
        of_term(&with.target, safe, &mut bound);
        of_term(&with.value, safe, &mut bound);
    }
    bound
}

fn of_term(term: &Term, safe: &IsSafe<'_>, bound: &mut VarSet) {
    if is_comprehension(term) {
        return;
    }
    match &term.kind {
        Kind::Ref(parts) => of_ref(parts, safe, bound),
        Kind::Array(terms) | Kind::Set(terms) | Kind::Call(terms) => terms.iter().for_each(|term| of_term(term, safe, bound)),
        Kind::Object(members) => {
            for (key, value) in members {
                of_term(key, safe, bound);
                of_term(value, safe, bound);
            }
        }
        _ => {}
    }
}

/// References inside of the brackets bind nothing more than the whole one.
fn of_ref(parts: &[Term], safe: &IsSafe<'_>, bound: &mut VarSet) {
    let Some((first, rest)) = parts.split_first() else { return };
    if !is_ref_safe(parts, safe) {
        return;
    }
    if !rest.iter().all(is_ground) {
        bound.add_terms(rest, BELOW_HEAD);
    }
    of_term(first, safe, bound);
}
