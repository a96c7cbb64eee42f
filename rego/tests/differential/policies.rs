//! Placement and admission policies as people write them, with chance in what they read, compare and leave out: a library and
//! the package that imports it, which has two modules, in Rego v0 or v1; and a package about what is deep.

mod bodies;
mod comprehensions;
mod conflicts;
mod deep;
mod expressions;
mod forms;
mod functions;
mod grammar;
mod negations;
mod numbers;
mod partials;
mod patterns;
mod quantifiers;
mod replacements;
mod rules;
mod shared;
mod syntax;
mod texts;
mod walks;
mod words;

use super::chance::Chance;
use syntax::Syntax;

/// Modules of one policy set. What is needed to read them at all are their first texts; the rest can be left out.
#[derive(Clone)]
pub(super) struct Policies {
    pub(super) v0: bool,
    pub(super) modules: Vec<Module>,
}

/// One module.
#[derive(Clone)]
pub(super) struct Module {
    pub(super) name: &'static str,
    pub(super) head: String,
    /// Each has one or more rules, and can be left out.
    pub(super) rules: Vec<String>,
}

impl Module {
    /// With some of its rules.
    pub(super) fn text(&self, kept: &[usize]) -> String {
        let rules: String = kept.iter().map(|at| format!("\n\n{}", self.rules[*at])).collect();
        format!("{}{rules}\n", self.head)
    }
}

impl Policies {
    /// What the rules that can be left out are called, such as `data.place.r0`; functions are nothing that is asked for.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for module in &self.modules {
            let package = module.head.lines().find_map(|line| line.strip_prefix("package ")).unwrap();
            for line in module.rules.iter().flat_map(|rule| rule.lines()) {
                let name: String = line.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let called = line[name.len()..].starts_with('(');
                let path = format!("data.{package}.{name}");
                if !called && name.contains(|c: char| c.is_ascii_digit()) && !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        paths
    }
}

/// A policy set; the package of what is deep has chance of its own.
pub(super) fn generate(chance: &mut Chance, deep: &mut Chance) -> Policies {
    let v0 = chance.one_in(4);
    let syntax = Syntax { v0 };
    let keywords = if v0 { "\n\nimport future.keywords.every\nimport future.keywords.in" } else { "" };
    let library = Module {
        name: "lib",
        head: format!("package lib.fleet{keywords}\n\n{}", rules::library(syntax)),
        // A library must not read itself through its own name.
        rules: some_rules(chance, syntax, "s", 3).into_iter().filter(|rule| !rule.contains("FLEET")).collect(),
    };
    let place = Module {
        name: "place",
        head: format!(
            "package place{keywords}\n\nimport data.limits\n\n{}\n\n{}",
            rules::helpers(syntax),
            functions::of_first(syntax)
        ),
        rules: some_rules(chance, syntax, "r", 4).into_iter().chain(some_forms(chance, syntax, "f", 7)).collect(),
    };
    let more = Module {
        name: "more",
        head: format!("package place{keywords}\n\nimport data.teams as limits\n\n{}", functions::of_second(syntax)),
        rules: some_forms(chance, syntax, "m", 7),
    };
    let mut modules = vec![library, imported(chance, place), imported(chance, more)];
    modules.extend(deep::modules(deep, syntax, keywords));
    Policies { v0, modules }
}

/// The module with the library under one name or the other.
fn imported(chance: &mut Chance, mut module: Module) -> Module {
    let import = chance.pick(&["import data.lib.fleet", "import data.lib.fleet as other"]);
    let name = if import.ends_with("other") { "other" } else { "fleet" };
    module.head = module.head.replacen("import data.", &format!("{import}\nimport data."), 1);
    module.rules = module.rules.iter().map(|rule| rule.replace("FLEET", name)).collect();
    module
}

fn some_rules(chance: &mut Chance, syntax: Syntax, prefix: &str, most: usize) -> Vec<String> {
    let count = chance.below(most) + most / 2;
    (0..count).map(|at| rules::rule(chance, syntax, &format!("{prefix}{at}"))).collect()
}

fn some_forms(chance: &mut Chance, syntax: Syntax, prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|at| grammar::rule(chance, syntax, grammar::TOPICS, &format!("{prefix}{at}"))).collect()
}
