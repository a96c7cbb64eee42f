//! Whether a policy set means what OPA would take it to mean: everything the interpreter would find only at evaluation, or never.
//!
//! The steps are those of OPA's compiler, so that exactly what OPA accepts is accepted: rules in a form of their own ([`term`]),
//! names resolved ([`resolve`]), declarations made unique ([`locals`]), nested calls taken apart ([`expand`]); then functions,
//! safety, conflicts and recursion are checked. What OPA has and the interpreter lacks is refused by name ([`builtins`]).

use std::collections::BTreeSet;

use plimsoll_contract::policy::Diagnostic;

use super::limits::compiling::{self, Overdue};
use super::parse::{ParsedModule, Version};

mod annotations;
mod builtins;
mod conflicts;
mod equal;
mod expand;
mod findings;
mod functions;
mod graph;
mod imports;
mod kinds;
mod literals;
mod locals;
mod lower;
mod members;
mod names;
mod operators;
mod outputs;
mod patterns;
mod prints;
mod recursion;
mod report;
mod resolve;
mod rule;
mod safety;
mod templates;
mod term;
mod tree;
mod units;
mod walk;
mod withs;

#[cfg(test)]
mod tests;

pub(super) use equal::Terms;
use graph::Graph;
use names::Names;
use report::Report;
use tree::Tree;

/// How many operands a builtin function takes.
pub(super) fn builtin_arity(name: &str) -> Option<usize> {
    builtins::builtin(name).map(|builtin| builtin.arity)
}

/// Which modules must not do what Rego v1 has given up: those of v1, or all.
struct Revision(Vec<bool>);

impl Revision {
    fn of(modules: &[ParsedModule], strict: bool) -> Self {
        Self(modules.iter().map(|module| strict || module.ast.rego_v1 || module.version == Version::V1).collect())
    }

    fn is_v1(&self, module: usize) -> bool {
        self.0.get(module).copied().unwrap_or(false)
    }
}

/// What more than the language asks for is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// What OPA refuses.
    #[default]
    Plain,
    /// Unused imports, variables and arguments too, and in Rego v0 what only v1 refuses (`opa check --strict`).
    Strict,
}

/// The variables that the first rule of a module binds outside of comprehensions and `every`, by name.
pub(super) fn variables(module: &ParsedModule) -> BTreeSet<String> {
    let mut names = Names::new();
    let unit = units::unit(0, module, &mut names);
    let vars = unit.rules.first().map(|rule| walk::body_vars(&rule.body, walk::SAFETY)).unwrap_or_default();
    let vars = vars.difference(&names::reserved()).copied().collect::<Vec<_>>();
    vars.into_iter().filter(|var| !names.is_wildcard(*var)).map(|var| names.text(var).to_string()).collect()
}

/// Whether the first rule of a module has no variable at all, wildcards included.
pub(super) fn is_ground(module: &ParsedModule) -> bool {
    let mut names = Names::new();
    let unit = units::unit(0, module, &mut names);
    unit.rules.first().is_some_and(|rule| walk::body_vars(&rule.body, walk::SAFETY).is_subset(&names::reserved()))
}

/// Checks modules as one set; all errors at once, sorted by place. Empty when the set is accepted.
pub fn check(modules: &[ParsedModule]) -> Vec<Diagnostic> {
    check_as(modules, Strictness::Plain)
}

/// As [`check`], or more strictly.
pub fn check_as(modules: &[ParsedModule], strictness: Strictness) -> Vec<Diagnostic> {
    checked(modules, strictness).unwrap_or_else(|overdue| vec![overdue.diagnostic()])
}

fn checked(modules: &[ParsedModule], strictness: Strictness) -> Result<Vec<Diagnostic>, Overdue> {
    let strict = strictness == Strictness::Strict;
    let mut names = Names::new();
    let mut report = Report::new(modules);
    let mut units: Vec<_> = modules.iter().enumerate().map(|(index, module)| units::unit(index, module, &mut names)).collect();
    let used = resolve::resolve(&mut units, &mut names, &mut report);
    if strict {
        imports::unused(&units, &used, &mut names, &mut report);
    }
    let v1 = Revision::of(modules, strict);
    imports::check(&units, &v1, &names, &mut report);
    locals::declare(&mut units, &mut names, strict, &mut report);
    if !report.is_sound() {
        return Ok(report.finish());
    }
    compiling::check()?;
    {
        let tree = Tree::new(&units);
        prints::check(&units, &|operator| functions::arity(operator, &tree, &names), &names, &mut report);
    }
    prints::erase(&mut units, &names);
    findings::check(&units, &names, &mut report);
    expand::expand(&mut units, &mut names);
    let tree = Tree::new(&units);
    compiling::check()?;
    literals::check(modules, &mut report);
    annotations::check(modules, &mut report);
    conflicts::check(&units, &tree, &names, &mut report);
    functions::check(&units, &tree, &names, &v1, &mut report);
    compiling::check()?;
    withs::check(&units, &tree, &names, &mut report);
    members::check(&units, &tree, &mut report);
    compiling::check()?;
    let mut later = Report::new(modules);
    safety::check(&units, &|operator| functions::arity(operator, &tree, &names), &names, &mut later);
    compiling::check()?;
    templates::check(&units, &names, &mut later);
    patterns::check(&units, &names, &mut later);
    recursion::check(&Graph::new(&units, &tree), &names, &mut later);
    // OPA stops before these two; but whoever mends a policy wants to know all of it.
    report.join(later, &units);
    compiling::check()?;
    Ok(report.finish())
}
