//! Bodies with their closures, from the outside in (`v1/ast/compile.go`, `bodySafetyTransformer`).

use std::collections::HashSet;

use super::super::Arity;
use super::super::vars::{Globals, Params, SAFETY, VarSet};
use super::implicit::promote;
use super::reorder::{Ordered, Ordering, order};
use super::shape::{self, Closure, Occurrences, Shape};
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Term, Var};

/// An expression with variables that nothing binds.
#[derive(Debug)]
pub(super) struct UnsafeExpr {
    pub(super) span: Span,
    pub(super) vars: HashSet<Var>,
    /// What it assigns with `:=`.
    pub(super) assigned: VarSet,
}

/// Puts a body and all closures in it into order, and says which expressions cannot be.
pub(super) fn reorder(arity: Arity<'_>, safe: &VarSet, body: &mut Body) -> Vec<UnsafeExpr> {
    let (shape, occurrences) = shape::of_body(body);
    let mut safety = Safety {
        arity,
        occurrences: &occurrences,
        globals: Globals::of(safe),
        found: Vec::new(),
        current: (Span::default(), None),
    };
    safety.body(body, shape, &[]);
    safety.found
}

struct Safety<'a> {
    arity: Arity<'a>,
    occurrences: &'a Occurrences,
    globals: Globals,
    found: Vec<UnsafeExpr>,
    /// The expression whose closures are looked at, and what was found of it.
    current: (Span, Option<usize>),
}

type Closures = std::vec::IntoIter<Closure>;

impl Safety<'_> {
    /// One body; the terms in front of it may only use what it mentions, and what is bound outside.
    fn body(&mut self, body: &mut Body, shape: Shape, heads: &[&Term]) {
        let arity = self.arity;
        let promoted = move |vars: &mut VarSet, expr: &Expr| promote(arity, vars, expr);
        let params = Params { closures: Some(&promoted), ..SAFETY };
        let ordering = Ordering { arity, params, occurrences: self.occurrences };
        let Ordered { order, stuck, mentioned } = order(&ordering, &self.globals, body, &shape);
        self.heads(heads, &mentioned);
        for (index, vars) in stuck {
            if let Some(expr) = body.get(index) {
                self.found.push(UnsafeExpr { span: expr.span, vars, assigned: assigned(expr) });
            }
        }
        let mut exprs: Vec<_> = std::mem::take(body).into_iter().zip(shape).map(Some).collect();
        let (outer, mark) = (self.current, self.globals.mark());
        let mut before: Option<usize> = None;
        for index in order {
            self.globals.extend(before.and_then(|before| mentioned.get(before)).into_iter().flat_map(VarSet::iter));
            before = Some(index);
            let Some((mut expr, closures)) = exprs.get_mut(index).and_then(Option::take) else { continue };
            self.current = (expr.span, None);
            self.expr(&mut expr, &mut closures.into_iter());
            body.push(expr);
        }
        self.globals.undo(mark);
        self.current = outer;
    }

    fn heads(&mut self, heads: &[&Term], mentioned: &[VarSet]) {
        let mut vars = VarSet::default();
        vars.add_terms(heads.iter().copied(), Params::ALL);
        for var in vars.iter().filter(|var| !self.globals.contains(var) && !mentioned.iter().any(|vars| vars.contains(var))) {
            let (span, entry) = self.current;
            let at = entry.unwrap_or(self.found.len());
            if entry.is_none() {
                self.found.push(UnsafeExpr { span, vars: HashSet::new(), assigned: VarSet::default() });
            }
            self.current.1 = Some(at);
            if let Some(found) = self.found.get_mut(at) {
                found.vars.insert(var.clone());
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr, closures: &mut Closures) {
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term, closures),
            ExprKind::Call(parts) => self.terms(parts, closures),
            ExprKind::Some(some) => self.terms(&mut some.symbols, closures),
            ExprKind::Every(every) => {
                let mut vars = VarSet::default();
                vars.add_terms(every.key.iter().chain([&every.value]), Params::ALL);
                self.globals.extend(vars.iter());
                return self.closure(&mut every.body, &[], closures);
            }
            ExprKind::Not(not) => return self.closure(&mut not.body, &[], closures),
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                self.closure(&mut logical.left, &[], closures);
                return self.closure(&mut logical.right, &[], closures);
            }
        }
        for with in &mut expr.with {
            self.terms([&mut with.target, &mut with.value], closures);
        }
    }

    fn closure(&mut self, body: &mut Body, heads: &[&Term], closures: &mut Closures) {
        if let Some(closure) = closures.next() {
            self.body(body, closure.shape, heads);
        }
    }

    fn terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t mut Term>, closures: &mut Closures) {
        terms.into_iter().for_each(|term| self.term(term, closures));
    }

    fn term(&mut self, term: &mut Term, closures: &mut Closures) {
        match &mut term.kind {
            Kind::Ref(terms) | Kind::Array(terms) | Kind::Set(terms) | Kind::Call(terms) => self.terms(terms, closures),
            Kind::Object(members) => members.iter_mut().for_each(|(key, value)| self.terms([key, value], closures)),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => self.closure(&mut inner.body, &[&inner.term], closures),
            Kind::ObjectCompr(inner) => self.closure(&mut inner.body, &[&inner.key, &inner.value], closures),
            _ => {}
        }
    }
}

/// What an expression assigns with `:=` (`assignmentLHSVars`).
fn assigned(expr: &Expr) -> VarSet {
    let mut vars = VarSet::default();
    if let (true, [left, _]) = (expr.from_assignment, super::super::terms::operands(expr)) {
        vars.add_term(left, Params::ALL);
    }
    vars
}
