//! Collects variables, and visits terms.

use super::names::{Var, VarSet};
use super::rule::{Head, Rule};
use super::term::{Body, Call, Expr, ExprKind, Kind, Operator, Term};

/// What a collection of variables leaves out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skip {
    /// The first part of references.
    pub(super) ref_heads: bool,
    /// The first part of a called path, and of `with` targets and values.
    pub(super) call_heads: bool,
    pub(super) object_keys: bool,
    /// Comprehensions, and the bodies of `every`.
    pub(super) closures: bool,
    pub(super) sets: bool,
}

/// What must be bound before a statement runs.
pub(super) const SAFETY: Skip = Skip { ref_heads: false, call_heads: true, object_keys: false, closures: true, sets: false };
/// What unification can bind inside a term.
pub(super) const PATTERN: Skip = Skip { ref_heads: true, call_heads: false, object_keys: true, closures: true, sets: false };
/// Nothing.
pub(super) const ALL: Skip = Skip { ref_heads: false, call_heads: false, object_keys: false, closures: false, sets: false };

/// Variables of a body.
pub(super) fn body_vars(body: &[Expr], skip: Skip) -> VarSet {
    let mut vars = VarSet::new();
    body.iter().for_each(|expr| add_expr(expr, skip, &mut vars));
    vars
}

/// Variables of a statement.
pub(super) fn expr_vars(expr: &Expr, skip: Skip) -> VarSet {
    let mut vars = VarSet::new();
    add_expr(expr, skip, &mut vars);
    vars
}

/// Variables of a term.
pub(super) fn term_vars(term: &Term, skip: Skip) -> VarSet {
    let mut vars = VarSet::new();
    add_term(term, skip, &mut vars);
    vars
}

/// Adds the variables of a statement.
pub(super) fn add_expr(expr: &Expr, skip: Skip, vars: &mut VarSet) {
    match &expr.kind {
        ExprKind::Term(term) => add_term(term, skip, vars),
        ExprKind::Call(call) => add_call(call, skip, vars),
        ExprKind::Some(terms) => terms.iter().for_each(|term| add_term(term, skip, vars)),
        ExprKind::SomeIn(some) => {
            some.key.iter().chain([&some.value, &some.collection]).for_each(|term| add_term(term, skip, vars));
        }
        ExprKind::Every(every) if skip.closures => {
            add_term(&every.domain, skip, vars);
            return;
        }
        ExprKind::Every(every) => {
            every.key.iter().chain([&every.value, &every.domain]).for_each(|term| add_term(term, skip, vars));
            every.body.iter().for_each(|expr| add_expr(expr, skip, vars));
        }
    }
    expr.with.iter().for_each(|with| add_with(with, skip, vars));
}

/// Adds the variables of a `with`.
pub(super) fn add_with((target, value): &(Term, Term), skip: Skip, vars: &mut VarSet) {
    if !skip.call_heads {
        add_term(target, skip, vars);
        add_term(value, skip, vars);
        return;
    }
    if let Kind::Ref(parts) = &target.kind {
        parts.iter().skip(1).for_each(|part| add_term(part, skip, vars));
    }
    match &value.kind {
        Kind::Ref(parts) => parts.iter().skip(1).for_each(|part| add_term(part, skip, vars)),
        _ => add_term(value, skip, vars),
    }
}

fn add_call(call: &Call, skip: Skip, vars: &mut VarSet) {
    if let Operator::Path(path) = &call.operator {
        path.iter().skip(usize::from(skip.call_heads || skip.ref_heads)).for_each(|part| add_term(part, skip, vars));
    }
    call.operands.iter().for_each(|operand| add_term(operand, skip, vars));
}

/// Adds the variables of a term.
pub(super) fn add_term(term: &Term, skip: Skip, vars: &mut VarSet) {
    match &term.kind {
        Kind::Scalar(_) => {}
        Kind::Var(var) => {
            vars.insert(*var);
        }
        Kind::Ref(parts) => parts.iter().skip(usize::from(skip.ref_heads)).for_each(|part| add_term(part, skip, vars)),
        Kind::Array(items) => items.iter().for_each(|item| add_term(item, skip, vars)),
        Kind::Set(items) => {
            if !skip.sets {
                items.iter().for_each(|item| add_term(item, skip, vars));
            }
        }
        Kind::Object(fields) => {
            for (key, value) in fields {
                if !skip.object_keys {
                    add_term(key, skip, vars);
                }
                add_term(value, skip, vars);
            }
        }
        Kind::Call(call) => add_call(call, skip, vars),
        Kind::Comprehension(compr) => {
            if !skip.closures {
                compr.terms.iter().for_each(|term| add_term(term, skip, vars));
                compr.body.iter().for_each(|expr| add_expr(expr, skip, vars));
            }
        }
    }
}

/// What a visitor wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Go {
    Deeper,
    Over,
}

/// Visits all terms of a statement, bodies of closures included, outer ones first.
pub(super) fn visit_expr<'t>(expr: &'t Expr, see: &mut dyn FnMut(&'t Term) -> Go) {
    match &expr.kind {
        ExprKind::Term(term) => visit(term, see),
        ExprKind::Call(call) => visit_call(call, see),
        ExprKind::Some(terms) => terms.iter().for_each(|term| visit(term, see)),
        ExprKind::SomeIn(some) => {
            some.key.iter().chain([&some.value, &some.collection]).for_each(|term| visit(term, see));
        }
        ExprKind::Every(every) => {
            every.key.iter().chain([&every.value, &every.domain]).for_each(|term| visit(term, see));
            every.body.iter().for_each(|expr| visit_expr(expr, see));
        }
    }
    for (target, value) in &expr.with {
        visit(target, see);
        visit(value, see);
    }
}

fn visit_call<'t>(call: &'t Call, see: &mut dyn FnMut(&'t Term) -> Go) {
    if let Operator::Path(path) = &call.operator {
        path.iter().for_each(|part| visit(part, see));
    }
    call.operands.iter().for_each(|operand| visit(operand, see));
}

/// Visits a term and all inside it.
pub(super) fn visit<'t>(term: &'t Term, see: &mut dyn FnMut(&'t Term) -> Go) {
    if see(term) == Go::Over {
        return;
    }
    match &term.kind {
        Kind::Scalar(_) | Kind::Var(_) => {}
        Kind::Ref(items) | Kind::Array(items) | Kind::Set(items) => items.iter().for_each(|item| visit(item, see)),
        Kind::Object(fields) => fields.iter().for_each(|(key, value)| {
            visit(key, see);
            visit(value, see);
        }),
        Kind::Call(call) => visit_call(call, see),
        Kind::Comprehension(compr) => {
            compr.terms.iter().for_each(|term| visit(term, see));
            compr.body.iter().for_each(|expr| visit_expr(expr, see));
        }
    }
}

/// Calls a function on each body inside a statement, not on bodies inside those.
pub(super) fn closures<'t>(expr: &'t Expr, see: &mut dyn FnMut(&'t [Term], &'t Body)) {
    let mut seen = |term: &'t Term| match &term.kind {
        Kind::Comprehension(compr) => {
            see(&compr.terms, &compr.body);
            Go::Over
        }
        _ => Go::Deeper,
    };
    match &expr.kind {
        ExprKind::Every(every) => visit(&every.domain, &mut seen),
        _ => {
            visit_expr(expr, &mut seen);
            return;
        }
    }
    for (target, value) in &expr.with {
        visit(target, &mut seen);
        visit(value, &mut seen);
    }
    if let ExprKind::Every(every) = &expr.kind {
        see(&[], &every.body);
    }
}

/// The first place of a variable in a term.
pub(super) fn find(term: &Term, var: Var) -> Option<u32> {
    let mut found = None;
    visit(term, &mut |term| {
        if found.is_none() && term.as_var() == Some(var) {
            found = Some(term.at);
        }
        if found.is_some() { Go::Over } else { Go::Deeper }
    });
    found
}

/// Changes the terms of a statement, bodies of closures included, outer ones first.
pub(super) fn change_expr(expr: &mut Expr, change: &mut dyn FnMut(&mut Term) -> Go) {
    match &mut expr.kind {
        ExprKind::Term(term) => self::change(term, change),
        ExprKind::Call(call) => change_call(call, change),
        ExprKind::Some(terms) => terms.iter_mut().for_each(|term| self::change(term, change)),
        ExprKind::SomeIn(some) => {
            some.key.iter_mut().chain([&mut some.value, &mut some.collection]).for_each(|term| self::change(term, change));
        }
        ExprKind::Every(every) => {
            every.key.iter_mut().chain([&mut every.value, &mut every.domain]).for_each(|term| self::change(term, change));
            every.body.iter_mut().for_each(|expr| change_expr(expr, change));
        }
    }
    for (target, value) in &mut expr.with {
        self::change(target, change);
        self::change(value, change);
    }
}

fn change_call(call: &mut Call, change: &mut dyn FnMut(&mut Term) -> Go) {
    if let Operator::Path(path) = &mut call.operator {
        path.iter_mut().for_each(|part| self::change(part, change));
    }
    call.operands.iter_mut().for_each(|operand| self::change(operand, change));
}

/// Changes a term, and what is inside the changed one.
pub(super) fn change(term: &mut Term, change: &mut dyn FnMut(&mut Term) -> Go) {
    if change(term) == Go::Over {
        return;
    }
    match &mut term.kind {
        Kind::Scalar(_) | Kind::Var(_) => {}
        Kind::Ref(items) | Kind::Array(items) | Kind::Set(items) => items.iter_mut().for_each(|item| self::change(item, change)),
        Kind::Object(fields) => fields.iter_mut().for_each(|(key, value)| {
            self::change(key, change);
            self::change(value, change);
        }),
        Kind::Call(call) => change_call(call, change),
        Kind::Comprehension(compr) => {
            compr.terms.iter_mut().for_each(|term| self::change(term, change));
            compr.body.iter_mut().for_each(|expr| change_expr(expr, change));
        }
    }
}

/// Variables that a head uses.
pub(super) fn head_vars(rule: &Rule) -> VarSet {
    let mut vars = VarSet::new();
    rule.path.iter().skip(rule.name_len).for_each(|part| add_term(part, ALL, &mut vars));
    match &rule.head {
        Head::Value(term) | Head::Member(term) => add_term(term, ALL, &mut vars),
    }
    vars
}
