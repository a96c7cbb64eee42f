//! A package of its own in two modules, about what is deep: `with` inside of `with`, base documents with arrays in them, numbers and
//! sets as keys and members, rules that several modules make together. It draws from chance of its own.

mod base;
mod closures;
mod failing;
mod forms;
mod heads;
mod helpers;
mod members;
mod replaced;
mod stored;
mod targets;

use super::super::chance::Chance;
use super::Module;
use super::grammar::{self, Topic};
use super::syntax::Syntax;

pub(super) use forms::FORMS;

const TOPICS: &[Topic] = &[
    (5, replaced::RULES, replaced::ONLY_V1),
    (3, base::RULES, &[]),
    (4, members::RULES, &[]),
    (2, heads::RULES, heads::ONLY_V1),
    (2, closures::RULES, closures::ONLY_V1),
    (1, failing::RULES, &[]),
    (3, stored::RULES, &[]),
];

/// Rules of each of both modules.
const RULES: usize = 7;

/// Both modules; `keywords` are imports.
pub(super) fn modules(chance: &mut Chance, syntax: Syntax, keywords: &str) -> [Module; 2] {
    let mut module = |name, import, helpers: &[&str], prefix| Module {
        name,
        head: format!("package deep{keywords}\n\nimport {import}\n\n{}", syntax.rules(helpers)),
        rules: (0..RULES).map(|at| grammar::rule(chance, syntax, TOPICS, &format!("{prefix}{at}"))).collect(),
    };
    [module("deep", "data.base", helpers::FIRST, "d"), module("deeper", "data.other as base", helpers::SECOND, "e")]
}
