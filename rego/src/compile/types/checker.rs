//! Checks one rule or query (`v1/ast/check.go`, `typeChecker`).

use std::rc::Rc;

use foldhash::HashMap;

use super::super::Compiler;
use super::super::names::EQUALITY;
use super::super::terms::operands;
use super::TypeEnv;
use super::env::Scopes;
use super::lattice::Type;
use super::tree::Tree;
use crate::error::Error;
use crate::syntax::tree::{Expr, ExprKind, Kind, Term, Var};
use crate::syntax::visit::{Mutable, Node, walk_exprs, walk_mut};

/// What all rules of a set share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// The paths that a `with` makes anything of, by its target, and whether that is a function.
    pub(super) relaxed: HashMap<(bool, String), Option<Rc<Tree>>>,
    /// How many expressions may be checked again: OPA checks closures anew wherever it asks for their types, which takes time
    /// that doubles with each level of them.
    pub(super) again: usize,
}

/// What was found of a closure.
#[derive(Clone, Debug)]
struct Known {
    state: u64,
    /// The state in which what is inside was checked a second time.
    inside: Option<u64>,
    result: Closure,
}

/// The types of the terms in front of a body, or what is wrong in it.
pub(super) type Closure = Result<[Option<Type>; 2], Vec<Error>>;

/// Names of variables, and what they stand for.
pub(super) type QueryNames<'t> = (&'t HashMap<Var, Var>, &'t HashMap<Var, Kind>);

/// Checks one rule or query.
pub(super) struct Checker<'c, 't> {
    pub(super) compiler: &'t Compiler,
    pub(super) env: &'c TypeEnv,
    pub(super) shared: &'c mut Shared,
    pub(super) scopes: Scopes,
    /// The body of the rule, in which generated variables are bound.
    pub(super) body: &'t [Expr],
    /// Names of variables of a query, and what they stand for.
    pub(super) query: Option<QueryNames<'t>>,
    closures: HashMap<*const Expr, Known>,
    repeating: usize,
}

impl<'c, 't> Checker<'c, 't> {
    /// For a body.
    pub(super) fn new(compiler: &'t Compiler, env: &'c TypeEnv, shared: &'c mut Shared, body: &'t [Expr]) -> Self {
        Self { compiler, env, shared, scopes: Scopes::default(), body, query: None, closures: HashMap::default(), repeating: 0 }
    }

    /// Checks a closure, and says of which types the terms in front of it are.
    pub(super) fn closure(&mut self, body: &'t [Expr], heads: [Option<&'t Term>; 2]) -> Closure {
        let known = self.closures.get(&body.as_ptr());
        if let Some(known) = known.filter(|known| known.state == self.scopes.state() || self.shared.again == 0) {
            return known.result.clone();
        }
        let again = usize::from(known.is_some());
        self.repeating = self.repeating.saturating_add(again);
        let state = self.scopes.state();
        self.scopes.push();
        let errors = self.check_body(body);
        let result = if errors.is_empty() { Ok(heads.map(|head| self.type_of(head?))) } else { Err(errors) };
        self.scopes.pop();
        self.repeating = self.repeating.saturating_sub(again);
        self.closures.insert(body.as_ptr(), Known { state, inside: None, result: result.clone() });
        result
    }

    /// Checks what is inside of a closure a second time, as OPA does; not when that was done before, or when there was too much of it.
    pub(super) fn again_inside(&mut self, body: &'t [Expr], check: impl FnOnce(&mut Self)) {
        let state = self.scopes.state();
        let known = self.closures.get_mut(&body.as_ptr());
        let done = known.is_none_or(|known| known.inside.replace(state) == Some(state));
        if done || self.shared.again == 0 {
            return;
        }
        self.repeating = self.repeating.saturating_add(1);
        self.count();
        check(self);
        self.repeating = self.repeating.saturating_sub(1);
    }

    /// Counts an expression.
    pub(super) fn count(&mut self) {
        self.shared.again = self.shared.again.saturating_sub(usize::from(self.repeating > 0));
    }

    /// A reference with the names, calls and collections that were written (`rewriteRefErrVars`).
    pub(super) fn written(&self, parts: &[Term]) -> Vec<Term> {
        let mut parts = parts.to_vec();
        for part in &mut parts {
            walk_mut(Mutable::Term(part), &mut |node| {
                if let Mutable::Term(term) = node
                    && let Kind::Var(name) = &term.kind
                    && let Some(kind) = self.stands_for(name)
                {
                    term.kind = kind;
                }
                false
            });
        }
        parts
    }

    fn stands_for(&self, var: &Var) -> Option<Kind> {
        let own = self.query.and_then(|(_, subjects)| subjects.get(var));
        let subject = own.or_else(|| self.compiler.subjects.get(var)).cloned().or_else(|| self.bound_to(var));
        let own = self.query.and_then(|(rewritten, _)| rewritten.get(var));
        subject.or_else(|| own.or_else(|| self.compiler.rewritten.get(var)).cloned().map(Kind::Var))
    }

    /// The other side of the equality that the compiler made with a variable.
    fn bound_to(&self, var: &Var) -> Option<Kind> {
        let mut found = None;
        walk_exprs(Node::Body(self.body), |expr| {
            if let ([left, right], ExprKind::Call(_), true) = (operands(expr), &expr.kind, expr.generated)
                && super::super::terms::calls(expr, &EQUALITY)
                && left.as_var() == Some(var)
            {
                found.get_or_insert_with(|| right.kind.clone());
            }
            found.is_some()
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Checker, Shared};
    use crate::compile::types::lattice::Type;
    use crate::compile::{Compiler, Options};
    use crate::syntax::parse;
    use crate::syntax::source::{Source, Sources};
    use crate::syntax::tree::Version;

    /// A closure is checked again where something else is known, and what is inside of it once more; both are counted, and come to an end.
    #[test]
    fn closures_are_checked_again_so_often() {
        let mut sources = Sources::default();
        let id = sources.add(Source::new("", "x = 1; y = 2"));
        let body = parse::parse_body(sources.get(id).unwrap(), id, &parse::Options::of(Version::V1)).unwrap();
        let compiler = Compiler::new(Arc::new(sources), Vec::new(), Options::default());
        let mut shared = Shared { again: 10, ..Shared::default() };
        let mut checker = Checker::new(&compiler, &compiler.types, &mut shared, &[]);
        checker.scopes.push();
        checker.closure(&body, [None; 2]).unwrap();
        checker.closure(&body, [None; 2]).unwrap();
        assert_eq!(checker.shared.again, 10, "the first time does not count, nor what is known");
        checker.again_inside(&body, Checker::count);
        checker.again_inside(&body, |_| unreachable!("nothing else is known"));
        checker.count();
        assert_eq!(checker.shared.again, 8, "one for the closure, one for what is inside, none for what comes behind");
        checker.scopes.put(&"z".into(), None);
        checker.closure(&body, [None; 2]).unwrap();
        checker.count();
        assert_eq!(checker.shared.again, 6, "both expressions");
        checker.shared.again = 0;
        // Checked again, `x = 1` would be wrong.
        checker.scopes.put(&"x".into(), Some(Type::String));
        checker.closure(&body, [None; 2]).unwrap();
        checker.again_inside(&body, |_| unreachable!("there was enough of it"));
    }
}
