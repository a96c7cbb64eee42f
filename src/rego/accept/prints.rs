//! `print`: what it shows must be bound by then, and it yields no value. Afterwards it is gone.

use regorus::Value;

use super::functions::is_print;
use super::names::{Names, VarSet, reserved};
use super::outputs::{self, Arity};
use super::report::Report;
use super::rule::{Rule, Unit};
use super::term::{Body, Call, Expr, ExprKind, Kind, Operator, Term};
use super::walk::{self, ALL, Go, SAFETY, term_vars};
use crate::rego::limits::compiling;

/// Reports prints that cannot be made.
pub(super) fn check(units: &[Unit], arity: &Arity<'_>, names: &Names, report: &mut Report<'_>) {
    for rule in units.iter().flat_map(|unit| &unit.rules).flat_map(Rule::chain) {
        let mut safe = reserved();
        rule.args.iter().for_each(|arg| walk::add_term(arg, ALL, &mut safe));
        let mut prints = Prints { arity, names, errors: Vec::new() };
        prints.body(&rule.body, &safe);
        prints.values(rule);
        for (at, code, message) in prints.errors {
            report.error(rule.module, at, code, message);
        }
    }
}

struct Prints<'p> {
    arity: &'p Arity<'p>,
    names: &'p Names,
    errors: Vec<(u32, &'static str, String)>,
}

impl Prints<'_> {
    fn body(&mut self, body: &Body, safe: &VarSet) {
        let mut bound = safe.clone();
        for expr in body {
            // Nothing is made of what is found when time is up.
            if compiling::check().is_err() {
                return;
            }
            if is_print(expr, self.names) {
                self.print(expr, &bound);
            }
            if let ExprKind::Every(every) = &expr.kind {
                let mut inside = bound.clone();
                every.key.iter().chain([&every.value]).for_each(|term| walk::add_term(term, ALL, &mut inside));
                walk::closures(expr, &mut |_, body| self.body(body, &inside));
            } else {
                walk::closures(expr, &mut |_, body| self.body(body, &bound));
            }
            bound.extend(outputs::of_expr(expr, self.arity, &bound));
        }
    }

    fn print(&mut self, expr: &Expr, bound: &VarSet) {
        let ExprKind::Call(call) = &expr.kind else { return };
        for operand in &call.operands {
            for var in term_vars(operand, SAFETY).difference(bound) {
                if !self.names.is_generated(*var) {
                    self.errors.push((operand.at, "rego_compile_error", format!("var {} is undeclared", self.names.text(*var))));
                }
            }
        }
    }

    fn values(&mut self, rule: &Rule) {
        let names = self.names;
        let errors = &mut self.errors;
        let mut see = |term: &Term| {
            if let Kind::Call(Call { operator: Operator::Path(path), .. }) = &term.kind
                && let [head] = path.as_slice()
                && head.as_var().is_some_and(|var| names.is_as_written(var) && names.text(var).as_ref() == "print")
            {
                errors.push((term.at, "rego_type_error", "print(...) used as value".into()));
            }
            Go::Deeper
        };
        rule.body.iter().for_each(|expr| walk::visit_expr(expr, &mut see));
        walk::visit(rule.head.term(), &mut see);
    }
}

/// Takes prints out.
pub(super) fn erase(units: &mut [Unit], names: &Names) {
    for rule in units.iter_mut().flat_map(|unit| &mut unit.rules) {
        rule.for_each_mut(&mut |rule| {
            erase_in(&mut rule.body, names);
            walk::change(rule.head.term_mut(), &mut |term| erase_in_term(term, names));
        });
    }
}

fn erase_in(body: &mut Body, names: &Names) {
    for expr in body {
        if is_print(expr, names) {
            expr.kind = ExprKind::Term(Term { at: expr.at, kind: Kind::Scalar(Value::from(true)) });
        }
        if let ExprKind::Every(every) = &mut expr.kind {
            erase_in(&mut every.body, names);
        }
        walk::change_expr(expr, &mut |term| erase_in_term(term, names));
    }
}

fn erase_in_term(term: &mut Term, names: &Names) -> Go {
    if let Kind::Comprehension(compr) = &mut term.kind {
        erase_in(&mut compr.body, names);
    }
    Go::Deeper
}
