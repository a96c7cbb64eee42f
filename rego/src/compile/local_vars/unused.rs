//! What a body declares and nobody uses (`v1/ast/compile.go`, `checkUnusedAssignedVars`, `checkUnusedDeclaredVars`).

use foldhash::HashSet;

use super::rewriter::Rewriter;
use super::scope::Occurrence;
use crate::compile::vars::{Params, VarSet, is_generated, is_wildcard};
use crate::error::{Code, Error};
use crate::syntax::span::Span;
use crate::syntax::tree::{Term, Var};

impl Rewriter<'_> {
    /// In strict mode: each variable that `:=` assigns is seen once more, there or in a scope inside.
    pub(super) fn check_unused_assigned(&mut self, used: &[&Term], first: Span) {
        if !self.strict || !self.errors.is_empty() || !self.unused.is_empty() {
            return;
        }
        let assigned = self.scopes.current(Occurrence::Assigned);
        let unused = assigned.filter(|(name, entry)| entry.count <= 1 && !is_wildcard(name));
        let unused: Vec<_> = unused.map(|(name, entry)| (name.clone(), entry.local.clone(), entry.span)).collect();
        self.report("assigned", unused, used, first);
    }

    /// Each variable that `some` declares stands somewhere.
    pub(super) fn check_unused_declared(&mut self, used: &[&Term], first: Span) {
        if !self.errors.is_empty() || !self.unused.is_empty() {
            return;
        }
        let declared = self.scopes.current(Occurrence::Declared);
        let unused = declared.filter(|(name, entry)| !entry.mentioned && !is_generated(name));
        let unused: Vec<_> = unused.map(|(name, entry)| (name.clone(), entry.local.clone(), entry.span)).collect();
        self.report("declared", unused, used, first);
    }

    fn report(&mut self, how: &str, unused: Vec<(Var, Var, Option<Span>)>, used: &[&Term], first: Span) {
        if unused.is_empty() {
            return;
        }
        let used = self.locals(used);
        for (name, local, span) in unused {
            if !used.contains(&local) {
                let message = format!("{how} var {name} unused");
                self.unused.push(Error::new(Code::Compile, span.unwrap_or(first), message));
            }
        }
    }

    /// What the variables of terms outside are called here.
    fn locals(&self, terms: &[&Term]) -> HashSet<Var> {
        let mut vars = VarSet::default();
        vars.add_terms(terms.iter().copied(), Params::ALL);
        vars.iter().map(|name| self.scopes.declared(name).unwrap_or(name).clone()).collect()
    }
}
