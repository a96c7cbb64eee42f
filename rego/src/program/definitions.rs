//! What a set defines, and where: rule heads by path.

use std::collections::BTreeSet;
use std::ops::Bound;

use crate::compile::Compiled;
use crate::syntax::span::Span;
use crate::syntax::tree::{Head, Kind, Term};

/// What a set has at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// No rule at, above or below the path.
    Nothing,
    /// At least one rule below the path.
    Package,
    /// The path is a rule, or lies inside the value of one.
    Rule,
}

/// One definition of a rule or function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    /// Names from below `data` on, up to the first that is not constant.
    pub path: Vec<String>,
    /// It takes operands.
    pub is_function: bool,
    /// All of it.
    pub span: Span,
}

/// The rules of a set.
#[derive(Debug)]
pub(super) struct Definitions {
    /// In the order of the modules.
    all: Vec<Defined>,
    /// Paths of what is no function.
    values: BTreeSet<Vec<String>>,
}

impl Definitions {
    pub(super) fn of(compiled: &Compiled) -> Self {
        let rules = compiled.modules.iter().flat_map(|module| &module.rules);
        let all: Vec<_> = rules.map(|rule| defined(&rule.head, rule.span)).collect();
        let values = all.iter().filter(|rule| !rule.is_function).map(|rule| rule.path.clone()).collect();
        Self { all, values }
    }

    pub(super) fn all(&self) -> &[Defined] {
        &self.all
    }

    /// What is defined at a path below `data`. Functions define nothing.
    pub(super) fn at(&self, path: &[String]) -> Definition {
        if self.rule_above(path).is_some() {
            return Definition::Rule;
        }
        let behind = (Bound::Included(path), Bound::Unbounded);
        let next = self.values.range::<[String], _>(behind).next();
        if next.is_some_and(|rule| rule.starts_with(path)) { Definition::Package } else { Definition::Nothing }
    }

    /// The shortest path of a rule that `path` is, or lies inside.
    fn rule_above<'a>(&self, path: &'a [String]) -> Option<&'a [String]> {
        (0..=path.len()).filter_map(|length| path.get(..length)).find(|above| self.values.contains(*above))
    }
}

fn defined(head: &Head, span: Span) -> Defined {
    let path = names(head.reference.get(1..).unwrap_or_default());
    Defined { path, is_function: head.is_function(), span }
}

/// The constant beginning of a path.
pub(super) fn names(path: &[Term]) -> Vec<String> {
    let name = |term: &Term| match &term.kind {
        Kind::String(text) => Some(text.to_string()),
        _ => None,
    };
    path.iter().map_while(name).collect()
}
