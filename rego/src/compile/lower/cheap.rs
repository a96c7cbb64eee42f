//! Which functions cost less than looking up what they answered before.
//!
//! They must also answer the same however equal operands are written: `f(1)` and `f(1.0)` have one answer in an evaluation, that of
//! the call that came first. So they answer with constants, and numbers are compared with nothing but what is no number.

use crate::ir::{Group, GroupKind, Head, Op, Pattern, Rule, Step, Target, Term};
use crate::value::Value;

/// How many expressions all definitions may have together.
const MOST: usize = 6;

pub(super) fn is_cheap(group: &Group) -> bool {
    let rules = || group.rules.iter().chain(&group.default).flat_map(|rule| std::iter::once(rule).chain(&rule.otherwise));
    matches!(group.kind, GroupKind::Function(_))
        && rules().all(is_cheap_rule)
        && rules().flat_map(|rule| &rule.definitions).map(|definition| definition.body.len()).sum::<usize>() <= MOST
}

fn is_cheap_rule(rule: &Rule) -> bool {
    rule.args.iter().all(|pattern| match pattern {
        Pattern::Any | Pattern::Never | Pattern::Bind(_) => true,
        Pattern::Equal(term) => is_no_number(term),
        Pattern::Array(_) | Pattern::Object(_) => false,
    }) && rule
        .definitions
        .iter()
        .all(|definition| matches!(definition.value, Term::Constant(_)) && definition.body.iter().all(is_cheap_step))
}

fn is_cheap_step(step: &Step) -> bool {
    match &step.op {
        Op::Test(term) | Op::Match(Pattern::Any | Pattern::Bind(_), term) => is_cheap_term(term),
        Op::Match(Pattern::Equal(a), b) => are_cheap(a, b),
        Op::Call(call) => match (&call.target, call.operands.as_ref(), &call.output) {
            (Target::Builtin(builtin), [a, b], None) => builtin.comparison.is_some() && are_cheap(a, b),
            _ => false,
        },
        Op::Not(block) => matches!(block.as_ref(), [step] if is_cheap_step(step)),
        _ => false,
    }
}

fn are_cheap(a: &Term, b: &Term) -> bool {
    (is_no_number(a) || is_no_number(b)) && is_cheap_term(a) && is_cheap_term(b)
}

fn is_no_number(term: &Term) -> bool {
    matches!(term, Term::Constant(Value::Null | Value::False | Value::True | Value::String(_)))
}

fn is_cheap_term(term: &Term) -> bool {
    match term {
        Term::Constant(_) | Term::Slot(_) | Term::Input => true,
        Term::Reference(reference) => {
            matches!(reference.head, Head::Input | Head::Base | Head::Term(Term::Slot(_)))
                && reference.keys.iter().all(is_no_number)
        }
        _ => false,
    }
}
