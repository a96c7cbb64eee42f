//! `with`: what it replaces must be a document or a function, and a function only by one of the same arity or by a value.

use super::builtins;
use super::functions;
use super::names::{DATA, INPUT, Names};
use super::report::Report;
use super::rule::{Rule, Unit};
use super::term::{Body, Kind, Operator, Term};
use super::tree::{Tree, display};
use super::walk;

const TYPE: &str = "rego_type_error";
const COMPILE: &str = "rego_compile_error";
const UNSAFE: &str = "rego_unsafe_var_error";

/// Reports replacements that cannot be made.
pub(super) fn check(units: &[Unit], tree: &Tree<'_>, names: &Names, report: &mut Report<'_>) {
    for rule in units.iter().flat_map(|unit| &unit.rules).flat_map(Rule::chain) {
        let mut checker = Checker { tree, names, errors: Vec::new() };
        checker.body(&rule.body);
        for (at, code, message) in checker.errors {
            report.error(rule.module, at, code, message);
        }
    }
}

struct Checker<'c, 'r> {
    tree: &'c Tree<'r>,
    names: &'c Names,
    errors: Vec<(u32, &'static str, String)>,
}

impl Checker<'_, '_> {
    fn body(&mut self, body: &Body) {
        for expr in body {
            for (target, value) in &expr.with {
                self.replacement(expr.at, target, value);
            }
            walk::closures(expr, &mut |_, body| self.body(body));
        }
    }

    fn replacement(&mut self, at: u32, target: &Term, value: &Term) {
        let path = match &target.kind {
            Kind::Ref(path) => path.clone(),
            _ => vec![target.clone()],
        };
        match path.first().and_then(Term::as_var) {
            Some(INPUT) => self.document(value),
            Some(DATA) if self.inside_rule(&path) => {
                let message = "with keyword cannot partially replace virtual document(s)";
                self.errors.push((target.at, COMPILE, message.into()));
            }
            Some(DATA) if self.arity(&path).unwrap_or_default() == 0 => self.document(value),
            Some(DATA) => self.function(at, &path, value),
            _ if builtins::builtin(&display(&path, self.names)).is_some() => self.function(at, &path, value),
            _ => {
                let message = "with keyword target must reference existing input, data, or a function";
                self.errors.push((target.at, TYPE, message.into()));
            }
        }
    }

    fn inside_rule(&self, path: &[Term]) -> bool {
        (2..path.len()).any(|len| self.tree.find(path.get(..len).unwrap_or_default()).is_some_and(|node| !node.rules.is_empty()))
    }

    fn function(&mut self, at: u32, target: &[Term], value: &Term) {
        let replaced = self.arity(target).filter(|arity| *arity > 0);
        let by = match &value.kind {
            Kind::Ref(path) => self.arity(path).filter(|arity| *arity > 0),
            _ => None,
        };
        match (replaced, by) {
            (Some(replaced), Some(by)) if replaced != by => {
                self.errors.push((at, TYPE, format!("{}: arity mismatch", display(target, self.names))));
            }
            _ => self.builtin(value),
        }
    }

    /// The interpreter finds functions of policies by the names of replacements, and no others. OPA takes both.
    fn builtin(&mut self, value: &Term) {
        if let Some(name) = self.builtin_name(value) {
            let message = "is not available as a replacement in `with`: name a function of a policy that calls it";
            self.errors.push((value.at, TYPE, format!("built-in function {name} {message}")));
        }
    }

    /// In the place of a document the name of a function is that of a variable, as in OPA.
    fn document(&mut self, value: &Term) {
        if let Some(name) = self.builtin_name(value) {
            let var = name.split('.').next().unwrap_or_default();
            self.errors.push((value.at, UNSAFE, format!("var {var} is unsafe")));
        }
    }

    fn builtin_name(&self, value: &Term) -> Option<String> {
        let Kind::Ref(path) = &value.kind else { return None };
        functions::builtin_name(&Operator::Path(path.clone()), self.names).filter(|name| builtins::builtin(name).is_some())
    }

    fn arity(&self, path: &[Term]) -> Option<usize> {
        functions::arity(&Operator::Path(path.to_vec()), self.tree, self.names)
    }
}
