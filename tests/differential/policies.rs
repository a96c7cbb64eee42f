//! Placement and admission policies as people write them, with chance in what they read, compare and leave out: a library and
//! the package that imports it, in Rego v0 or v1.

mod expressions;
mod rules;
mod syntax;

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
    pub(super) fn text(&self) -> String {
        format!("{}\n\n{}\n", self.head, self.rules.join("\n\n"))
    }
}

/// A policy set.
pub(super) fn generate(chance: &mut Chance) -> Policies {
    let v0 = chance.one_in(4);
    let syntax = Syntax { v0 };
    let keywords = if v0 { "\n\nimport future.keywords.every\nimport future.keywords.in" } else { "" };
    let library = Module {
        name: "lib",
        head: format!("package lib.fleet{keywords}\n\n{}", rules::library(syntax)),
        rules: some_rules(chance, syntax, "s", 3),
    };
    let alias = chance.pick(&["import data.lib.fleet", "import data.lib.fleet as other"]);
    let name = if alias.ends_with("other") { "other" } else { "fleet" };
    let place = Module {
        name: "place",
        head: format!("package place{keywords}\n\n{alias}\nimport data.limits\n\n{}", rules::helpers(syntax)),
        rules: some_rules(chance, syntax, "r", 7).into_iter().map(|rule| rule.replace("FLEET", name)).collect(),
    };
    let library =
        Module { rules: library.rules.into_iter().map(|rule| rule.replace("FLEET", "data.lib.fleet")).collect(), ..library };
    Policies { v0, modules: vec![library, place] }
}

fn some_rules(chance: &mut Chance, syntax: Syntax, prefix: &str, most: usize) -> Vec<String> {
    let count = chance.below(most) + most / 2;
    let rule = |at| rules::rule(chance, syntax, &format!("{prefix}{at}"));
    // A library must not read itself through its own name.
    let rules = (0..count).map(rule).collect::<Vec<_>>();
    if prefix == "s" { rules.into_iter().filter(|rule| !rule.contains("FLEET")).collect() } else { rules }
}
