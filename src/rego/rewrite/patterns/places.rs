//! Patterns in other places than equations: what is gone through, `o[{"a": x}]`, and outputs of calls, `f(x, {"a": y})`.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Module as Tree};

use super::{Patterns, Statement, shape};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

impl Patterns<'_> {
    /// What is gone through by a pattern, `o[{"a": x}]`.
    pub(super) fn index(&mut self, index: &Expr) {
        let range = syntax::range(index, self.text);
        if !shape::has_object(index) || !self.frames.may_go_through(index) || range.start < self.covered {
            return;
        }
        match self.current {
            // Under `not` all variables have values.
            Some(Statement { negated: true, .. }) => {}
            Some(Statement { negated: false, .. }) => {
                let written = shape::renamed(index, self.text, &[]);
                let statement = self.moved(index, &written, "=");
                self.behind(&statement);
            }
            _ => self.refuse(index),
        }
    }

    /// `walk(x, [path, {"a": y}])`.
    pub(super) fn output(&mut self, call: &Expr, negated: bool) -> Option<()> {
        let Expr::Call { fcn, params, .. } = call else { return None };
        let output = params.last().filter(|output| shape::has_object(output))?;
        if self.callees.arguments(fcn)?.checked_add(1)? != params.len() {
            return None;
        }
        if negated {
            self.refuse(output);
            return None;
        }
        let written = shape::renamed(output, self.text, &[]);
        let statement = self.moved(output, &written, "=");
        self.behind(&statement);
        Some(())
    }
}

/// Adds the variables that `walk` gives its results to.
pub(super) fn walked(tree: &Tree, names: &mut BTreeSet<String>) {
    let mut search = Walked(names);
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut search));
}

struct Walked<'n>(&'n mut BTreeSet<String>);

impl Visitor for Walked<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::Call { fcn, params, .. } = expr
            && let [_, output] = params.as_slice()
            && syntax::path(fcn).is_some_and(|path| path.names == ["walk"])
        {
            let mut variables = Vec::new();
            shape::variables(output, &mut variables);
            self.0.extend(variables.into_iter().map(|span| span.text().to_owned()));
        }
        true
    }
}
