//! In which rule a variable is unsafe: said where rules of several names share a line (`v1/ast/compile.go`, `ruleScopes`).

use foldhash::{HashMap, HashSet};

use super::super::terms::ground_prefix;
use super::super::vars::shown;
use crate::syntax::print as text;
use crate::syntax::source::Sources;
use crate::syntax::tree::{Module, Rule, Term};

/// The lines of a module with rules of several names, looked for when somebody asks.
pub(super) struct Scopes<'a> {
    sources: &'a Sources,
    module: &'a Module,
    shared: Option<HashSet<u32>>,
}

impl<'a> Scopes<'a> {
    /// Of a module.
    pub(super) fn of(sources: &'a Sources, module: &'a Module) -> Self {
        Self { sources, module, shared: None }
    }

    /// ` in rule p`, or nothing.
    pub(super) fn scope(&mut self, rule: &Rule) -> String {
        let (sources, module) = (self.sources, self.module);
        let shared = self.shared.get_or_insert_with(|| shared_rows(sources, module));
        if !row(sources, rule).is_some_and(|row| shared.contains(&row)) {
            return String::new();
        }
        format!(" in rule {}", name(module, rule))
    }
}

/// What a rule is called in its package.
fn name(module: &Module, rule: &Rule) -> String {
    let relative = rule.head.reference.get(module.package.path.len()..).unwrap_or_default();
    shown(&text::reference(ground_prefix(relative)).into()).to_owned()
}

fn row(sources: &Sources, rule: &Rule) -> Option<u32> {
    sources.get(rule.span.source).map(|source| source.row(rule.span.start))
}

fn shared_rows(sources: &Sources, module: &Module) -> HashSet<u32> {
    let mut first: HashMap<u32, &[Term]> = HashMap::default();
    let mut shared = HashSet::default();
    for rule in module.rules.iter().flat_map(Rule::chain) {
        let Some(row) = row(sources, rule) else { continue };
        let path = ground_prefix(&rule.head.reference);
        let known = *first.entry(row).or_insert(path);
        if known.len() != path.len() || known.iter().zip(path).any(|(a, b)| crate::syntax::order::compare(a, b).is_ne()) {
            shared.insert(row);
        }
    }
    shared
}
