//! What a name means in a module: an import, or a rule of the package.

use arcstr::ArcStr;
use foldhash::{HashMap, HashSet};

use super::Scopes;
use crate::compile::imports::name_of;
use crate::syntax::span::Span;
use crate::syntax::tree::{Import, Kind, Module, Term, Var};

/// First names of rules by package (`getExports`).
#[derive(Debug, Default)]
pub(in crate::compile) struct Exports(HashMap<Vec<ArcStr>, HashSet<Var>>);

/// What names mean in a module (`getGlobals`).
#[derive(Debug)]
pub(in crate::compile) struct Globals<'a> {
    package: &'a [Term],
    rules: Option<&'a HashSet<Var>>,
    imports: HashMap<Var, Imported<'a>>,
}

#[derive(Debug)]
struct Imported<'a> {
    path: &'a [Term],
    used: bool,
}

impl Exports {
    /// Those of all modules.
    pub(in crate::compile) fn of(modules: &[Module]) -> Self {
        let mut exports = Self::default();
        for module in modules {
            let names = exports.0.entry(names(&module.package.path)).or_default();
            names.extend(module.rules.iter().filter_map(|rule| rule.head.reference.first()?.as_var().cloned()));
        }
        exports
    }

    /// Those of one package, after the stage `RewriteRuleHeadRefs`, which put the package in front.
    pub(in crate::compile) fn of_rewritten(modules: &[Module], package: &[Term]) -> Self {
        let path = names(package);
        let rules = modules.iter().filter(|module| names(&module.package.path) == path).flat_map(|module| &module.rules);
        let rules = rules.filter_map(|rule| rule.head.reference.get(package.len())?.as_str().cloned()).collect();
        Self(HashMap::from_iter([(path, rules)]))
    }

    /// Those of a package.
    pub(in crate::compile) fn names(&self, package: &[Term]) -> Option<&HashSet<Var>> {
        self.0.get(&names(package))
    }
}

fn names(path: &[Term]) -> Vec<ArcStr> {
    path.iter().filter_map(Term::as_str).cloned().collect()
}

impl<'a> Globals<'a> {
    /// An import hides a rule of its name.
    pub(in crate::compile) fn new(package: &'a [Term], rules: Option<&'a HashSet<Var>>, imports: &'a [Import]) -> Self {
        let mut found = HashMap::default();
        for import in imports.iter().filter(|import| !is_switch(import)) {
            if let (Some(name), Some(path)) = (name_of(import), import.path.as_ref_parts()) {
                found.insert(name, Imported { path, used: false });
            }
        }
        Self { package, rules, imports: found }
    }

    /// The path that a name stands for, unless it is shadowed; all of it at one place.
    pub(super) fn path(&mut self, name: &Var, shadowed: &Scopes, at: Span) -> Option<Vec<Term>> {
        let rule = |rules: &&HashSet<Var>| rules.contains(name);
        let import = self.imports.get_mut(name);
        if (import.is_none() && !self.rules.as_ref().is_some_and(rule)) || shadowed.iter().any(|scope| scope.contains(name)) {
            return None;
        }
        let placed = |term: &Term| Term::new(at, term.kind.clone());
        if let Some(import) = import {
            import.used = true;
            return Some(import.path.iter().map(placed).collect());
        }
        let last = Term::new(at, Kind::String(name.clone()));
        Some(self.package.iter().map(placed).chain([last]).collect())
    }

    /// Indexes of imports that nobody used.
    pub(super) fn unused(&self, imports: &[Import]) -> Vec<usize> {
        let unused =
            |import: &Import| name_of(import).is_some_and(|name| self.imports.get(&name).is_some_and(|global| !global.used));
        let counted = imports.iter().enumerate().filter(|(_, import)| !is_switch(import));
        counted.filter(|(_, import)| unused(import)).map(|(index, _)| index).collect()
    }
}

/// `import future.…` and `import rego.…` name nothing.
fn is_switch(import: &Import) -> bool {
    let first = import.path.as_ref_parts().and_then(|parts| parts.first()?.as_var());
    first.is_some_and(|name| *name == "future" || *name == "rego")
}
