//! Variables that closures may close over: a set that is taken back to what it was.

use std::collections::HashSet;

use super::super::VarSet;
use crate::syntax::tree::Var;

/// The variables that are bound where a body stands.
#[derive(Debug)]
pub(super) struct Globals {
    vars: HashSet<Var>,
    added: Vec<Var>,
}

impl Globals {
    /// These to begin with.
    pub(super) fn of(vars: &VarSet) -> Self {
        Self { vars: vars.iter().cloned().collect(), added: Vec::new() }
    }

    /// Whether one is bound.
    pub(super) fn contains(&self, var: &Var) -> bool {
        self.vars.contains(var)
    }

    /// Adds some.
    pub(super) fn extend<'a>(&mut self, vars: impl IntoIterator<Item = &'a Var>) {
        for var in vars {
            if self.vars.insert(var.clone()) {
                self.added.push(var.clone());
            }
        }
    }

    /// A point to go back to.
    pub(super) fn mark(&self) -> usize {
        self.added.len()
    }

    /// Takes out what was added since.
    pub(super) fn undo(&mut self, mark: usize) {
        for var in self.added.drain(mark..) {
            self.vars.remove(&var);
        }
    }
}
