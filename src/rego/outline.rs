//! The package and the rule names of a module.

use std::collections::BTreeSet;

use super::{Module, RegoVersion, parse, syntax};

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
    let name = |rule| syntax::path(syntax::head(rule)).and_then(|path| path.names.into_iter().next());
    Some(Outline {
        package: syntax::package(&parsed.ast),
        rules: parsed.ast.policy.iter().filter_map(|rule| name(rule)).collect(),
    })
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
