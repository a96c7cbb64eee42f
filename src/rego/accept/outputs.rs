//! Which variables a statement binds, given those bound before it.

use std::collections::BTreeMap;

use super::names::{Var, VarSet};
use super::term::{Call, Expr, ExprKind, Kind, Operator, Term};
use super::walk::{self, ALL, Go, PATTERN, SAFETY, Skip, term_vars};

/// How many operands a function takes; `None` when there is no such function.
pub(super) type Arity<'a> = dyn Fn(&Operator) -> Option<usize> + 'a;

/// What a statement binds.
pub(super) fn of_expr(expr: &Expr, arity: &Arity<'_>, safe: &VarSet) -> VarSet {
    if expr.negated {
        return VarSet::new();
    }
    let mut with = VarSet::new();
    expr.with.iter().for_each(|modifier| walk::add_with(modifier, SAFETY, &mut with));
    if !with.is_subset(safe) {
        return VarSet::new();
    }
    match &expr.kind {
        ExprKind::Term(_) => of_terms(expr, safe),
        ExprKind::Call(call) => match expr.equality() {
            Some((left, right)) => of_equality(expr, left, right, safe),
            None => arity(&call.operator).map(|arity| of_call(expr, call, arity, safe)).unwrap_or_default(),
        },
        ExprKind::Every(every) => {
            let mut outputs = VarSet::new();
            walk::visit(&every.domain, &mut |term| ref_outputs(term, safe, &mut outputs));
            outputs
        }
        ExprKind::Some(_) | ExprKind::SomeIn(_) => VarSet::new(),
    }
}

/// Variables in the steps of references whose heads are bound.
fn of_terms(expr: &Expr, safe: &VarSet) -> VarSet {
    let mut outputs = VarSet::new();
    walk::visit_expr(expr, &mut |term| ref_outputs(term, safe, &mut outputs));
    outputs
}

fn ref_outputs(term: &Term, safe: &VarSet, outputs: &mut VarSet) -> Go {
    match &term.kind {
        Kind::Comprehension(_) => Go::Over,
        Kind::Ref(path) => {
            if !ref_is_safe(path, safe) {
                return Go::Over;
            }
            let skip = Skip { ref_heads: true, ..ALL };
            path.iter().skip(1).for_each(|part| walk::add_term(part, skip, outputs));
            Go::Deeper
        }
        _ => Go::Deeper,
    }
}

fn ref_is_safe(path: &[Term], safe: &VarSet) -> bool {
    path.first().is_none_or(|head| match head.as_var() {
        Some(var) => safe.contains(&var),
        None => term_vars(head, SAFETY).is_subset(safe),
    })
}

/// What an equality binds; also used before a statement exists, for `some … in`.
pub(super) fn of_equality(expr: &Expr, left: &Term, right: &Term, safe: &VarSet) -> VarSet {
    let mut bound = of_terms(expr, safe);
    bound.extend(safe);
    if expr.assigned {
        for var in term_vars(left, ALL) {
            bound.remove(&var);
        }
    }
    let unified = unify(&bound, left, right);
    bound.extend(unified);
    bound.difference(safe).copied().collect()
}

fn of_call(expr: &Expr, call: &Call, arity: usize, safe: &VarSet) -> VarSet {
    let mut outputs = of_terms(expr, safe);
    let Some((inputs, rest)) = call.operands.split_at_checked(arity).filter(|(_, rest)| !rest.is_empty()) else {
        return outputs;
    };
    let skip = Skip { sets: true, ..PATTERN };
    let mut needed = VarSet::new();
    inputs.iter().for_each(|input| walk::add_term(input, skip, &mut needed));
    if needed.iter().any(|var| !outputs.contains(var) && !safe.contains(var)) {
        return VarSet::new();
    }
    rest.iter().for_each(|output| walk::add_term(output, skip, &mut outputs));
    outputs
}

/// The variables that unifying two terms binds.
fn unify(safe: &VarSet, a: &Term, b: &Term) -> VarSet {
    let mut unifier = Unifier { safe, unified: VarSet::new(), unknown: BTreeMap::new() };
    unifier.unify(a, b);
    unifier.unified
}

struct Unifier<'s> {
    safe: &'s VarSet,
    unified: VarSet,
    /// What a variable still waits for.
    unknown: BTreeMap<Var, VarSet>,
}

impl Unifier<'_> {
    fn is_safe(&self, var: Var) -> bool {
        self.safe.contains(&var) || self.unified.contains(&var)
    }

    /// A value that is known once what it reads is.
    fn is_known(&self, term: &Term) -> bool {
        match &term.kind {
            Kind::Ref(path) => ref_is_safe(path, self.safe),
            Kind::Call(_) => term_vars(term, SAFETY).is_subset(self.safe),
            _ => true,
        }
    }

    fn unify(&mut self, a: &Term, b: &Term) {
        match (&a.kind, &b.kind) {
            (Kind::Var(a), _) => self.with_var(*a, b),
            (_, Kind::Var(b)) => self.var_on_right(a, *b),
            (Kind::Ref(_) | Kind::Call(_), Kind::Array(_) | Kind::Object(_)) if self.is_known(a) => self.mark_all(b),
            (Kind::Array(_) | Kind::Object(_), Kind::Ref(_) | Kind::Call(_)) if self.is_known(b) => self.mark_all(a),
            (Kind::Comprehension(_), Kind::Array(_) | Kind::Object(_)) => self.mark_all(b),
            (Kind::Array(_), Kind::Comprehension(_)) => self.mark_all(a),
            (Kind::Array(a), Kind::Array(b)) if a.len() == b.len() => {
                a.iter().zip(b).for_each(|(a, b)| self.unify(a, b));
            }
            (Kind::Object(a), Kind::Object(b)) if a.len() == b.len() => {
                for (key, value) in a {
                    if let Some((_, other)) = b.iter().find(|(other, _)| key.same_constant(other)) {
                        self.unify(value, other);
                    }
                }
            }
            _ => {}
        }
    }

    fn with_var(&mut self, a: Var, b: &Term) {
        match &b.kind {
            Kind::Var(b) if self.is_safe(*b) => self.mark(a),
            Kind::Var(b) if self.is_safe(a) => self.mark(*b),
            Kind::Var(b) => {
                self.unknown.entry(a).or_default().insert(*b);
                self.unknown.entry(*b).or_default().insert(a);
            }
            Kind::Array(_) | Kind::Object(_) => self.with_composite(a, b),
            Kind::Ref(_) | Kind::Call(_) if !self.is_known(b) => {}
            _ => self.mark(a),
        }
    }

    fn var_on_right(&mut self, a: &Term, b: Var) {
        match &a.kind {
            Kind::Array(_) | Kind::Object(_) => self.with_composite(b, a),
            Kind::Ref(_) | Kind::Call(_) if !self.is_known(a) => {}
            _ => self.mark(b),
        }
    }

    fn with_composite(&mut self, var: Var, composite: &Term) {
        if self.is_safe(var) {
            self.mark_all(composite);
            return;
        }
        let waits: VarSet = term_vars(composite, PATTERN).into_iter().filter(|var| !self.is_safe(*var)).collect();
        if waits.is_empty() {
            self.mark(var);
        } else {
            self.unknown.entry(var).or_default().extend(waits);
        }
    }

    fn mark_all(&mut self, term: &Term) {
        term_vars(term, PATTERN).into_iter().for_each(|var| self.mark(var));
    }

    fn mark(&mut self, var: Var) {
        let mut marked = vec![var];
        while let Some(var) = marked.pop() {
            self.unified.insert(var);
            marked.extend(self.unknown.remove(&var).unwrap_or_default());
            for (waiting, waits) in &mut self.unknown {
                if waits.remove(&var) && waits.is_empty() {
                    marked.push(*waiting);
                }
            }
            self.unknown.retain(|_, waits| !waits.is_empty());
        }
    }
}
