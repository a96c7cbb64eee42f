//! Whether a reference leads to a rule whatever its variables hold (`v1/ast/compile.go`, `refSelectsRule`).

use foldhash::{HashMap, HashSet};

use super::super::constants::is_constant;
use super::super::vars::{Params, VarSet};
use crate::syntax::order::compare;
use crate::syntax::tree::{Rule, Term, Var};

/// Variables that may have a value before an expression of a body: those of the head, and of the expressions before it (`varsBefore`).
#[derive(Debug, Default)]
pub(super) struct Bound {
    head: VarSet,
    first: HashMap<Var, usize>,
}

impl Bound {
    /// Of a rule.
    pub(super) fn of(rule: &Rule) -> Self {
        let mut head = VarSet::default();
        head.add_terms(rule.head.args.iter().flatten().chain(&rule.head.key).chain(&rule.head.value), Params::ALL);
        let mut first = HashMap::default();
        for (index, expr) in rule.body.iter().enumerate() {
            let mut vars = VarSet::default();
            vars.add_expr(expr, Params::ALL);
            for var in vars.iter() {
                first.entry(var.clone()).or_insert(index);
            }
        }
        Self { head, first }
    }

    /// Those among the parts of a reference that may have a value before an expression.
    pub(super) fn among(&self, path: &[&Term], index: usize) -> HashSet<Var> {
        let has = |var: &&Var| self.head.contains(var) || self.first.get(*var).is_some_and(|first| *first < index);
        path.iter().filter_map(|part| part.as_var()).filter(has).cloned().collect()
    }
}

/// Whether a reference leads to a rule whatever its variables hold.
pub(super) fn selects(path: &[&Term], rule: &Rule, bound: &HashSet<Var>) -> bool {
    choose(path, rule, bound, None)
}

/// The parts of a reference that must equal those of a rule's for it to lead there.
pub(crate) fn refs_to_choose(path: &[&Term], rule: &Rule, bound: &HashSet<Var>) -> Vec<usize> {
    let mut positions = Vec::new();
    choose(path, rule, bound, Some(&mut positions));
    positions
}

fn choose(path: &[&Term], rule: &Rule, bound: &HashSet<Var>, mut positions: Option<&mut Vec<usize>>) -> bool {
    for (at, (part, own)) in path.iter().zip(&rule.head.reference).enumerate().skip(1) {
        if !is_constant(own) || part.as_var().is_some_and(|var| !bound.contains(var) && is_single(path, var)) {
            continue;
        }
        if is_constant(part) {
            if compare(part, own).is_ne() {
                return false;
            }
            continue;
        }
        let Some(positions) = positions.as_mut() else { return false };
        positions.push(at);
    }
    true
}

fn is_single(path: &[&Term], var: &Var) -> bool {
    path.iter().filter(|part| part.as_var() == Some(var)).count() == 1
}
