//! Which bodies have at most one solution for each key.

use crate::ir::{Block, Element, Iterate, Op, Pattern, Target, Term};

/// Whether no two solutions of a body have the same keys: whatever is gone through, its key is among them.
pub(super) fn is_unique(body: &Block, keys: &[Term]) -> bool {
    body.iter().all(|step| match &step.op {
        Op::Iterate(iterate) => names_keys(iterate, keys),
        Op::Call(call) => !matches!(call.target, Target::Builtin(builtin) if builtin.relation),
        Op::With(with) => is_unique(&with.body, keys),
        _ => true,
    })
}

/// Whether a body has at most one solution.
pub(super) fn is_single(body: &Block) -> bool {
    is_unique(body, &[])
}

/// Whether each key that is gone through is among those.
fn names_keys(iterate: &Iterate, keys: &[Term]) -> bool {
    iterate.elements.iter().all(|element| match element {
        Element::Key(_) => true,
        Element::Each(Pattern::Bind(slot)) => keys.iter().any(|key| matches!(key, Term::Slot(key) if key == slot)),
        Element::Each(_) => false,
    })
}
