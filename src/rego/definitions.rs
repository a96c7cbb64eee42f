//! What a policy set defines, and where: an index of rule heads by path.

use plimsoll_contract::policy::Location;
use regorus::unstable::Rule;

use super::parse::ParsedModule;
use super::program::{Definition, RuleLocation};
use super::syntax;

/// The rules of a set.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    rules: Vec<Entry>,
}

/// One rule, or one definition of it.
#[derive(Debug)]
struct Entry {
    /// Constant beginning of the full path, package included.
    path: Vec<String>,
    function: bool,
    location: Location,
}

impl Definitions {
    /// The index of a set.
    pub(super) fn of(modules: &[ParsedModule]) -> Self {
        let mut definitions = Self::default();
        for module in modules {
            let package = syntax::path(&module.ast.package.refr).map(|p| p.names).unwrap_or_default();
            definitions.rules.extend(module.ast.policy.iter().filter_map(|rule| entry(module, &package, rule)));
        }
        definitions
    }

    /// What is defined at a path below `data`. Functions define nothing.
    pub(super) fn at(&self, path: &[String]) -> Definition {
        let mut values = self.rules.iter().filter(|rule| !rule.function).map(|rule| rule.path.as_slice());
        if values.clone().any(|rule| path.starts_with(rule)) {
            Definition::Rule
        } else if values.any(|rule| rule.starts_with(path)) {
            Definition::Package
        } else {
            Definition::Nothing
        }
    }

    /// The longest rule path that `path` is, or lies inside.
    pub(super) fn rule_above<'a>(&self, path: &'a [String]) -> Option<&'a [String]> {
        let values = self.rules.iter().filter(|rule| !rule.function && path.starts_with(&rule.path));
        values.map(|rule| rule.path.len()).max().and_then(|length| path.get(..length))
    }

    /// The definitions of the rules directly below `path`.
    pub(super) fn below(&self, path: &[String]) -> Vec<RuleLocation> {
        let rules = self.rules.iter().filter(|rule| !rule.function);
        let below = rules.filter_map(|rule| {
            let (name, inside) = rule.path.strip_prefix(path)?.split_first()?;
            Some(RuleLocation { name: name.clone(), key: inside.first().cloned(), location: rule.location.clone() })
        });
        below.collect()
    }
}

fn entry(module: &ParsedModule, package: &[String], rule: &Rule) -> Option<Entry> {
    let head = syntax::head(rule);
    let path = package.iter().cloned().chain(syntax::path(head)?.names).collect();
    Some(Entry { path, function: syntax::is_function(rule), location: module.location(head.span().start) })
}
