//! Names of variables that the compiler makes: `__local0__`, `__local1__` … (`v1/ast/compile.go`, `localVarGenerator`).

use foldhash::HashSet;

use super::Compiler;
use super::vars;
use crate::syntax::span::Span;
use crate::syntax::tree::{Comprehension, Expr, ExprKind, Kind, Module, Term, Var, With};

/// The name of equality as an operator.
pub(super) const EQUALITY: Var = arcstr::literal!("eq");
/// The name of `:=` as an operator.
pub(super) const ASSIGN: Var = arcstr::literal!("assign");
/// The name of `==` as an operator.
pub(super) const EQUAL: Var = arcstr::literal!("equal");
const LOCAL: &str = "__local";
const QUERY: &str = "__localq";

/// Makes names that nothing else has.
#[derive(Debug)]
pub struct Names {
    prefix: &'static str,
    next: u64,
    /// Names of this kind that somebody wrote.
    taken: HashSet<Var>,
}

impl Default for Names {
    fn default() -> Self {
        Self { prefix: LOCAL, next: 0, taken: HashSet::default() }
    }
}

impl Names {
    /// Names for a set.
    pub fn for_modules(modules: &[Module]) -> Self {
        Self { taken: modules.iter().flat_map(|module| vars::named(&module.rules, LOCAL)).collect(), ..Self::default() }
    }

    /// Names for a query, from the beginning in each of its stages.
    pub fn for_query(body: &[Expr]) -> Self {
        Self { prefix: QUERY, next: 0, taken: vars::named_in_body(body, QUERY) }
    }

    /// A new one.
    pub fn generate(&mut self) -> Var {
        loop {
            let name = Var::from(format!("{}{}__", self.prefix, self.next));
            self.next = self.next.saturating_add(1);
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }

    /// `__local0__ = term`, and the variable (`equalityFactory`).
    pub fn equality(&mut self, other: Term) -> (Term, Expr) {
        let local = Term::var(other.span, self.generate());
        let mut expr = equality(local.clone(), other);
        expr.generated = true;
        (local, expr)
    }

    /// `{__local0__ | __local0__ = term}`: what is undefined leaves it empty.
    pub fn capture(&mut self, term: Term, with: Vec<With>) -> Term {
        let local = Term::var(term.span, self.generate());
        let bound = Expr { with, ..equality(local.clone(), term) };
        Term::new(local.span, Kind::SetCompr(Box::new(Comprehension { term: local, body: vec![bound] })))
    }
}

/// `left = right`, at the place of the right side.
pub(super) fn equality(left: Term, right: Term) -> Expr {
    equality_at(right.span, left, right)
}

/// `left = right`.
pub(crate) fn equality_at(span: Span, left: Term, right: Term) -> Expr {
    Expr::new(span, ExprKind::Call(vec![operator(EQUALITY, &right), left, right]))
}

/// An operator with a name of one word, at the place of a term.
pub(super) fn operator(name: Var, at: &Term) -> Term {
    Term::new(at.span, Kind::Ref(vec![Term::var(at.span, name)]))
}

/// The stage `InitLocalVarGen`.
pub(super) fn init_local_var_gen(compiler: &mut Compiler) {
    compiler.names = Names::for_modules(&compiler.modules);
}
