//! All rules by path.

use std::collections::BTreeMap;

use regorus::Value;

use super::names::{DATA, Names};
use super::rule::{Rule, Unit};
use super::term::{Kind, Operator, Term};

/// A place in the document of rules.
#[derive(Debug, Default)]
pub(super) struct Tree<'r> {
    /// Definitions whose constant path ends here.
    pub(super) rules: Vec<&'r Rule>,
    pub(super) children: BTreeMap<Value, Tree<'r>>,
}

impl<'r> Tree<'r> {
    pub(super) fn new(units: &'r [Unit]) -> Self {
        let mut root = Self::default();
        for rule in units.iter().flat_map(|unit| &unit.rules) {
            root.node(rule.ground()).rules.push(rule);
        }
        root
    }

    fn node(&mut self, path: &[Term]) -> &mut Self {
        let mut node = self;
        for part in path.iter().skip(1) {
            if let Kind::Scalar(key) = &part.kind {
                node = node.children.entry(key.clone()).or_default();
            }
        }
        node
    }

    /// The place of a constant path below `data`.
    pub(super) fn find(&self, path: &[Term]) -> Option<&Self> {
        path.iter().skip(1).try_fold(self, |node, part| match &part.kind {
            Kind::Scalar(key) => node.children.get(key),
            _ => None,
        })
    }

    /// The rules a called path names.
    pub(super) fn called(&self, operator: &Operator) -> &[&'r Rule] {
        match operator {
            Operator::Path(path) if path.first().and_then(Term::as_var) == Some(DATA) => {
                self.find(path).map_or(&[], |node| &node.rules)
            }
            _ => &[],
        }
    }

    /// Visits this place and all below it.
    pub(super) fn each(&self, see: &mut dyn FnMut(&Self)) {
        see(self);
        self.children.values().for_each(|child| child.each(see));
    }

    /// The rules a reference may read: those above it, at it and below it, where steps that are not constant match anything.
    pub(super) fn read_by(&self, path: &[Term]) -> Vec<&'r Rule> {
        let mut found = Vec::new();
        self.collect(path, 1, &mut found);
        found
    }

    fn collect(&self, path: &[Term], at: usize, found: &mut Vec<&'r Rule>) {
        match path.get(at).map(|part| &part.kind) {
            None => self.each(&mut |node| found.extend(&node.rules)),
            Some(Kind::Scalar(key)) => {
                if let Some(child) = self.children.get(key) {
                    child.matching(path, at + 1, found);
                }
            }
            Some(_) => self.children.values().for_each(|child| child.matching(path, at + 1, found)),
        }
    }

    fn matching(&self, path: &[Term], at: usize, found: &mut Vec<&'r Rule>) {
        found.extend(self.rules.iter().filter(|rule| may_meet(&rule.path, path, at)));
        self.collect(path, at, found);
    }
}

fn may_meet(rule: &[Term], path: &[Term], from: usize) -> bool {
    rule.iter().zip(path).skip(from).all(|(a, b)| !a.is_constant() || !b.is_constant() || a.same_constant(b))
}

/// A path as OPA writes it.
pub(super) fn display(path: &[Term], names: &Names) -> String {
    let mut text = String::new();
    for (index, part) in path.iter().enumerate() {
        match &part.kind {
            Kind::Scalar(Value::String(name)) if index == 0 => text.push_str(name),
            Kind::Scalar(Value::String(name)) if is_identifier(name) => {
                text.push('.');
                text.push_str(name);
            }
            Kind::Scalar(value) => text.push_str(&format!("[{value}]")),
            Kind::Var(var) if index == 0 => text.push_str(&names.text(*var)),
            Kind::Var(var) => text.push_str(&format!("[{}]", names.text(*var))),
            _ => text.push_str("[_]"),
        }
    }
    text
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
