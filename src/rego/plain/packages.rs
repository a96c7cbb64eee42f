//! The packages of a set and what they define.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::policy::Diagnostic;

use super::super::parse::ParsedModule;
use super::super::syntax;
use super::nodes::Nodes;
use super::scalars::Scalars;
use super::specifics::Specifics;

/// Packages and rules of a set.
#[derive(Debug, Default)]
pub(in crate::rego) struct Packages {
    pub(super) modules: Vec<Vec<String>>,
    /// Package and first name of each rule, and whether it has a value: functions have none.
    pub(super) rules: BTreeMap<(Vec<String>, String), bool>,
    /// What is below packages.
    pub(super) nodes: Nodes,
    /// Functions by their paths below `data`, and how many arguments they have.
    functions: BTreeMap<Vec<String>, usize>,
    /// Paths of defaults that are none.
    pub(super) hidden: BTreeSet<Vec<String>>,
    /// Heads with constants beside heads with variables.
    pub(super) specifics: Specifics,
    /// The same with constants that are no strings.
    pub(super) scalars: Scalars,
    /// What `with` replaces below `data`.
    pub(super) targets: BTreeSet<Vec<String>>,
}

impl Packages {
    pub(in crate::rego) fn of(parsed: &[ParsedModule]) -> Self {
        let mut packages = Self {
            hidden: super::defaults::hidden(parsed),
            specifics: Specifics::of(parsed),
            nodes: Nodes::of(parsed),
            scalars: Scalars::of(parsed),
            targets: super::targets::of(parsed),
            ..Self::default()
        };
        for module in parsed {
            let package = syntax::package(&module.ast);
            for rule in &module.ast.policy {
                packages.functions.extend(syntax::function(&package, rule).map(|name| (name, syntax::arguments(rule))));
                let name = syntax::path(syntax::head(rule)).and_then(|path| path.names.into_iter().next());
                if let Some(name) = name {
                    *packages.rules.entry((package.clone(), name)).or_default() |= !syntax::is_function(rule);
                }
            }
            packages.modules.push(package);
        }
        packages
    }

    /// The same, where a query's `with` may replace more than those of the set.
    pub(in crate::rego) fn beside(parsed: &[ParsedModule], query: &ParsedModule) -> Self {
        let mut packages = Self::of(parsed);
        packages.targets.extend(super::targets::of(std::slice::from_ref(query)));
        packages
    }

    /// Whether a query replaces something inside what is read, that no `with` of the set replaces.
    pub(in crate::rego) fn miss(&self, query: &ParsedModule, reads: impl FnOnce() -> Vec<Vec<String>>) -> bool {
        let targets = super::targets::of(std::slice::from_ref(query));
        let mut more = targets.difference(&self.targets).peekable();
        if more.peek().is_none() {
            return false;
        }
        let reads = reads();
        more.any(|target| reads.iter().any(|path| target.len() > path.len() && target.starts_with(path)))
    }

    /// Refuses sets whose rules cannot be named for the interpreter.
    pub(in crate::rego) fn refusals(&self, parsed: &[ParsedModule]) -> Result<(), Vec<Diagnostic>> {
        let refusals = self.specifics.refusals(parsed);
        if refusals.is_empty() { Ok(()) } else { Err(refusals) }
    }

    /// One for each module.
    pub(in crate::rego) fn paths(&self) -> impl Iterator<Item = &[String]> {
        self.modules.iter().map(Vec::as_slice)
    }

    /// First names of the rules and functions of a package.
    pub(in crate::rego) fn rules_of(&self, package: &[String]) -> BTreeSet<String> {
        self.rules.keys().filter(|(at, _)| at == package).map(|(_, name)| name.clone()).collect()
    }

    /// How many arguments the function at a path below `data` has.
    pub(in crate::rego) fn arguments(&self, path: &[String]) -> Option<usize> {
        self.functions.get(path).copied()
    }
}
