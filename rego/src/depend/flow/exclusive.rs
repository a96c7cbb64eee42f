//! Definitions of which at most one holds: what one of them tests is negated in the other.

use crate::ir::{Group, GroupKind, Head, Op, Policy, Reference, Rule, Step, Term};
use crate::value::Value;

/// Each of more definitions would have to be told apart from each other one.
const MOST: usize = 16;

/// Whether no two definitions of a group hold in one evaluation, so that their values are never compared.
///
/// What is tested has to be the same whenever it is asked in one evaluation: base documents, and rules with one value, which are
/// computed once; at constant keys. An `else` may hold where its rule does not.
pub(super) fn are_exclusive(policy: &Policy, group: &Group) -> bool {
    let rules = &group.rules;
    let pairs = || rules.iter().enumerate().flat_map(|(at, a)| rules.iter().skip(at.saturating_add(1)).map(move |b| (a, b)));
    rules.len() <= MOST
        && rules.iter().all(|rule| rule.otherwise.is_empty())
        && pairs().all(|(a, b)| denies(policy, a, b) || denies(policy, b, a))
}

/// Whether a rule negates what another one tests.
fn denies(policy: &Policy, a: &Rule, b: &Rule) -> bool {
    negated(a).any(|denied| tested(b).any(|tested| is_same(policy, denied, tested)))
}

fn steps(rule: &Rule) -> impl Iterator<Item = &Step> {
    rule.definitions.first().into_iter().flat_map(|definition| definition.body.iter())
}

/// What has to hold.
fn tested(rule: &Rule) -> impl Iterator<Item = &Reference> {
    steps(rule).filter_map(|step| test(&step.op))
}

/// What must not.
fn negated(rule: &Rule) -> impl Iterator<Item = &Reference> {
    steps(rule).filter_map(|step| match &step.op {
        Op::Not(block) => match block.as_ref() {
            [Step { op, .. }] => test(op),
            _ => None,
        },
        _ => None,
    })
}

fn test(op: &Op) -> Option<&Reference> {
    match op {
        Op::Test(Term::Reference(reference)) => Some(reference),
        _ => None,
    }
}

fn is_same(policy: &Policy, a: &Reference, b: &Reference) -> bool {
    let is_complete = |id| policy.group(id).is_some_and(|group| group.kind == GroupKind::Complete);
    let heads = match (&a.head, &b.head) {
        (Head::Input, Head::Input) | (Head::Base, Head::Base) => true,
        (Head::Group(a), Head::Group(b)) => a == b && is_complete(*a),
        _ => false,
    };
    // Equal numbers that are written otherwise find other members.
    let is_one = |a: &Value, b: &Value| a == b && a.is_plain() && b.is_plain();
    let keys = || a.keys.iter().zip(&b.keys).all(|keys| matches!(keys, (Term::Constant(a), Term::Constant(b)) if is_one(a, b)));
    heads && a.keys.len() == b.keys.len() && keys()
}
