//! Whole packages. The interpreter, asked for a package, marks it as evaluated after its first module, and what it then
//! looks up in the others or in packages below is undefined. So where a whole package is read that has several modules,
//! or packages below it, its rules are named first, one by one: `[[1 | data.a.x], [1 | data.a.y], data.a][2]`.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::policy::Diagnostic;

use super::super::parse::ParsedModule;
use super::super::syntax;
use super::scalars::Scalars;
use super::specifics::Specifics;

/// Packages and rules of a set.
#[derive(Debug, Default)]
pub(in crate::rego) struct Packages {
    modules: Vec<Vec<String>>,
    /// Package and first name of each rule, and whether it has a value: functions have none.
    rules: BTreeMap<(Vec<String>, String), bool>,
    /// Functions by their paths below `data`, and how many arguments they have.
    functions: BTreeMap<Vec<String>, usize>,
    /// Paths of defaults that are none.
    pub(super) hidden: BTreeSet<Vec<String>>,
    /// Heads with constants beside heads with variables.
    pub(super) specifics: Specifics,
    /// The same with constants that are no strings.
    pub(super) scalars: Scalars,
}

impl Packages {
    pub(in crate::rego) fn of(parsed: &[ParsedModule]) -> Self {
        let (hidden, specifics) = (super::defaults::hidden(parsed), Specifics::of(parsed));
        let mut packages = Self { hidden, specifics, scalars: Scalars::of(parsed), ..Self::default() };
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

    /// Refuses sets whose rules cannot be named for the interpreter.
    pub(in crate::rego) fn refusals(&self, parsed: &[ParsedModule]) -> Result<(), Vec<Diagnostic>> {
        let refusals = self.specifics.refusals(parsed);
        if refusals.is_empty() { Ok(()) } else { Err(refusals) }
    }

    /// First names of the rules and functions of a package.
    pub(in crate::rego) fn rules_of(&self, package: &[String]) -> BTreeSet<String> {
        self.rules.keys().filter(|(at, _)| at == package).map(|(_, name)| name.clone()).collect()
    }

    /// How many arguments the function at a path below `data` has.
    pub(in crate::rego) fn arguments(&self, path: &[String]) -> Option<usize> {
        self.functions.get(path).copied()
    }

    /// Whether a path below `data` is a package, or has one below it.
    pub(in crate::rego) fn has_below(&self, path: &[String]) -> bool {
        self.modules.iter().any(|package| package.starts_with(path))
    }

    /// What to write for the whole document at a path that begins with `data`, if not the path itself.
    pub(in crate::rego) fn whole(&self, path: &[String]) -> Option<String> {
        let below_data = path.strip_prefix(&["data".to_owned()])?;
        if below_data.is_empty() || self.modules.iter().filter(|package| package.starts_with(below_data)).count() < 2 {
            return None;
        }
        let rules = self.rules.iter().filter(|((package, _), value)| **value && package.starts_with(below_data));
        let before: Vec<_> = rules.map(|((package, name), _)| format!("[1 | {}]", written(package, Some(name)))).collect();
        // A package without a value is an empty object.
        let empty = self.modules.iter().filter_map(|package| package.strip_prefix(below_data));
        let empty: BTreeMap<_, _> = empty.filter(|below| !below.is_empty()).map(|below| (below, nested(below))).collect();
        let document = written(below_data, None);
        let document = match empty.is_empty() {
            true => document,
            false => format!("plimsoll__.get({{0: whole_ | whole_ := {document}}}, 0, {{}})"),
        };
        let document = empty.values().fold(document, |document, empty| format!("plimsoll__.union({empty}, {document})"));
        let all = before.iter().cloned().chain([document]).collect::<Vec<_>>();
        Some(format!("[{}][{}]", all.join(", "), before.len()))
    }

    /// What to write for all of `data`, inside a rule: without these members.
    pub(in crate::rego) fn all(&self, hidden: &[&str]) -> String {
        let rules = self.rules.iter().filter(|(_, value)| **value);
        let before: Vec<_> = rules.map(|((package, name), _)| format!("[1 | {}]", written(package, Some(name)))).collect();
        let mut packages = serde_json::Map::new();
        for package in &self.modules {
            let mut at = Some(&mut packages);
            for name in package {
                let empty = || serde_json::Value::Object(serde_json::Map::new());
                at = at.and_then(|members| members.entry(name.clone()).or_insert_with(empty).as_object_mut());
            }
        }
        let packages = serde_json::Value::Object(packages);
        let (count, hidden) = (before.len(), serde_json::Value::from(hidden));
        let all = before.into_iter().chain(["data".to_owned()]).collect::<Vec<_>>().join(", ");
        format!("object.remove(object.union({packages}, [{all}][{count}]), {hidden})")
    }
}

/// Objects inside one another.
fn nested(names: &[String]) -> String {
    names.iter().rev().fold("{}".to_owned(), |inner, name| format!("{{{}: {inner}}}", serde_json::Value::from(name.as_str())))
}

fn written(package: &[String], name: Option<&String>) -> String {
    let path: Vec<_> = std::iter::once("data".to_owned()).chain(package.iter().cloned()).chain(name.cloned()).collect();
    syntax::write(&path)
}
