//! Which bodies have at most one solution for each key.

use super::Flow;
use crate::ir::{Block, Element, Iterate, Op, Pattern, Replacement, Term, With};

impl Flow<'_> {
    /// Whether no two solutions of a body have the same keys: whatever is gone through, its key is among them.
    pub(super) fn is_unique(&self, body: &Block, keys: &[Term]) -> bool {
        is_unique(body, keys, self.scopes.calls_relation(self.scope))
    }

    /// Whether a body has at most one solution.
    pub(super) fn is_single(&self, body: &Block) -> bool {
        self.is_unique(body, &[])
    }
}

/// `mocked`: relations are called instead of functions, perhaps of those that are called here.
fn is_unique(body: &Block, keys: &[Term], mocked: bool) -> bool {
    body.iter().all(|step| match &step.op {
        Op::Iterate(iterate) => names_keys(iterate, keys),
        Op::Call(call) => !mocked && !call.target.is_relation(),
        Op::With(with) => is_unique(&with.body, keys, mocked || puts_relation(with)),
        _ => true,
    })
}

fn puts_relation(with: &With) -> bool {
    with.functions.iter().any(|(_, replacement)| matches!(replacement, Replacement::Target(target) if target.is_relation()))
}

/// Whether each key that is gone through is among those.
fn names_keys(iterate: &Iterate, keys: &[Term]) -> bool {
    iterate.elements.iter().all(|element| match element {
        Element::Key(_) => true,
        Element::Each(Pattern::Bind(slot)) => keys.iter().any(|key| matches!(key, Term::Slot(key) if key == slot)),
        Element::Each(_) => false,
    })
}
