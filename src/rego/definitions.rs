//! What a policy set defines, and where: an index of rule heads by path.

use plimsoll_contract::policy::Location;
use regorus::unstable::Rule;
use serde_json::Value as Json;

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
            let package = syntax::package(&module.ast);
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

    /// The shortest rule path that `path` is, or lies inside: `p[x].r` may reach into what `p.b.r` defines.
    pub(super) fn rule_above<'a>(&self, path: &'a [String]) -> Option<&'a [String]> {
        let values = self.rules.iter().filter(|rule| !rule.function && path.starts_with(&rule.path));
        values.map(|rule| rule.path.len()).min().and_then(|length| path.get(..length))
    }

    /// The first rule that base data would hide, were `document` at `path`: one that lies there, or above. What is no object
    /// where rules lie below hides them all.
    pub(super) fn hidden_by(&self, path: &[String], document: &Json) -> Option<&[String]> {
        let hides = |rule: &&Entry| match rule.path.strip_prefix(path) {
            Some(below) => occupies(document, below),
            None => path.starts_with(&rule.path),
        };
        self.rules.iter().find(hides).map(|rule| rule.path.as_slice())
    }

    /// The functions, by their paths below `data`.
    pub(super) fn functions(&self) -> impl Iterator<Item = (&[String], &Location)> {
        self.rules.iter().filter(|rule| rule.function).map(|rule| (rule.path.as_slice(), &rule.location))
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

/// Whether the document has a value at the path, or one above it that leaves no room for more.
fn occupies(document: &Json, path: &[String]) -> bool {
    match (path.split_first(), document.as_object()) {
        (Some((name, rest)), Some(members)) => members.get(name).is_some_and(|inner| occupies(inner, rest)),
        _ => true,
    }
}

fn entry(module: &ParsedModule, package: &[String], rule: &Rule) -> Option<Entry> {
    let head = syntax::head(rule);
    let path = package.iter().cloned().chain(syntax::path(head)?.names).collect();
    Some(Entry { path, function: syntax::is_function(rule), location: module.location(rule.span().start) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::rego::{Definition, Module, Program, RegoVersion};

    const POLICY: &str = r#"package kubernetes.placement

annotations["a/b"] := "v"

annotations[k] := "w" if some k in input.keys

placement.rebalance := true

placement.clusters[n].weight := 1 if some n in input.clusters

errors contains "e" if input.bad

f(x) := x

default ok := false

ok if true

ok if input.x
"#;

    fn program() -> Program {
        let module = |key: &str, text: &str| Module { key: key.into(), text: text.into() };
        let modules = [module("a.rego", POLICY), module("v0.rego", "package kubernetes.placement\n\nv0[x] { x := 1 }\n")];
        Program::compile(&modules, RegoVersion::Auto).unwrap()
    }

    fn path(text: &str) -> Vec<String> {
        text.split_terminator('|').map(str::to_owned).collect()
    }

    #[test]
    fn paths_are_rules_packages_or_nothing() {
        let cases = [
            ("", Definition::Package),
            ("kubernetes", Definition::Package),
            ("kubernetes|placement", Definition::Package),
            ("kubernetes|placement|annotations", Definition::Rule),
            ("kubernetes|placement|annotations|a/b", Definition::Rule),
            ("kubernetes|placement|placement", Definition::Package),
            ("kubernetes|placement|placement|rebalance|x", Definition::Rule),
            ("kubernetes|placement|placement|clusters|n|weight", Definition::Rule),
            ("kubernetes|placement|v0", Definition::Rule),
            ("kubernetes|placement|f", Definition::Nothing),
            ("kubernetes|clusters", Definition::Nothing),
            ("kubernetes|place", Definition::Nothing),
        ];
        let program = program();
        for (at, expected) in cases {
            assert_eq!(program.defines(&path(at)), expected, "{at}");
        }
        assert_eq!(
            program.versions().into_iter().collect::<Vec<_>>(),
            [("a.rego".to_owned(), "v1".to_owned()), ("v0.rego".to_owned(), "v0".to_owned())]
        );
    }

    #[test]
    fn rules_are_listed_with_key_and_place() {
        let rules = program().rules_of(&path("kubernetes|placement"));
        let found: Vec<_> = rules.iter().map(|r| format!("{} {:?} {}", r.name, r.key.as_deref(), r.location)).collect();
        assert_eq!(
            found,
            [
                "annotations Some(\"a/b\") a.rego:3:1",
                "annotations None a.rego:5:1",
                "placement Some(\"rebalance\") a.rego:7:1",
                "placement Some(\"clusters\") a.rego:9:1",
                "errors None a.rego:11:1",
                "ok None a.rego:15:1",
                "ok None a.rego:17:1",
                "ok None a.rego:19:1",
                "v0 None v0.rego:3:1",
            ]
        );
        assert!(program().rules_of(&path("kubernetes|other")).is_empty());
    }

    #[test]
    fn data_that_hides_rules_is_found() {
        let cases = [
            ("kubernetes|clusters", json!({}), None),
            ("kubernetes|placement|base", json!(1), None),
            ("kubernetes|placement", json!({"base": 1}), None),
            ("kubernetes", json!({"placement": {}}), None),
            ("kubernetes|placement|f", json!(1), Some("kubernetes|placement|f")),
            ("kubernetes|placement|errors", json!(1), Some("kubernetes|placement|errors")),
            ("kubernetes|placement|ok|deep", json!(1), Some("kubernetes|placement|ok")),
            ("", json!({"kubernetes": {"placement": {"errors": []}}}), Some("kubernetes|placement|errors")),
            ("kubernetes", json!({"placement": null}), Some("kubernetes|placement|annotations|a/b")),
            ("kubernetes", json!([]), Some("kubernetes|placement|annotations|a/b")),
        ];
        let program = program();
        for (at, document, expected) in cases {
            let found = program.conflict(&path(at), &document).map(|rule| rule.join("|"));
            assert_eq!(found.as_deref(), expected, "{at} {document}");
        }
    }
}
