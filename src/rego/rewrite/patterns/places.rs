//! Patterns in other places than equations: what is gone through, `o[{"a": x}]`, and outputs of calls, `f(x, {"a": y})`.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Literal, Query};

use super::{Patterns, Statement, shape};
use crate::rego::syntax;

impl Patterns<'_> {
    /// Whether a name has a value without the equation that it stands in.
    pub(super) fn is_known(&self, name: &str) -> bool {
        let hidden = self.frames.is_open(name);
        !hidden && self.known.contains(name) || self.walked.iter().any(|names| names.contains(name))
    }

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
                self.taken_out(index);
            }
            _ => self.refuse(index),
        }
    }

    /// Matches a pattern in statements behind the one that it stands in. Variables that stand twice are compared there.
    fn taken_out(&mut self, pattern: &Expr) {
        let (mut variables, mut seen, mut repeated) = (Vec::new(), BTreeSet::new(), Vec::new());
        shape::variables(pattern, &mut variables);
        for span in variables {
            if !seen.insert(span.text()) {
                repeated.push((span, self.fresh()));
            }
        }
        let written = shape::renamed(pattern, self.text, &repeated);
        let statement = self.moved(pattern, &written, "=");
        self.behind(&statement);
        repeated.iter().for_each(|(span, name)| self.behind(&format!("{} == {name}", span.text())));
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
        self.taken_out(output);
        Some(())
    }
}

/// The variables that `walk` gives its results to in a body, outside comprehensions; nothing if there are none.
pub(super) fn walked(query: &Query) -> Option<BTreeSet<String>> {
    let mut names = Vec::new();
    for stmt in &query.stmts {
        if let Literal::Expr { expr, .. } = &stmt.literal
            && let Expr::Call { fcn, params, .. } = expr.as_ref()
            && let [_, output] = params.as_slice()
            && syntax::path(fcn).is_some_and(|path| path.names == ["walk"])
        {
            shape::variables(output, &mut names);
        }
    }
    (!names.is_empty()).then(|| names.into_iter().map(|span| span.text().to_owned()).collect())
}
