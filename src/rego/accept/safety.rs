//! Every variable must be bound by some statement, in some order of the statements.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{Names, Var, VarSet, reserved};
use super::outputs::{self, Arity};
use super::report::Report;
use super::rule::{Rule, Unit};
use super::term::{Body, Expr, ExprKind, Term};
use super::walk::{self, ALL, SAFETY, body_vars, expr_vars, term_vars};
use crate::rego::limits::compiling;

const CODE: &str = "rego_unsafe_var_error";
const EARLY_CODE: &str = "rego_compile_error";
const EARLY: &str = "OPA comes to this statement before all that it reads has a value, as what `every` or a comprehension in it reads has one \
                     already: write it behind the statements that give its variables their values";

/// Reports what cannot be bound.
pub(super) fn check(units: &[Unit], arity: &Arity<'_>, names: &Names, report: &mut Report<'_>) {
    for unit in units {
        let shared = shared_rows(unit, report);
        for rule in unit.rules.iter().flat_map(Rule::chain) {
            let scope = match shared.contains(&report.row(rule.module, rule.at)) {
                true => format!(
                    " in rule {}",
                    super::tree::display(rule.ground().get(rule.name_len.saturating_sub(1)..).unwrap_or_default(), names)
                ),
                false => String::new(),
            };
            head(rule, &scope, names, report);
            let mut safe = reserved();
            rule.args.iter().for_each(|arg| walk::add_term(arg, ALL, &mut safe));
            let unsafe_vars = body(&rule.body, arity, &safe);
            for (at, message) in messages(&unsafe_vars, names) {
                report.error(rule.module, at, CODE, message + &scope);
            }
            if unsafe_vars.exprs.is_empty() {
                unsafe_vars.early.iter().for_each(|at| report.error(rule.module, *at, EARLY_CODE, EARLY));
            }
        }
    }
}

/// Rows on which rules of several names stand: there the place alone does not tell which is meant.
fn shared_rows(unit: &Unit, report: &Report<'_>) -> Vec<u32> {
    let mut first: BTreeMap<u32, &[Term]> = BTreeMap::new();
    let mut shared = Vec::new();
    for rule in &unit.rules {
        let row = report.row(rule.module, rule.at);
        let name = first.entry(row).or_insert(rule.ground());
        if !super::resolve::same_path(name, rule.ground()) {
            shared.push(row);
        }
    }
    shared
}

fn head(rule: &Rule, scope: &str, names: &Names, report: &mut Report<'_>) {
    let mut bound = body_vars(&rule.body, SAFETY);
    bound.extend(reserved());
    rule.args.iter().for_each(|arg| walk::add_term(arg, ALL, &mut bound));
    let parts = rule.path.iter().skip(rule.name_len).chain([rule.head.term()]);
    for part in parts {
        for var in term_vars(part, ALL).difference(&bound) {
            if !names.is_generated(*var) {
                let at = walk::find(part, *var).unwrap_or(part.at);
                report.error(rule.module, at, CODE, format!("var {} is unsafe{scope}", names.text(*var)));
            }
        }
    }
}

/// Variables that a statement needs and nothing binds.
#[derive(Debug, Default)]
struct Unsafe<'b> {
    exprs: BTreeMap<u32, (&'b Expr, VarSet)>,
    /// Where statements are that OPA comes to without some of their variables, see [`is_early`].
    early: BTreeSet<u32>,
}

impl<'b> Unsafe<'b> {
    fn add(&mut self, expr: &'b Expr, vars: impl IntoIterator<Item = Var>) {
        self.exprs.entry(expr.id).or_insert_with(|| (expr, VarSet::new())).1.extend(vars);
    }

    fn merge(&mut self, other: Self) {
        self.early.extend(other.early);
        for (expr, vars) in other.exprs.into_values() {
            self.add(expr, vars);
        }
    }
}

/// Orders statements so that each runs when what it needs is bound; what is left over is unsafe.
fn body<'b>(body: &'b Body, arity: &Arity<'_>, globals: &VarSet) -> Unsafe<'b> {
    let vars = body_vars(body, SAFETY);
    let mut safe: VarSet = vars.intersection(globals).copied().collect();
    let mut waiting: Vec<(&Expr, VarSet)> =
        body.iter().map(|expr| (expr, expr_vars(expr, SAFETY).difference(&safe).copied().collect())).collect();
    let mut ordered: Vec<&Expr> = Vec::with_capacity(body.len());
    let mut found = Unsafe::default();
    loop {
        let before = ordered.len();
        waiting.retain_mut(|(expr, needs)| {
            // Nothing is made of what is found when time is up.
            if compiling::check().is_err() {
                return true;
            }
            let outputs = outputs::of_expr(expr, arity, &safe);
            let closed = closed_over(expr, &vars, globals);
            if !closed.is_empty() {
                // As OPA: a statement cannot close over just what it binds itself.
                if closed == outputs {
                    return true;
                }
                if is_early(expr, needs, &closed, &|var| outputs.contains(var) || safe.contains(var)) {
                    found.early.insert(expr.at);
                }
                needs.extend(closed);
            }
            needs.retain(|var| !outputs.contains(var) && !safe.contains(var));
            if !needs.is_empty() {
                return true;
            }
            ordered.push(expr);
            safe.extend(outputs);
            false
        });
        if ordered.len() == before {
            break;
        }
    }
    waiting.into_iter().for_each(|(expr, needs)| found.add(expr, needs));
    closures(&ordered, arity, globals, &mut found);
    found
}

/// Whether OPA comes to a statement though it needs a variable without a value: where closures in it read variables of the body,
/// OPA asks for these alone (`reorderBodyForSafety` of opa `v1/ast/compile.go`: `unsafe.Set` forgets what was there). An `every`
/// then never holds, what is negated may, a call is an internal error; an equation waits for its variables.
fn is_early(expr: &Expr, needs: &VarSet, closed: &VarSet, has_value: &dyn Fn(&Var) -> bool) -> bool {
    let waits = !expr.negated && expr.with.is_empty() && expr.equality().is_some();
    !waits && closed.iter().all(has_value) && needs.iter().any(|var| !has_value(var))
}

/// Variables that closures of a statement share with its body.
fn closed_over(expr: &Expr, vars: &VarSet, globals: &VarSet) -> VarSet {
    let mut closed = VarSet::new();
    walk::closures(expr, &mut |terms, body| {
        terms.iter().for_each(|term| walk::add_term(term, ALL, &mut closed));
        body.iter().for_each(|expr| walk::add_expr(expr, ALL, &mut closed));
    });
    closed.retain(|var| vars.contains(var) && !globals.contains(var));
    closed
}

/// Closures see what is bound before and in their own statement.
fn closures<'b>(ordered: &[&'b Expr], arity: &Arity<'_>, globals: &VarSet, found: &mut Unsafe<'b>) {
    let mut visible = globals.clone();
    let mut before: Option<&Expr> = None;
    for &expr in ordered {
        if let Some(before) = before {
            walk::add_expr(before, SAFETY, &mut visible);
        }
        if let ExprKind::Every(every) = &expr.kind {
            every.key.iter().chain([&every.value]).for_each(|term| walk::add_term(term, ALL, &mut visible));
        }
        walk::closures(expr, &mut |terms, inner| {
            let mut inside = body_vars(inner, SAFETY);
            inside.extend(&visible);
            let yielded: VarSet = terms.iter().flat_map(|term| term_vars(term, ALL)).collect();
            let unbound: Vec<Var> = yielded.difference(&inside).copied().collect();
            if !unbound.is_empty() {
                found.add(expr, unbound);
            }
            found.merge(body(inner, arity, &visible));
        });
        before = Some(expr);
    }
}

/// One message per variable, at the first statement that needs it; variables assigned by statements that are themselves
/// waiting are left out while there are others to name.
fn messages(found: &Unsafe<'_>, names: &Names) -> Vec<(u32, String)> {
    let mut first: BTreeMap<Var, u32> = BTreeMap::new();
    let mut assigned = VarSet::new();
    for (expr, vars) in found.exprs.values() {
        if expr.assigned
            && let Some((left, _)) = expr.equality()
        {
            walk::add_term(left, ALL, &mut assigned);
        }
        for var in vars {
            let at = first.entry(*var).or_insert(expr.at);
            *at = expr.at.min(*at);
        }
    }
    let named: Vec<(Var, u32)> = first.into_iter().filter(|(var, _)| !names.is_generated(*var)).collect();
    let others = named.iter().any(|(var, _)| !assigned.contains(var));
    let named: Vec<_> = named
        .into_iter()
        .filter(|(var, _)| !others || !assigned.contains(var))
        .map(|(var, at)| (at, unsafe_var(&names.text(var))))
        .collect();
    if !named.is_empty() {
        return named;
    }
    found.exprs.values().filter(|(_, vars)| !vars.is_empty()).map(|(expr, _)| (expr.at, "expression is unsafe".into())).collect()
}

fn unsafe_var(name: &str) -> String {
    match name {
        "contains" | "every" | "if" | "in" => {
            format!("var {name} is unsafe (hint: `import future.keywords.{name}` to import a future keyword)")
        }
        _ => format!("var {name} is unsafe"),
    }
}
