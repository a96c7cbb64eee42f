//! Declarations: `:=`, `some` and `every` make new variables; using or declaring one twice is an error.

use std::collections::{BTreeMap, HashMap};

use super::kinds::kind_name;
use super::names::{Names, Var, VarSet};
use super::operators::{self, Calls};
use super::outputs;
use super::report::Report;
use super::resolve;
use super::rule::{Rule, Unit};
use super::term::{Body, Call, Comprehension, Expr, ExprKind, Kind, Operator, SomeIn, Term, UNIFY};
use super::walk::{self, ALL, Go, PATTERN, Skip, term_vars};

/// Declares the variables of all rules.
pub(super) fn declare(units: &mut [Unit], names: &mut Names, strict: bool, report: &mut Report<'_>) {
    for rule in units.iter_mut().flat_map(|unit| &mut unit.rules) {
        let mut arguments = BTreeMap::new();
        rule.for_each_mut(&mut |rule| {
            let mut locals = Locals {
                names,
                scopes: vec![Scope::default()],
                errors: Vec::new(),
                usage: Usage::new(strict),
                calls: Calls::default(),
            };
            locals.rule(rule);
            locals.used_arguments(rule, &mut arguments);
            for (at, message) in locals.errors {
                report.error(rule.module, at, CODE, message);
            }
            for (at, message) in locals.usage.unused {
                report.mistake(rule.module, at, CODE, message);
            }
        });
        for (var, _) in arguments.into_iter().filter(|(_, used)| strict && !used) {
            let hint = "(hint: use _ (wildcard variable) instead)";
            report.mistake(rule.module, rule.at, CODE, format!("unused argument {}. {hint}", names.text(var)));
        }
    }
}

const CODE: &str = "rego_compile_error";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occurrence {
    Argument,
    Seen,
    Assigned,
    Declared,
}

#[derive(Debug, Default)]
struct Scope {
    vars: HashMap<Var, (Var, Occurrence)>,
}

/// Which variables something uses, and which should not be there.
struct Usage {
    strict: bool,
    used: VarSet,
    unused: Vec<(u32, String)>,
}

impl Usage {
    fn new(strict: bool) -> Self {
        Self { strict, used: VarSet::new(), unused: Vec::new() }
    }

    fn see(&mut self, var: Var) {
        self.used.insert(var);
    }
}

struct Locals<'n> {
    names: &'n mut Names,
    scopes: Vec<Scope>,
    errors: Vec<(u32, String)>,
    usage: Usage,
    calls: Calls,
}

impl Locals<'_> {
    fn rule(&mut self, rule: &mut Rule) {
        self.comprehensions_of_head(rule);
        self.arguments(rule);
        let used = walk::head_vars(rule);
        self.body(&mut rule.body, &used);
        for part in rule.path.iter().skip(rule.name_len).chain([rule.head.term()]) {
            operators::of_head(part, &mut |call, at| self.called(call, at));
        }
        let calls = std::mem::take(&mut self.calls);
        self.errors.extend(calls.mixed());
        let Some(scope) = self.scopes.last() else { return };
        let mut rename = |term: &mut Term| {
            if let Kind::Var(var) = &mut term.kind
                && let Some((renamed, _)) = scope.vars.get(var)
            {
                *var = *renamed;
            }
            Go::Deeper
        };
        rule.args.iter_mut().for_each(|arg| walk::change(arg, &mut rename));
        let name_len = rule.name_len;
        rule.path.iter_mut().skip(name_len).for_each(|part| walk::change(part, &mut rename));
        walk::change(rule.head.term_mut(), &mut rename);
    }

    /// Comprehensions in a head have scopes of their own, closed before the body is looked at.
    fn comprehensions_of_head(&mut self, rule: &mut Rule) {
        let name_len = rule.name_len;
        let parts = rule.args.iter_mut().chain(rule.path.iter_mut().skip(name_len)).chain([rule.head.term_mut()]);
        for part in parts {
            walk::change(part, &mut |term| match &mut term.kind {
                Kind::Comprehension(compr) => {
                    self.comprehension(compr);
                    self.scopes = vec![Scope::default()];
                    Go::Over
                }
                _ => Go::Deeper,
            });
        }
    }

    fn arguments(&mut self, rule: &mut Rule) {
        let mut refused = None;
        for arg in &mut rule.args {
            walk::change(arg, &mut |term| match &term.kind {
                Kind::Call(_) => {
                    refused = Some(term.at);
                    Go::Over
                }
                Kind::Var(var) => {
                    let var = *var;
                    match self.declared(var) {
                        None => {
                            let renamed = self.names.declare(var);
                            self.insert(var, renamed, Occurrence::Argument);
                        }
                        Some(again) => self.usage.see(again),
                    }
                    Go::Over
                }
                Kind::Scalar(_) | Kind::Set(_) | Kind::Comprehension(_) => Go::Over,
                _ => Go::Deeper,
            });
        }
        if let Some(at) = refused {
            self.errors.push((at, "rule arguments cannot contain calls".into()));
        }
    }

    /// Which arguments this branch of a rule uses.
    fn used_arguments(&self, rule: &Rule, arguments: &mut BTreeMap<Var, bool>) {
        let value = term_vars(rule.head.term(), ALL);
        for (var, (renamed, occurrence)) in self.scopes.last().iter().flat_map(|scope| &scope.vars) {
            if *occurrence == Occurrence::Argument && !self.names.is_wildcard(*var) {
                *arguments.entry(*var).or_default() |= self.usage.used.contains(renamed) || value.contains(renamed);
            }
        }
    }

    fn declared(&self, var: Var) -> Option<Var> {
        self.scopes.iter().rev().find_map(|scope| scope.vars.get(&var)).map(|(renamed, _)| *renamed)
    }

    fn occurrence(&self, var: Var) -> Option<Occurrence> {
        self.scopes.last().and_then(|scope| scope.vars.get(&var)).map(|(_, occurrence)| *occurrence)
    }

    fn insert(&mut self, var: Var, renamed: Var, occurrence: Occurrence) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.vars.insert(var, (renamed, occurrence));
        }
    }

    /// A new variable, or why there cannot be one.
    fn declare(&mut self, var: Var, occurrence: Occurrence) -> Result<Var, String> {
        let name = self.names.text(var);
        match self.occurrence(var) {
            Some(Occurrence::Seen) => Err(format!("var {name} referenced above")),
            Some(Occurrence::Assigned) => Err(format!("var {name} assigned above")),
            Some(Occurrence::Declared) => Err(format!("var {name} declared above")),
            Some(Occurrence::Argument) => Err(format!("arg {name} redeclared")),
            None => {
                let renamed = if self.names.is_wildcard(var) { var } else { self.names.declare(var) };
                self.insert(var, renamed, occurrence);
                Ok(renamed)
            }
        }
    }

    fn body(&mut self, body: &mut Body, used: &VarSet) {
        let errors = self.errors.len();
        let declared_in: Vec<(u32, VarSet)> =
            body.iter().map(|expr| (expr.at, resolve::declared(std::slice::from_ref(expr)))).collect();
        for expr in body.iter_mut() {
            self.statement(expr);
        }
        body.retain(|expr| !matches!(expr.kind, ExprKind::Some(_)));
        if self.errors.len() == errors {
            self.unassigned(body, used);
            self.unused(body, used, &declared_in);
        }
    }

    /// In strict mode a `x := …` that nothing uses is a mistake too; only the innermost are told of.
    fn unassigned(&mut self, body: &Body, used: &VarSet) {
        if !self.usage.strict || !self.usage.unused.is_empty() {
            return;
        }
        let head: VarSet = used.iter().map(|var| self.declared(*var).unwrap_or(*var)).collect();
        let Some(scope) = self.scopes.last() else { return };
        let assigned = scope.vars.iter().filter(|(_, (_, occurrence))| *occurrence == Occurrence::Assigned);
        for (var, (renamed, _)) in assigned {
            if self.names.is_wildcard(*var) || head.contains(renamed) || self.usage.used.contains(renamed) {
                continue;
            }
            let of = body.iter().find(|expr| walk::expr_vars(expr, ALL).contains(renamed)).or(body.first());
            let message = format!("assigned var {} unused", self.names.text(*var));
            self.usage.unused.extend(of.map(|expr| (expr.at, message)));
        }
    }

    /// A `some x` that nothing uses is a mistake.
    fn unused(&mut self, body: &Body, used: &VarSet, declared_in: &[(u32, VarSet)]) {
        let mut seen = walk::body_vars(body, ALL);
        seen.extend(used.iter().map(|var| self.declared(*var).unwrap_or(*var)));
        let Some(scope) = self.scopes.last() else { return };
        let mut unused: Vec<(u32, String)> = Vec::new();
        for (var, (renamed, occurrence)) in &scope.vars {
            if *occurrence == Occurrence::Declared
                && !seen.contains(renamed)
                && !self.names.is_wildcard(*var)
                && !self.names.is_generated(*var)
            {
                let at = declared_in.iter().find(|(_, vars)| vars.contains(var)).or(declared_in.first());
                if let Some((at, _)) = at {
                    unused.push((*at, format!("declared var {} unused", self.names.text(*var))));
                }
            }
        }
        self.errors.extend(unused);
    }

    fn statement(&mut self, expr: &mut Expr) {
        let assignment = expr.is_assignment();
        match &mut expr.kind {
            ExprKind::Some(vars) => {
                let declared: Vec<_> = vars.iter().filter_map(Term::as_var).collect();
                for var in declared {
                    if let Err(message) = self.declare(var, Occurrence::Declared) {
                        self.errors.push((expr.at, message));
                        return;
                    }
                }
            }
            ExprKind::SomeIn(_) => self.some_in(expr),
            ExprKind::Every(_) => self.every(expr),
            ExprKind::Call(_) if assignment => self.assignment(expr),
            ExprKind::Call(call) => {
                self.called(call, expr.at);
                self.plain(expr);
            }
            ExprKind::Term(_) => self.plain(expr),
        }
    }

    fn plain(&mut self, expr: &mut Expr) {
        let with = std::mem::take(&mut expr.with);
        walk::change_expr(expr, &mut |term| self.seen(term));
        expr.with = with;
        self.with(expr);
    }

    fn with(&mut self, expr: &mut Expr) {
        for (target, value) in &mut expr.with {
            // The target is a path into a document, even where its first name is also a variable.
            if let Kind::Ref(parts) = &mut target.kind {
                parts.iter_mut().skip(1).for_each(|part| self.term(part));
            }
            self.term(value);
        }
    }

    fn term(&mut self, term: &mut Term) {
        walk::change(term, &mut |term| self.seen(term));
    }

    /// One term on the way through a statement.
    fn seen(&mut self, term: &mut Term) -> Go {
        match &mut term.kind {
            Kind::Var(var) => {
                match self.declared(*var) {
                    Some(renamed) => {
                        *var = renamed;
                        self.usage.see(renamed);
                    }
                    None => self.insert(*var, *var, Occurrence::Seen),
                }
                if self.declared(*var).is_none_or(|renamed| renamed == *var) {
                    self.calls.variable(*var, 1);
                }
                Go::Over
            }
            Kind::Ref(parts) if parts.len() == 1 => {
                if let Some(var) = parts.first().and_then(Term::as_var)
                    && let Some(renamed) = self.shadowed(var)
                {
                    term.kind = Kind::Var(renamed);
                    self.usage.see(renamed);
                }
                Go::Over
            }
            Kind::Call(call) => {
                self.called(call, term.at);
                Go::Deeper
            }
            Kind::Comprehension(compr) => {
                self.comprehension(compr);
                Go::Over
            }
            _ => Go::Deeper,
        }
    }

    /// `input` or `data` declared as a variable.
    fn shadowed(&self, var: Var) -> Option<Var> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.vars.get(&var));
        found.filter(|(renamed, occurrence)| *occurrence != Occurrence::Seen && *renamed != var).map(|(renamed, _)| *renamed)
    }

    /// What is called must be no variable, and cannot be declared as one afterwards.
    fn called(&mut self, call: &Call, at: u32) {
        let Some((var, message)) = self.calls.call(call, at, self.names) else { return };
        match self.declared(var) {
            Some(renamed) if renamed != var => self.errors.push((at, message)),
            Some(_) => {}
            None => self.insert(var, var, Occurrence::Seen),
        }
    }

    fn comprehension(&mut self, compr: &mut Comprehension) {
        let mut used = VarSet::new();
        compr.terms.iter().for_each(|term| walk::add_term(term, ALL, &mut used));
        self.scopes.push(Scope::default());
        self.body(&mut compr.body, &used);
        compr.terms.iter_mut().for_each(|term| self.term(term));
        self.scopes.pop();
    }

    fn every(&mut self, expr: &mut Expr) {
        let at = expr.at;
        if let ExprKind::Every(every) = &mut expr.kind {
            self.term(&mut every.domain);
            self.scopes.push(Scope::default());
            for binding in every.key.iter_mut().chain([&mut every.value]) {
                if let Some(var) = binding.as_var()
                    && !self.names.is_wildcard(var)
                {
                    match self.declare(var, Occurrence::Declared) {
                        Ok(renamed) => binding.kind = Kind::Var(renamed),
                        Err(message) => self.errors.push((at, message)),
                    }
                }
            }
            self.body(&mut every.body, &VarSet::new());
            self.scopes.pop();
        }
        self.with(expr);
    }

    /// `some k, v in c` is `v = c[k]` with new variables.
    fn some_in(&mut self, expr: &mut Expr) {
        let ExprKind::SomeIn(some) = &mut expr.kind else { return };
        let SomeIn { key, value, collection } = some.as_ref().clone();
        let key = key.unwrap_or_else(|| Term::var(self.names.generate(), collection.at));
        let domain = term_vars(&collection, Skip { closures: true, ..ALL });
        let bound: VarSet = [&key, &value].into_iter().flat_map(|term| term_vars(term, PATTERN)).collect();
        let again: Vec<Var> = bound.intersection(&domain).copied().filter(|var| !self.names.is_wildcard(*var)).collect();
        if !again.is_empty() {
            let at = expr.at;
            let messages = again.iter().map(|var| (at, format!("var {} assigned before", self.names.text(*var))));
            let messages: Vec<_> = messages.collect();
            self.errors.extend(messages);
        }
        let inside = term_vars(&collection, ALL);
        self.named_twice(expr.at, bound.intersection(&inside).filter(|var| !domain.contains(var)));
        let at = collection.at;
        let mut path = if let Kind::Ref(path) = collection.kind { path } else { vec![collection] };
        path.push(key);
        let member = Term { at, kind: Kind::Ref(path) };
        expr.kind = ExprKind::Call(Call { operator: Operator::Infix(UNIFY), operands: vec![value, member] });
        let declared = expr.equality().map(|(left, right)| outputs::of_equality(expr, left, right, &inside));
        for var in declared.unwrap_or_default() {
            if !self.names.is_generated(var)
                && let Err(message) = self.declare(var, Occurrence::Declared)
            {
                self.errors.push((expr.at, message));
                return;
            }
        }
        self.plain(expr);
    }

    /// What a closure in the collection names too is not declared: OPA takes it for the variable around, the interpreter declares it.
    fn named_twice<'v>(&mut self, at: u32, vars: impl Iterator<Item = &'v Var>) {
        for var in vars.filter(|var| self.scopes.iter().any(|scope| scope.vars.contains_key(var))) {
            let message =
                format!("var {} is another one inside the collection: give one of them another name", self.names.text(*var));
            self.errors.push((at, message));
        }
    }

    fn assignment(&mut self, expr: &mut Expr) {
        if expr.negated {
            self.errors.push((expr.at, "cannot assign vars inside negated expression".into()));
            return;
        }
        let ExprKind::Call(call) = &mut expr.kind else { return };
        let [left, right] = call.operands.as_mut_slice() else { return };
        self.term(right);
        let mut values: Vec<&mut Term> = expr.with.iter_mut().map(|(_, value)| value).collect();
        values.iter_mut().for_each(|value| self.term(value));
        let errors = self.errors.len();
        self.assignee(left);
        if self.errors.len() == errors {
            call.operator = Operator::Infix(UNIFY);
            expr.assigned = true;
        }
    }

    fn assignee(&mut self, term: &mut Term) {
        let at = term.at;
        let var = match &mut term.kind {
            Kind::Array(items) => return items.iter_mut().for_each(|item| self.assignee(item)),
            Kind::Object(fields) => return fields.iter_mut().for_each(|(_, value)| self.assignee(value)),
            Kind::Var(var) => Some(*var),
            Kind::Ref(parts) if parts.len() == 1 => parts.first().and_then(Term::as_var),
            _ => None,
        };
        match var.map(|var| self.declare(var, Occurrence::Assigned)) {
            Some(Ok(renamed)) => term.kind = Kind::Var(renamed),
            Some(Err(message)) => self.errors.push((at, message)),
            None => self.errors.push((at, format!("cannot assign to {}", kind_name(term)))),
        }
    }
}
