//! Which lines of policies were evaluated. Lines as written: rewriting never moves one.

use std::collections::{BTreeMap, BTreeSet};

use regorus::unstable::Expr;

use super::Program;
use super::walk::{self, Visitor};

/// Lines by module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(pub BTreeMap<String, BTreeSet<u32>>);

impl Lines {
    /// Takes in other lines.
    pub fn extend(&mut self, other: Self) {
        for (module, lines) in other.0 {
            self.0.entry(module).or_default().extend(lines);
        }
    }

    /// What the interpreter says it has evaluated.
    pub(super) fn covered(report: regorus::coverage::Report) -> Self {
        Self(report.files.into_iter().map(|file| (file.path, file.covered)).collect())
    }
}

impl Program {
    /// Every line with something to evaluate. The head of a rule without a value of its own is not evaluated.
    pub fn lines(&self) -> Lines {
        let mut lines = Lines::default();
        for tree in self.trees() {
            let mut found = Found::default();
            tree.policy.iter().for_each(|rule| walk::rule(rule, &mut found));
            lines.0.insert(tree.package.refr.span().source.get_path().clone(), found.0);
        }
        self.sources.original_lines(lines)
    }
}

#[derive(Default)]
struct Found(BTreeSet<u32>);

impl Visitor for Found {
    fn expr(&mut self, expr: &Expr) -> bool {
        let is_wildcard = |expr: &Expr| matches!(expr, Expr::Var { span, .. } if span.text() == "_");
        // `][_]` may stand where the text as written has only a bracket; what it goes through has a line of its own.
        let goes_through = matches!(expr, Expr::RefBrack { index, .. } if is_wildcard(index));
        if !goes_through && !is_wildcard(expr) {
            self.0.insert(expr.span().line);
        }
        true
    }
}
