//! The package and the rule names of a module.

use std::collections::BTreeSet;

use plimsoll_rego::syntax::tree::{Kind, Rule, Term};

use super::{Module, RegoVersion, parse};

/// What a module defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Below `data`.
    pub package: Vec<String>,
    /// First names of its rules.
    pub rules: BTreeSet<String>,
}

/// The outline of a module; nothing of what cannot be parsed.
pub fn outline(module: &Module, version: RegoVersion) -> Option<Outline> {
    let parsed = parse::parse(module, version).ok()?;
    let package = parsed.package.path.iter().skip(1).filter_map(text).collect();
    Some(Outline { package, rules: parsed.rules.iter().filter_map(name).collect() })
}

fn name(rule: &Rule) -> Option<String> {
    rule.head.reference.first().and_then(text)
}

fn text(term: &Term) -> Option<String> {
    match &term.kind {
        Kind::String(text) => Some(text.to_string()),
        Kind::Var(name) => Some(name.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_named_once() {
        let text = "package a.b\n\np := 1\n\nf(x) := x\n\nq.r contains 1\n\nf(x, y) := y\n\ndefault p := 2\n";
        let module = Module { key: "k".into(), text: text.into() };
        let found = outline(&module, RegoVersion::Auto).unwrap();
        assert_eq!(found.package, ["a", "b"]);
        assert_eq!(found.rules.into_iter().collect::<Vec<_>>(), ["f", "p", "q"]);
        assert_eq!(outline(&Module { key: "k".into(), text: "no".into() }, RegoVersion::Auto), None);
    }
}
