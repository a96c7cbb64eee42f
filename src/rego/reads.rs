//! Which parts of `data` a set of modules may read: found on the syntax tree, never too little.
//!
//! Each reference that begins at `data`, or at the alias of an import of `data`, reads what its constant beginning names:
//! `data.kubernetes.clusters[name].spec` reads `kubernetes.clusters`. What rules define is no base data.

use std::collections::{BTreeMap, BTreeSet};

use regorus::unstable::{Expr, Import, Rule};

use super::definitions::Definitions;
use super::parse::ParsedModule;
use super::program::Definition;
use super::{syntax, walk};

/// The paths that a set reads: minimal, sorted, `[[]]` for all of `data`.
pub(super) fn of(modules: &[ParsedModule], definitions: &Definitions) -> Vec<Vec<String>> {
    let mut paths: BTreeSet<_> = modules.iter().flat_map(|module| references(module, Names::Read)).collect();
    paths.retain(|path| definitions.at(path) != Definition::Rule);
    minimal(paths)
}

/// Which references count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// Those whose value is read.
    Read,
    /// Names of called functions and targets of `with`, too.
    All,
}

/// The constant beginnings, below `data`, of a module's references.
pub(super) fn references(module: &ParsedModule, names: Names) -> BTreeSet<Vec<String>> {
    let mut reader = Reader::new(module, names);
    module.ast.policy.iter().for_each(|rule| walk::rule(rule, &mut reader));
    reader.paths
}

/// The same of one rule; with bare names as if each were a rule of the package.
pub(super) fn rule_references(module: &ParsedModule, rule: &Rule, names: Names) -> BTreeSet<Vec<String>> {
    let mut reader = Reader { package: Some(syntax::package(&module.ast)), ..Reader::new(module, names) };
    walk::rule(rule, &mut reader);
    reader.paths
}

/// Drops what lies inside another; in sorted order a path follows what it lies inside.
fn minimal(paths: BTreeSet<Vec<String>>) -> Vec<Vec<String>> {
    let mut kept: Vec<Vec<String>> = Vec::new();
    for path in paths {
        if !kept.last().is_some_and(|above| path.starts_with(above)) {
            kept.push(path);
        }
    }
    kept
}

/// The name that an import of data gives, and the path it stands for.
fn alias(import: &Import) -> Option<(String, Vec<String>)> {
    let (name, path) = syntax::import(import)?;
    Some((name, below_data(&path)?.to_vec()))
}

fn below_data(names: &[String]) -> Option<&[String]> {
    names.split_first().filter(|(root, _)| *root == "data").map(|(_, path)| path)
}

struct Reader {
    aliases: BTreeMap<String, Vec<String>>,
    names: Names,
    /// Where bare names lead, if they count.
    package: Option<Vec<String>>,
    paths: BTreeSet<Vec<String>>,
}

impl walk::Visitor for Reader {
    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::Var { .. } | Expr::RefDot { .. } | Expr::RefBrack { .. } => {
                self.reference(expr);
                walk::indexes(expr, self);
                false
            }
            _ => true,
        }
    }

    fn named(&mut self, name: &Expr) {
        if self.names == Names::All {
            self.reference(name);
        }
    }
}

impl Reader {
    fn new(module: &ParsedModule, names: Names) -> Self {
        let aliases = module.ast.imports.iter().filter_map(alias).collect();
        Self { aliases, names, package: None, paths: BTreeSet::new() }
    }

    fn reference(&mut self, expr: &Expr) {
        let Some(names) = syntax::path(expr).map(|path| path.names) else { return };
        let Some((root, rest)) = names.split_first() else { return };
        if root == "data" {
            self.paths.insert(rest.to_vec());
        } else if let Some(path) = self.aliases.get(root) {
            self.paths.insert(path.iter().chain(rest).cloned().collect());
        }
        if let Some(package) = &self.package {
            self.paths.insert(package.iter().chain(&names).cloned().collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rego::{Module, RegoVersion, parse};

    fn reads(texts: &[&str]) -> Vec<String> {
        let module =
            |(i, text): (usize, &&str)| Module { key: format!("m{i}"), text: format!("package kubernetes.placement\n{text}") };
        let modules: Vec<_> = texts.iter().enumerate().map(module).collect();
        let parsed: Vec<_> = modules.iter().map(|module| parse::parse(module, RegoVersion::V1).unwrap()).collect();
        of(&parsed, &Definitions::of(&parsed)).iter().map(|path| path.join("/")).collect()
    }

    #[test]
    fn constant_beginnings_are_read() {
        let cases: &[(&str, &[&str])] = &[
            ("x := 1", &[]),
            ("x := input.data.y", &[]),
            ("x := data.kubernetes.clusters[input.name].spec", &["kubernetes/clusters"]),
            ("x := data.fleet[input.kind]", &["fleet"]),
            ("x := count(data.fleet)", &["fleet"]),
            ("x if walk(data.a, [_, _])", &["a"]),
            ("import data.kubernetes.clusters\nx contains n if some n, c in clusters", &["kubernetes/clusters"]),
            ("import data.kubernetes.clusters as fleet\nx := fleet.a", &["kubernetes/clusters/a"]),
            (
                "import data.kubernetes\nx := kubernetes.nodes[_]\ny := kubernetes.clusters",
                &["kubernetes/clusters", "kubernetes/nodes"],
            ),
            ("import data.kubernetes\nx := 1", &[]),
            ("import data.a.b\nx := {k: v | some k; v := b[k][data.c[k]]}", &["a/b", "c"]),
            ("x := data.a.b\ny := data.a\nz := data.ab", &["a", "ab"]),
            ("x := y\ny := data.kubernetes.placement.z\nz := 1", &[]),
            ("x := data.kubernetes.placement.base", &["kubernetes/placement/base"]),
            ("x := data.a[\"b.c\"][0].d", &["a/b.c"]),
            ("x := f(data.a.b)\nf(y) := y.z if y.k in data.list", &["a/b", "list"]),
            ("x if every c in data.all { c.y == data.limit }", &["all", "limit"]),
            ("x if y with data.mock as data.real\ny := data.used", &["real", "used"]),
            ("default x := 1\nx := data.deep.er if { not data.no.t }", &["deep/er", "no/t"]),
            ("x[data.key] := data.value\ns contains data.item", &["item", "key", "value"]),
            ("x := 1 if input.a else := data.other if data.cond", &["cond", "other"]),
        ];
        for (text, expected) in cases {
            assert_eq!(reads(&[text]), *expected, "{text}");
        }
    }

    #[test]
    fn aliases_belong_to_their_module() {
        let found = reads(&["import data.one as d\nx := d.a", "import data.two as d\ny := d.b"]);
        assert_eq!(found, ["one/a", "two/b"]);
    }
}
