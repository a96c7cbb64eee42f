//! Patterns that the interpreter does not take apart as OPA does: they are refused. Sets with variables, and variables as keys, in the arguments of a
//! function (OPA matches them with nothing); and a variable as a key that a later statement binds.

use super::names::{Names, Scope, Var, reserved};
use super::report::Report;
use super::rule::{Rule, Unit};
use super::term::{Body, Expr, ExprKind, Kind, Term};
use super::walk::{self, ALL, Go, SAFETY};

/// Reports such patterns; of rules whose calls were taken apart.
pub(super) fn check(units: &[Unit], names: &Names, report: &mut Report<'_>) {
    for rule in units.iter().flat_map(|unit| &unit.rules).flat_map(Rule::chain) {
        let mut around = Scope::of(reserved());
        let mut found = Vec::new();
        for arg in &rule.args {
            walk::add_term(arg, ALL, &mut around.own);
            found.extend(argument(arg));
        }
        body(&rule.body, &around, names, &mut found);
        for (at, message) in found {
            report.error(rule.module, at, "rego_compile_error", message);
        }
    }
}

fn argument(arg: &Term) -> Option<(u32, String)> {
    let mut found = None;
    walk::visit(arg, &mut |term| {
        let what = match &term.kind {
            Kind::Set(items) if items.iter().any(has_variable) => Some("a set with variables"),
            Kind::Object(fields) if fields.iter().any(|(key, _)| has_variable(key)) => Some("an object with variables as keys"),
            _ => None,
        };
        if let Some(what) = what {
            found.get_or_insert((
                term.at,
                format!("{what} is not supported as an argument of a function: name the argument, and compare it in the body"),
            ));
        }
        Go::Deeper
    });
    found
}

fn has_variable(term: &Term) -> bool {
    !walk::term_vars(term, ALL).is_empty()
}

fn body(body: &Body, around: &Scope<'_>, names: &Names, found: &mut Vec<(u32, String)>) {
    let (mut bound, mut inside) = (Scope::inside(around), Scope::inside(around));
    body.iter().for_each(|expr| walk::add_expr(expr, SAFETY, &mut inside.own));
    for expr in body {
        if let Some(var) = later_key(expr, &bound).filter(|var| !names.is_generated(*var)) {
            let name = names.text(var);
            found.push((expr.at, format!("the key {name} of this pattern is bound by a later statement: put that one before")));
        }
        let mut closed = Scope::inside(&inside);
        if let ExprKind::Every(every) = &expr.kind {
            every.key.iter().chain([&every.value]).for_each(|term| walk::add_term(term, ALL, &mut closed.own));
        }
        walk::closures(expr, &mut |_, closure| self::body(closure, &closed, names, found));
        walk::add_expr(expr, SAFETY, &mut bound.own);
    }
}

/// A key of a pattern that is matched with a value, and that nothing has bound so far.
fn later_key(expr: &Expr, bound: &Scope<'_>) -> Option<Var> {
    let (left, right) = expr.equality()?;
    let is_output = |term: &Term| term.as_var().is_some_and(|var| !bound.contains(var));
    if is_output(left) || is_output(right) {
        return None;
    }
    [left, right].into_iter().find_map(|side| key(side, bound))
}

fn key(pattern: &Term, bound: &Scope<'_>) -> Option<Var> {
    match &pattern.kind {
        Kind::Array(items) => items.iter().find_map(|item| key(item, bound)),
        Kind::Object(fields) => fields.iter().find_map(|(name, value)| {
            let unbound = name.as_var().filter(|var| !bound.contains(*var));
            unbound.or_else(|| key(value, bound))
        }),
        _ => None,
    }
}
