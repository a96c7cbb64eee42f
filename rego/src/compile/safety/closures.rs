//! Bodies with their closures, from the outside in (`v1/ast/compile.go`, `bodySafetyTransformer`).

use foldhash::HashSet;

use super::super::Arity;
use super::super::vars::{Globals, Params, SAFETY, VarSet};
use super::implicit::promote;
use super::reorder::{Ordered, Ordering, order};
use super::shape::{self, Closure, Occurrences, Shape};
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Expr, ExprKind, Term, Var};
use crate::syntax::visit::Rewrite;

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
        current: Current::default(),
        closures: Vec::new().into_iter(),
    };
    safety.ordered(body, shape, &[]);
    safety.found
}

/// An expression whose closures are looked at.
#[derive(Default)]
struct Current {
    span: Span,
    /// The variables that it assigns: moved to its entry when its first unsafe variable is found.
    assigned: VarSet,
    /// The index of its entry in [`Safety::found`], if it has one.
    found: Option<usize>,
}

struct Safety<'a> {
    arity: Arity<'a>,
    occurrences: &'a Occurrences,
    globals: Globals,
    found: Vec<UnsafeExpr>,
    current: Current,
    /// Those of the expression that are still to come.
    closures: std::vec::IntoIter<Closure>,
}

impl Safety<'_> {
    /// One body; the terms in front of it may only use what it mentions, and what is bound outside.
    fn ordered(&mut self, body: &mut Body, shape: Shape, heads: &[&Term]) {
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
        let (outer, mark) = (std::mem::take(&mut self.current), self.globals.mark());
        let mut before: Option<usize> = None;
        for index in order {
            self.globals.extend(before.and_then(|before| mentioned.get(before)).into_iter().flat_map(VarSet::iter));
            before = Some(index);
            let Some((mut expr, closures)) = exprs.get_mut(index).and_then(Option::take) else { continue };
            let assigned = if closures.is_empty() { VarSet::default() } else { assigned(&expr) };
            self.current = Current { span: expr.span, assigned, found: None };
            let outside = std::mem::replace(&mut self.closures, closures.into_iter());
            self.expr(&mut expr);
            self.closures = outside;
            body.push(expr);
        }
        self.globals.undo(mark);
        self.current = outer;
    }

    fn heads(&mut self, heads: &[&Term], mentioned: &[VarSet]) {
        let mut vars = VarSet::default();
        vars.add_terms(heads.iter().copied(), Params::ALL);
        for var in vars.iter().filter(|var| !self.globals.contains(var) && !mentioned.iter().any(|vars| vars.contains(var))) {
            let at = *self.current.found.get_or_insert_with(|| {
                let (span, assigned) = (self.current.span, std::mem::take(&mut self.current.assigned));
                self.found.push(UnsafeExpr { span, vars: HashSet::default(), assigned });
                self.found.len().saturating_sub(1)
            });
            if let Some(found) = self.found.get_mut(at) {
                found.vars.insert(var.clone());
            }
        }
    }

    /// The next closure of the expression.
    fn closure(&mut self, body: &mut Body, heads: &[&Term]) {
        if let Some(closure) = self.closures.next() {
            self.ordered(body, closure.shape, heads);
        }
    }
}

impl Rewrite for Safety<'_> {
    fn body(&mut self, body: &mut Body) {
        self.closure(body, &[]);
    }

    fn comprehension(&mut self, heads: &mut [&mut Term], body: &mut Body) {
        let heads: Vec<&Term> = heads.iter().map(|head| &**head).collect();
        self.closure(body, &heads);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Every(every) = &expr.kind {
            let mut vars = VarSet::default();
            vars.add_terms(every.key.iter().chain([&every.value]), Params::ALL);
            self.globals.extend(vars.iter());
        }
        if !self.bodies(expr) {
            self.inside_expr(expr);
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
