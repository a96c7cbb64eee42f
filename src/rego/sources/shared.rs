//! Functions that several modules define. The interpreter has one module for each function, and looks what it has prepared
//! for the definitions of the others up in that one: wrong answers, or none, or a panic.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::policy::Diagnostic;
use regorus::unstable::{Expr, Module as Tree, Rule};

use super::super::parse::{ParsedModule, Version};
use super::super::syntax;

/// Modules that a definition may be moved between: what it says in one it says in the others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    pub(super) package: Vec<String>,
    pub(super) version: Version,
    /// Imports that make keywords, in Rego v0.
    pub(super) keywords: BTreeSet<String>,
}

impl Group {
    pub(super) fn of(module: &ParsedModule) -> Self {
        let keywords = if module.version == Version::V1 { BTreeSet::new() } else { keywords(&module.ast) };
        Self { package: syntax::package(&module.ast), version: module.version, keywords }
    }
}

fn keywords(tree: &Tree) -> BTreeSet<String> {
    let paths = tree.imports.iter().filter_map(|import| syntax::path(&import.refr)).map(|path| path.names);
    paths
        .filter(|names| !matches!(names.first().map(String::as_str), Some("data" | "input")))
        .map(|names| names.join("."))
        .collect()
}

/// A definition of a function.
struct Definition<'m> {
    module: &'m ParsedModule,
    at: u32,
    arguments: usize,
    default: bool,
    /// Whether it is a default with a comprehension in its value.
    comprehends: bool,
}

impl<'m> Definition<'m> {
    fn of(module: &'m ParsedModule, rule: &Rule) -> Self {
        let value = if let Rule::Default { value, .. } = rule { Some(value) } else { None };
        Self {
            module,
            at: syntax::head(rule).span().start,
            arguments: syntax::arguments(rule),
            default: value.is_some(),
            comprehends: value.is_some_and(|value| comprehends(value)),
        }
    }
}

/// The functions of a set, by their whole names.
pub(super) struct Functions<'m>(BTreeMap<Vec<String>, Vec<Definition<'m>>>);

impl<'m> Functions<'m> {
    pub(super) fn of(modules: &'m [ParsedModule]) -> Self {
        let mut functions: BTreeMap<Vec<String>, Vec<Definition<'m>>> = BTreeMap::new();
        for module in modules {
            let package = syntax::package(&module.ast);
            for rule in &module.ast.policy {
                if let Some(name) = syntax::function(&package, rule) {
                    functions.entry(name).or_default().push(Definition::of(module, rule));
                }
            }
        }
        Self(functions)
    }

    /// Those that have definitions, besides a default, in several modules.
    pub(super) fn shared(&self) -> BTreeSet<&Vec<String>> {
        self.0.iter().filter(|(_, definitions)| is_shared(definitions)).map(|(name, _)| name).collect()
    }

    /// Those that have a default and nothing else, with how many arguments they take and where they are.
    pub(super) fn only_default(&self) -> impl Iterator<Item = (&Vec<String>, usize, Group)> {
        let only = |definitions: &&Vec<Definition<'m>>| definitions.iter().all(|definition| definition.default);
        let named = self.0.iter().filter(move |(_, definitions)| only(definitions));
        named.filter_map(|(name, definitions)| definitions.first().map(|first| (name, first.arguments, Group::of(first.module))))
    }

    /// Refuses shared functions whose definitions cannot stand in one module, and defaults that cannot stand where calls are.
    pub(super) fn refusals(&self) -> Vec<Diagnostic> {
        let shared = self.0.iter().filter(|(_, definitions)| is_shared(definitions));
        let apart = shared.filter_map(|(name, definitions)| apart(name, definitions));
        let defaults = self.0.values().flatten().filter(|definition| definition.comprehends);
        let message = "a comprehension is not supported as the default value of a function: write its value out";
        let refusal = |default: &Definition<'_>| default.module.diagnostic("rego_compile_error", message, default.at);
        apart.chain(defaults.map(refusal)).collect()
    }
}

/// Whether there is a comprehension in an expression.
fn comprehends(expr: &Expr) -> bool {
    match expr {
        Expr::ArrayCompr { .. } | Expr::SetCompr { .. } | Expr::ObjectCompr { .. } => true,
        Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().any(|item| comprehends(item)),
        Expr::Object { fields, .. } => fields.iter().any(|(_, key, value)| comprehends(key) || comprehends(value)),
        _ => false,
    }
}

fn is_shared(definitions: &[Definition<'_>]) -> bool {
    let keys: BTreeSet<_> =
        definitions.iter().filter(|definition| !definition.default).map(|definition| &definition.module.key).collect();
    keys.len() > 1
}

fn apart(name: &[String], definitions: &[Definition<'_>]) -> Option<Diagnostic> {
    let mut others = definitions.iter().filter(|definition| !definition.default);
    let first = Group::of(others.next()?.module);
    let (other, group) = others.map(|other| (other, Group::of(other.module))).find(|(_, group)| *group != first)?;
    let differ = match () {
        () if group.package != first.package => "packages",
        () if group.version != first.version => "Rego versions",
        () => "imports of keywords",
    };
    let name = syntax::write(&std::iter::once("data".to_owned()).chain(name.iter().cloned()).collect::<Vec<_>>());
    let message = format!("function {name} is defined in several modules of different {differ}: define it in one module");
    Some(other.module.diagnostic("rego_compile_error", message, other.at))
}
