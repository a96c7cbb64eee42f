//! The order in which a body binds its variables (`v1/ast/compile.go`, `reorderBodyForSafety`).
//!
//! OPA goes through the body again and again and takes what has become safe, until nothing does. Here an expression is looked
//! at again only when one of its variables was bound since, in the same passes and the same order.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashSet};

use super::super::Arity;
use super::super::terms::is_equality;
use super::super::vars::{Globals, Params, VarSet};
use super::output_vars;
use super::shape::{Occurrences, Shape};
use crate::syntax::order;
use crate::syntax::tree::{Expr, ExprKind, Var};

/// What the order of one body depends on.
pub(super) struct Ordering<'a> {
    pub(super) arity: Arity<'a>,
    pub(super) params: Params<'a>,
    pub(super) occurrences: &'a Occurrences,
}

/// An order, and what cannot be ordered.
pub(super) struct Ordered {
    /// Indexes of expressions.
    pub(super) order: Vec<usize>,
    /// Indexes of those that remain, with their variables that nothing binds.
    pub(super) stuck: Vec<(usize, HashSet<Var>)>,
    /// What each expression mentions outside of closures.
    pub(super) mentioned: Vec<VarSet>,
}

struct State<'a> {
    ordering: &'a Ordering<'a>,
    body: &'a [Expr],
    safe: HashSet<Var>,
    unsafe_vars: Vec<Option<HashSet<Var>>>,
    /// Variables of the body that expressions close over.
    closed: Vec<HashSet<Var>>,
    order: Vec<usize>,
    /// In which pass each expression was placed, and what it bound.
    placed: Vec<Option<(usize, VarSet)>>,
    /// Expressions with `every` that were looked at, and not placed.
    waiting: BTreeSet<usize>,
    /// Passes and expressions to look at.
    due: BTreeSet<(usize, usize)>,
}

/// Orders a body.
pub(super) fn order(ordering: &Ordering<'_>, globals: &Globals, body: &[Expr], shape: &Shape) -> Ordered {
    let mentioned: Vec<VarSet> = body.iter().map(|expr| mentioned(expr, ordering.params)).collect();
    let vars: HashSet<&Var> = mentioned.iter().flat_map(VarSet::iter).collect();
    let safe: HashSet<Var> = vars.iter().filter(|var| globals.contains(var)).map(|var| (*var).clone()).collect();
    let open = |vars: &VarSet| {
        let open: HashSet<Var> = vars.iter().filter(|var| !safe.contains(*var)).cloned().collect();
        (!open.is_empty()).then_some(open)
    };
    let mut state = State {
        unsafe_vars: mentioned.iter().map(open).collect(),
        closed: closed(ordering.occurrences, shape, vars.iter().filter(|var| !globals.contains(var)).copied()),
        ordering,
        body,
        safe,
        order: Vec::with_capacity(body.len()),
        placed: vec![None; body.len()],
        waiting: BTreeSet::new(),
        due: (0..body.len()).map(|index| (0, index)).collect(),
    };
    state.run(&mentioned);
    let stuck = state.unsafe_vars.into_iter().zip(state.placed).enumerate().filter(|(_, (_, placed))| placed.is_none());
    Ordered { stuck: stuck.filter_map(|(index, (vars, _))| Some((index, vars?))).collect(), order: state.order, mentioned }
}

fn mentioned(expr: &Expr, params: Params<'_>) -> VarSet {
    let mut vars = VarSet::default();
    vars.add_expr(expr, params);
    vars
}

/// Which of these variables each expression closes over.
fn closed<'a>(occurrences: &Occurrences, shape: &Shape, vars: impl Iterator<Item = &'a Var>) -> Vec<HashSet<Var>> {
    let mut closed = vec![HashSet::default(); shape.len()];
    let ranges = shape.iter().enumerate().flat_map(|(at, closures)| closures.iter().map(move |one| (one.range.clone(), at)));
    let ranges: Vec<_> = ranges.collect();
    for var in vars {
        occurrences.ranges_with(var, &ranges, |at| {
            closed.get_mut(at).map(|set| set.insert(var.clone()));
        });
    }
    closed
}

impl State<'_> {
    fn run(&mut self, mentioned: &[VarSet]) {
        let users = self.users(mentioned);
        while let Some((pass, index)) = self.due.pop_first() {
            let Some(outputs) = self.place(pass, index) else { continue };
            let later = |other: usize| (if other > index { pass } else { pass.saturating_add(1) }, other);
            self.due.extend(self.waiting.iter().map(|other| later(*other)));
            for var in outputs.iter() {
                if !self.safe.insert(var.clone()) {
                    continue;
                }
                for user in users.get(var).into_iter().flatten() {
                    self.due.insert(later(*user));
                }
            }
        }
    }

    /// The expressions whose safety a variable changes.
    fn users(&self, mentioned: &[VarSet]) -> HashMap<Var, Vec<usize>> {
        let all = Params { skip_closures: true, ..Params::ALL };
        let mut users: HashMap<Var, Vec<usize>> = HashMap::default();
        for (index, ((expr, vars), closed)) in self.body.iter().zip(mentioned).zip(&self.closed).enumerate() {
            let mut relevant = vars.clone();
            relevant.add_expr(expr, all);
            closed.iter().for_each(|var| relevant.insert(var.clone(), expr.span));
            for var in relevant.iter().filter(|var| !self.safe.contains(*var)) {
                users.entry(var.clone()).or_default().push(index);
            }
        }
        users
    }

    /// Takes an expression if it is safe now, and says what it binds.
    fn place(&mut self, pass: usize, index: usize) -> Option<VarSet> {
        let expr = self.body.get(index)?;
        if self.is_placed(index, expr) {
            return None;
        }
        let mut outputs = self.outputs(expr);
        if matches!(expr.kind, ExprKind::Every(_)) {
            outputs.extend(&self.left_over(pass, index));
            self.waiting.insert(index);
        }
        let slot = self.unsafe_vars.get_mut(index)?;
        if let Some(closed) = self.closed.get(index).filter(|closed| !closed.is_empty()) {
            // It closes over exactly what it binds: it waits for somebody else to bind that.
            if closed.len() == outputs.len() && closed.iter().all(|var| outputs.contains(var)) {
                return None;
            }
            *slot = Some(closed.clone());
        }
        if let Some(vars) = slot {
            vars.retain(|var| !outputs.contains(var) && !self.safe.contains(var));
            if !vars.is_empty() {
                return None;
            }
        }
        self.order.push(index);
        self.waiting.remove(&index);
        self.placed.get_mut(index).into_iter().for_each(|placed| *placed = Some((pass, outputs.clone())));
        Some(outputs)
    }

    fn outputs(&self, expr: &Expr) -> VarSet {
        output_vars::of_expr(expr, self.ordering.arity, &|var| self.safe.contains(var))
    }

    /// What `every` binds besides: OPA adds what its domain binds to what is left of the expression that it looked at before, in this
    /// pass or the one before. Of an equality that is nothing.
    fn left_over(&self, pass: usize, index: usize) -> VarSet {
        let here = (0..index).rev().map(|other| (pass, other));
        let before =
            pass.checked_sub(1).into_iter().flat_map(|pass| (index..self.body.len()).rev().map(move |other| (pass, other)));
        let call = here.chain(before).find_map(|(pass, other)| {
            let expr = self.body.get(other).filter(|expr| matches!(expr.kind, ExprKind::Call(_)) && !expr.negated)?;
            match self.placed.get(other)? {
                Some((placed, _)) if *placed < pass => None,
                _ if is_equality(expr) => Some(VarSet::default()),
                Some((_, outputs)) => Some(outputs.clone()),
                None => Some(self.outputs(expr)),
            }
        });
        call.unwrap_or_default()
    }

    /// Whether OPA takes an expression for one that was placed. It compares them with their places in the body, which placing
    /// changes: of equal expressions, the one whose index another one was moved to is lost, and unsafe for ever.
    fn is_placed(&self, index: usize, expr: &Expr) -> bool {
        let moved = self.order.get(index).and_then(|at| self.body.get(*at));
        self.placed.get(index).is_some_and(Option::is_some) || moved.is_some_and(|moved| order::exprs(moved, expr).is_eq())
    }
}
