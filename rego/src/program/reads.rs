//! Which base documents a program reads, as paths of names.

use std::collections::BTreeSet;

use super::{Program, Query};
use crate::depend::{PathSet, Reads, Step};
use crate::ir::{NodeId, Policy};
use crate::value::Value;

impl Program {
    /// The paths below `data` that the rules may read: minimal, none inside another; `[[]]` is all of `data`.
    pub fn reads(&self) -> Vec<Vec<String>> {
        self.reads_of(&[])
    }

    /// The same of the rules at, above and below a path. What lies at the path itself in base documents is not among them.
    pub fn reads_of(&self, path: &[String]) -> Vec<Vec<String>> {
        let policy = self.policy();
        let path: Vec<_> = path.iter().map(|name| Value::from(name.as_str())).collect();
        let rules = policy.groups.iter().filter(|group| group.kind.is_document());
        let paths = rules.filter_map(|group| group.path.get(1..));
        let asked: Vec<_> = paths.filter(|rule| rule.starts_with(&path) || path.starts_with(rule)).collect();
        self.base_paths(&self.dependencies().entries(policy, &asked))
    }

    /// The paths below `data` of which something is read, as far as they are names: minimal, none inside another; `[[]]` is all of it.
    pub fn base_paths(&self, reads: &Reads) -> Vec<Vec<String>> {
        below(&reads.data, self.policy())
    }
}

impl Query {
    /// The paths below `data` that its answers may depend on: minimal, none inside another; `[[]]` is all of `data`.
    pub fn data_paths(&self) -> Vec<Vec<String>> {
        below(&self.reads().data, self.program().policy())
    }
}

/// As far as they are names. What rules define is no base document.
fn below(paths: &PathSet, policy: &Policy) -> Vec<Vec<String>> {
    let names = |path: Vec<Step>| -> Vec<String> { path.iter().map_while(name).map(str::to_owned).collect() };
    let read = paths.paths().into_iter().filter(|(path, _)| !is_rule(path, policy)).map(|(path, _)| names(path));
    minimal(read.collect())
}

/// Whether a path comes to rules, as far as it is names.
fn is_rule(path: &[Step], policy: &Policy) -> bool {
    let mut at = policy.node(NodeId::ROOT);
    for name in path.iter().map_while(name) {
        at = at.and_then(|node| node.children.get(&Value::from(name))).and_then(|id| policy.node(*id));
        match at {
            None => return false,
            Some(node) if node.group.is_some() => return true,
            Some(_) => {}
        }
    }
    false
}

fn name(step: &Step) -> Option<&str> {
    match step {
        Step::Key(Value::String(name)) => Some(name),
        _ => None,
    }
}

/// Drops what lies inside another; in sorted order a path follows what it lies inside.
pub(super) fn minimal(paths: BTreeSet<Vec<String>>) -> Vec<Vec<String>> {
    let mut kept: Vec<Vec<String>> = Vec::new();
    for path in paths {
        if kept.last().is_none_or(|last| !path.starts_with(last)) {
            kept.push(path);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::Text;
    use super::*;

    fn reads(texts: &[&str]) -> Vec<String> {
        let text = |(number, text): (usize, &&str)| Text {
            name: format!("m{number}"),
            text: format!("package kubernetes.placement\n{text}"),
            version: None,
        };
        let texts: Vec<_> = texts.iter().enumerate().map(text).collect();
        let program = Program::compile(&texts, &Default::default()).unwrap();
        program.reads().iter().map(|path| path.join("/")).collect()
    }

    #[test]
    fn constant_beginnings_are_read() {
        let cases: &[(&str, &[&str])] = &[
            ("x := 1", &[]),
            ("x := input.data.y", &[]),
            ("x := data.kubernetes.clusters[input.name].spec", &["kubernetes/clusters"]),
            ("x := [n | some n, c in data.kubernetes.clusters; c.a == 1]", &["kubernetes/clusters"]),
            ("x := data.fleet[input.kind]", &["fleet"]),
            ("x := count(data.fleet)", &["fleet"]),
            ("x if walk(data.a, [_, _])", &["a"]),
            ("import data.kubernetes.clusters\nx contains n if some n, c in clusters", &["kubernetes/clusters"]),
            ("import data.kubernetes.clusters as fleet\nx := fleet.a", &["kubernetes/clusters/a"]),
            ("x := data.kubernetes.nodes[_]\ny := data.kubernetes.clusters", &["kubernetes/clusters", "kubernetes/nodes"]),
            ("import data.kubernetes\nx := 1", &[]),
            ("import data.a.b\nx := {k: v | some k; v := b[k][data.c[k]]}", &["a/b", "c"]),
            ("x := data.a.b\ny := data.a\nz := data.ab", &["a", "ab"]),
            ("x := y\ny := data.kubernetes.placement.z\nz := 1", &[]),
            ("x := data.kubernetes.placement.base", &["kubernetes/placement/base"]),
            ("x := data.a[\"b.c\"][0].d", &["a/b.c"]),
            ("x := f(data.a.b)\nf(y) := y.z if y.k in data.list", &["a/b", "list"]),
            ("x if every c in data.all { c.y == data.limit }", &["all", "limit"]),
            ("default x := 1\nx := data.deep.er if { not data.no.t }", &["deep/er", "no/t"]),
            ("x[data.key] := data.value\ns contains data.item", &["item", "key", "value"]),
            ("x := 1 if input.a else := data.other if data.cond", &["cond", "other"]),
        ];
        for (text, expected) in cases {
            assert_eq!(reads(&[text]), *expected, "{text}");
        }
    }

    #[test]
    fn a_document_reads_what_its_rules_do() {
        let text = "package kubernetes.placement\n\nplacement := [n | some n, c in data.kubernetes.clusters; c.a == 1]\n";
        let text = Text { name: "m".into(), text: text.into(), version: None };
        let program = Program::compile(&[text], &Default::default()).unwrap();
        let reads = |path: &[&str]| program.reads_of(&path.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(reads(&["kubernetes", "placement"]), [["kubernetes", "clusters"]]);
        assert!(reads(&["kubernetes", "nodes"]).is_empty());
    }

    #[test]
    fn aliases_belong_to_their_module() {
        let found = reads(&["import data.one as d\nx := d.a", "import data.two as d\ny := d.b"]);
        assert_eq!(found, ["one/a", "two/b"]);
    }
}
