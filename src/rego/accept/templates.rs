//! Expressions in template strings bind nothing: what they need has to be bound around them. Source: OPA `v1/ast/compile.go`,
//! `rewriteTemplateString`.

use super::names::{Names, Scope, reserved};
use super::report::Report;
use super::rule::{Rule, Unit};
use super::term::{Body, Call, Expr, ExprKind, Kind, Operator, Term};
use super::walk::{self, ALL, SAFETY, body_vars};

/// What the text of a template calls for each expression: see `parse::templates`.
const PART: [&str; 2] = ["plimsoll__", "get"];

/// Reports what nothing binds; of rules whose calls were taken apart.
pub(super) fn check(units: &[Unit], names: &Names, report: &mut Report<'_>) {
    for rule in units.iter().flat_map(|unit| &unit.rules).flat_map(Rule::chain) {
        let mut around = Scope::of(reserved());
        rule.args.iter().for_each(|arg| walk::add_term(arg, ALL, &mut around.own));
        let mut found = Vec::new();
        body(&rule.body, &around, names, &mut found);
        for (at, message) in found {
            report.error(rule.module, at, "rego_compile_error", message);
        }
    }
}

fn body(body: &Body, around: &Scope<'_>, names: &Names, found: &mut Vec<(u32, String)>) {
    let mut bound = Scope::inside(around);
    bound.own = body_vars(body, SAFETY);
    for expr in body {
        if let Some(part) = part(expr, names) {
            self::part_of(part, &bound, names, found);
        }
        let mut inside = Scope::inside(&bound);
        if let ExprKind::Every(every) = &expr.kind {
            every.key.iter().chain([&every.value]).for_each(|term| walk::add_term(term, ALL, &mut inside.own));
        }
        walk::closures(expr, &mut |_, closure| self::body(closure, &inside, names, found));
    }
}

/// The expression of a template: what is named, and the statements that give the name.
fn part<'e>(expr: &'e Expr, names: &Names) -> Option<(&'e [Term], &'e Body)> {
    let ExprKind::Call(Call { operator: Operator::Path(path), operands }) = &expr.kind else { return None };
    let [root, name] = path.as_slice() else { return None };
    let is_part = root.as_var().is_some_and(|var| *names.text(var) == *PART[0])
        && matches!(&name.kind, Kind::Scalar(regorus::Value::String(name)) if **name == *PART[1]);
    match operands.first().map(|operand| &operand.kind) {
        Some(Kind::Comprehension(compr)) if is_part => Some((&compr.terms, &compr.body)),
        _ => None,
    }
}

fn part_of((terms, body): (&[Term], &Body), bound: &Scope<'_>, names: &Names, found: &mut Vec<(u32, String)>) {
    let mut known = Scope::inside(bound);
    terms.iter().for_each(|term| walk::add_term(term, ALL, &mut known.own));
    for var in body_vars(body, SAFETY) {
        if !known.contains(var) && !names.is_generated(var) {
            let at = body.first().map_or(0, |expr| expr.at);
            found.push((at, format!("var {} is undeclared", names.text(var))));
        }
    }
    if let Some(expr) = body.iter().find(|expr| is_walk(expr, names)) {
        found.push((expr.at, "illegal call to relation built-in 'walk' that may cause multiple outputs".to_owned()));
    }
}

fn is_walk(expr: &Expr, names: &Names) -> bool {
    let ExprKind::Call(Call { operator: Operator::Path(path), .. }) = &expr.kind else { return false };
    matches!(path.as_slice(), [only] if only.as_var().is_some_and(|var| names.is_as_written(var) && *names.text(var) == *"walk"))
}
