//! What names mean: rules of the package and imports become full references.

use std::collections::HashMap;

use regorus::Value;

use super::names::{DATA, INPUT, Names, Var, VarSet};
use super::operators;
use super::report::Report;
use super::rule::{Rule, Unit};
use super::term::{Body, Call, Expr, ExprKind, Kind, Operator, Term};
use super::walk::{self, ALL};

/// Names that stand for a path.
type Globals = HashMap<Var, Vec<Term>>;

/// Resolves the rules of all modules; gives the names that each module used.
pub(super) fn resolve(units: &mut [Unit], names: &mut Names, report: &mut Report<'_>) -> Vec<VarSet> {
    let mut all_used = Vec::with_capacity(units.len());
    let globals: Vec<Globals> = (0..units.len()).map(|index| globals(units, index, names)).collect();
    for (unit, globals) in units.iter_mut().zip(globals) {
        let mut used = VarSet::new();
        for rule in &mut unit.rules {
            if let Some(root) = rule.args.iter().find(|arg| matches!(&arg.kind, Kind::Ref(parts) if parts.len() == 1)) {
                let name = root_name(root, names);
                report.error(
                    rule.module,
                    rule.at,
                    "rego_compile_error",
                    format!("args must not shadow {name} (use a different variable name)"),
                );
            }
            rule.for_each_mut(&mut |rule| {
                let mut resolver =
                    Resolver { names, globals: &globals, hidden: Vec::new(), used: &mut used, replaced: Vec::new() };
                resolver.rule(rule);
                for (at, operator, path) in resolver.replaced {
                    report.error(rule.module, at, "rego_compile_error", operators::replaced(operator, &path, names));
                }
            });
        }
        all_used.push(used);
    }
    all_used
}

fn root_name(term: &Term, names: &Names) -> String {
    let var = match &term.kind {
        Kind::Ref(parts) => parts.first().and_then(Term::as_var),
        _ => None,
    };
    var.map(|var| names.text(var).to_string()).unwrap_or_default()
}

fn globals(units: &[Unit], index: usize, names: &mut Names) -> Globals {
    let mut globals = Globals::new();
    let Some(unit) = units.get(index) else { return globals };
    let same_package = units.iter().filter(|other| same_path(&other.package, &unit.package));
    for rule in same_package.flat_map(|other| &other.rules) {
        let path = rule.path.get(..rule.name_len).unwrap_or(&rule.path);
        if let Some(Kind::Scalar(Value::String(name))) = path.last().map(|part| &part.kind) {
            globals.insert(names.written(name), rooted(path));
        }
    }
    for import in &unit.imports {
        if import.is_of_language() {
            continue;
        }
        if let Some(alias) = &import.alias {
            globals.insert(names.written(alias), rooted(&import.path));
        }
    }
    globals
}

/// Constant paths that are equal part by part.
pub(super) fn same_path(a: &[Term], b: &[Term]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_constant(b))
}

/// A path with the root document as a variable.
fn rooted(path: &[Term]) -> Vec<Term> {
    let mut path = path.to_vec();
    if let Some(root) = path.first_mut() {
        let input = matches!(&root.kind, Kind::Scalar(Value::String(name)) if name.as_ref() == "input");
        root.kind = Kind::Var(if input { INPUT } else { DATA });
    }
    path
}

struct Resolver<'g> {
    names: &'g Names,
    globals: &'g Globals,
    /// Names that are variables here, by scope.
    hidden: Vec<VarSet>,
    used: &'g mut VarSet,
    /// Operators that OPA would call something else for: where, which, and what.
    replaced: Vec<(u32, &'static str, Vec<Term>)>,
}

impl Resolver<'_> {
    fn rule(&mut self, rule: &mut Rule) {
        let mut args = VarSet::new();
        rule.args.iter().for_each(|arg| pattern_vars(arg, &mut args));
        self.hidden = vec![args, declared(&rule.body)];
        let name_len = rule.name_len;
        rule.path.iter_mut().skip(name_len).for_each(|part| self.term(part));
        self.term(rule.head.term_mut());
        self.body(&mut rule.body);
    }

    fn path_of(&mut self, var: Var, at: u32) -> Option<Vec<Term>> {
        if self.hidden.iter().any(|scope| scope.contains(&var)) {
            return None;
        }
        let path = self.globals.get(&var)?;
        self.used.insert(var);
        Some(path.iter().map(|part| Term { at, kind: part.kind.clone() }).collect())
    }

    fn body(&mut self, body: &mut Body) {
        body.iter_mut().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Call(call) => self.call(call, expr.at),
            ExprKind::Some(_) => {}
            ExprKind::SomeIn(some) => {
                some.key.iter_mut().chain([&mut some.value, &mut some.collection]).for_each(|term| self.term(term));
            }
            ExprKind::Every(every) => {
                self.hidden.push(every.key.iter().chain([&every.value]).filter_map(Term::as_var).collect());
                self.term(&mut every.domain);
                self.body(&mut every.body);
                self.hidden.pop();
            }
        }
        for (target, value) in &mut expr.with {
            self.term(target);
            self.term(value);
        }
    }

    fn call(&mut self, call: &mut Call, at: u32) {
        match &mut call.operator {
            Operator::Path(path) => self.path(path),
            Operator::Infix(name) => {
                let var = self.names.known(operators::root(name));
                let path = var.and_then(|var| self.path_of(var, at));
                self.replaced.extend(path.map(|path| (at, *name, path)));
            }
        }
        call.operands.iter_mut().for_each(|operand| self.term(operand));
    }

    fn path(&mut self, path: &mut Vec<Term>) {
        let head = path.first().and_then(|head| head.as_var().and_then(|var| self.path_of(var, head.at)));
        path.iter_mut().skip(1).for_each(|part| self.term(part));
        match (head, path.first_mut()) {
            (Some(global), _) => {
                path.splice(..1, global);
            }
            (None, Some(head)) if head.as_var().is_none() => self.term(head),
            _ => {}
        }
    }

    fn term(&mut self, term: &mut Term) {
        match &mut term.kind {
            Kind::Scalar(_) => {}
            Kind::Var(var) => {
                if let Some(path) = self.path_of(*var, term.at) {
                    term.kind = Kind::Ref(path);
                }
            }
            Kind::Ref(path) => self.path(path),
            Kind::Array(items) | Kind::Set(items) => items.iter_mut().for_each(|item| self.term(item)),
            Kind::Object(fields) => fields.iter_mut().for_each(|(key, value)| {
                self.term(key);
                self.term(value);
            }),
            Kind::Call(call) => self.call(call, term.at),
            Kind::Comprehension(compr) => {
                self.hidden.push(declared(&compr.body));
                compr.terms.iter_mut().for_each(|term| self.term(term));
                self.body(&mut compr.body);
                self.hidden.pop();
            }
        }
    }
}

/// Variables of a function's argument.
fn pattern_vars(arg: &Term, vars: &mut VarSet) {
    match &arg.kind {
        Kind::Var(var) => {
            vars.insert(*var);
        }
        Kind::Array(items) | Kind::Ref(items) => items.iter().for_each(|item| pattern_vars(item, vars)),
        Kind::Object(fields) => fields.iter().for_each(|(_, value)| pattern_vars(value, vars)),
        Kind::Scalar(_) | Kind::Set(_) | Kind::Call(_) | Kind::Comprehension(_) => {}
    }
}

/// Variables that statements of a body declare, wherever they stand in it; bodies of `every` count, as in OPA.
pub(super) fn declared(body: &[Expr]) -> VarSet {
    let mut vars = VarSet::new();
    body.iter().for_each(|expr| declared_by(expr, &mut vars));
    vars
}

fn declared_by(expr: &Expr, vars: &mut VarSet) {
    if expr.is_assignment()
        && let ExprKind::Call(call) = &expr.kind
        && let Some(left) = call.operands.first()
    {
        walk::add_term(left, ALL, vars);
    }
    match &expr.kind {
        ExprKind::Some(terms) => vars.extend(terms.iter().filter_map(Term::as_var)),
        ExprKind::SomeIn(some) => {
            some.key.iter().chain([&some.value]).for_each(|term| walk::add_term(term, ALL, vars));
        }
        ExprKind::Every(every) => every.body.iter().for_each(|expr| declared_by(expr, vars)),
        ExprKind::Term(_) | ExprKind::Call(_) => {}
    }
}
