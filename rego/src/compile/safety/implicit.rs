//! What operands of `not`, `and` and `or` that are written without braces need from outside (`v1/ast/compile.go`,
//! `promoteUnsafeOperandBodyVars`).

use foldhash::{HashMap, HashSet};

use super::super::Arity;
use super::super::terms::{is_equality, operands};
use super::super::vars::{Params, SAFETY, VarSet};
use super::output_vars;
use crate::syntax::tree::{Expr, ExprKind, Kind, Term, Var};

const OUTPUTS: Params<'static> =
    Params { skip_closures: true, skip_sets: true, skip_object_keys: true, skip_ref_head: true, ..Params::ALL };

/// Adds the variables that must come from outside.
pub(super) fn promote(arity: Arity<'_>, vars: &mut VarSet, expr: &Expr) {
    let mut add = |explicit: bool, body: &[Expr]| {
        if !explicit {
            needed(body, arity).into_iter().for_each(|var| vars.insert(var, expr.span));
        }
    };
    match &expr.kind {
        ExprKind::Not(not) => add(not.explicit, &not.body),
        ExprKind::And(logical) | ExprKind::Or(logical) => {
            add(logical.explicit_left, &logical.left);
            add(logical.explicit_right, &logical.right);
        }
        _ => {}
    }
}

/// Variables that the body does not both bind and use (`unsafeImplicitBodyVars`).
fn needed(body: &[Expr], arity: Arity<'_>) -> HashSet<Var> {
    let mut occurrences: HashMap<Var, usize> = HashMap::default();
    for expr in body {
        let mut vars = VarSet::default();
        vars.add_expr(expr, SAFETY);
        vars.iter().for_each(|var| *occurrences.entry(var.clone()).or_default() += 1);
    }
    if body.len() == 1 {
        return occurrences.into_keys().collect();
    }
    let bound = bindings(body, arity, &occurrences);
    occurrences.into_iter().filter(|(var, uses)| *uses == 1 || !bound.contains(var)).map(|(var, _)| var).collect()
}

fn bindings(body: &[Expr], arity: Arity<'_>, occurrences: &HashMap<Var, usize>) -> VarSet {
    let mut safe = VarSet::reserved();
    occurrences.keys().for_each(|var| safe.insert(var.clone(), Default::default()));
    let equalities: Vec<&Expr> = body.iter().filter(|expr| is_equality(expr)).collect();
    let sides = equalities.iter().flat_map(|expr| operands(expr)).filter_map(Term::as_var);
    sides.for_each(|var| safe.remove(var));
    let mut bound = VarSet::default();
    let mut before = None;
    while before != Some(bound.len()) {
        before = Some(bound.len());
        for expr in &equalities {
            let outputs = output_vars::of_equality(expr, &safe);
            safe.extend(&outputs);
            bound.extend(&outputs);
        }
    }
    body.iter().filter(|expr| !is_equality(expr)).for_each(|expr| answer(expr, arity, &mut bound));
    bound
}

/// Adds the variables behind the operands of a call.
fn answer(expr: &Expr, arity: Arity<'_>, bound: &mut VarSet) {
    let ExprKind::Call(parts) = &expr.kind else { return };
    let Some(operator) = parts.first().filter(|operator| matches!(operator.kind, Kind::Ref(_))) else { return };
    if let Some(arity) = arity.of(operator) {
        bound.add_terms(parts.iter().skip(arity.saturating_add(1)), OUTPUTS);
    }
}
