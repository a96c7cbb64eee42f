//! Variables that closures may close over: a set that is taken back to what it was.

use foldhash::HashSet;

use super::VarSet;
use crate::syntax::tree::Var;

/// The variables that are bound where a body stands.
#[derive(Debug)]
pub(in crate::compile) struct Globals {
    vars: HashSet<Var>,
    added: Vec<Var>,
}

impl Globals {
    /// These to begin with.
    pub(in crate::compile) fn of(vars: &VarSet) -> Self {
        Self { vars: vars.iter().cloned().collect(), added: Vec::new() }
    }

    /// Whether one is bound.
    pub(in crate::compile) fn contains(&self, var: &Var) -> bool {
        self.vars.contains(var)
    }

    /// Adds some.
    pub(in crate::compile) fn extend<'a>(&mut self, vars: impl IntoIterator<Item = &'a Var>) {
        for var in vars {
            if self.vars.insert(var.clone()) {
                self.added.push(var.clone());
            }
        }
    }

    /// A point to go back to.
    pub(in crate::compile) fn mark(&self) -> usize {
        self.added.len()
    }

    /// Takes out what was added since.
    pub(in crate::compile) fn undo(&mut self, mark: usize) {
        for var in self.added.drain(mark..) {
            self.vars.remove(&var);
        }
    }
}
