//! Which variables there are, and which are bound at the place that is looked at.

use foldhash::HashMap;

use crate::ir::Slot;
use crate::syntax::tree::Var;

/// The variables of one rule or query.
#[derive(Clone, Default)]
pub(super) struct Scope {
    slots: HashMap<Var, Slot>,
    bound: Vec<bool>,
    /// What was bound, in order: bodies inside of others give back what they bound.
    trail: Vec<Slot>,
}

impl Scope {
    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        self.bound.len()
    }

    /// Where a variable lives.
    pub(super) fn slot(&mut self, name: &Var) -> Slot {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let slot = self.fresh();
        self.slots.insert(name.clone(), slot);
        slot
    }

    /// A place without a name.
    pub(super) fn fresh(&mut self) -> Slot {
        let slot = Slot(u32::try_from(self.bound.len()).unwrap_or(u32::MAX));
        self.bound.push(false);
        slot
    }

    pub(super) fn is_bound(&self, name: &Var) -> bool {
        self.slots.get(name).is_some_and(|slot| self.bound.get(slot.index()).copied().unwrap_or(false))
    }

    pub(super) fn bind(&mut self, slot: Slot) {
        if let Some(bound) = self.bound.get_mut(slot.index())
            && !*bound
        {
            *bound = true;
            self.trail.push(slot);
        }
    }

    /// The variables that are bound, by name.
    pub(super) fn bound(&self) -> Vec<(Var, Slot)> {
        let mut bound: Vec<_> = self.slots.iter().map(|(name, slot)| (name.clone(), *slot)).collect();
        bound.retain(|(name, _)| self.is_bound(name));
        bound.sort_unstable();
        bound
    }

    /// How much is bound now.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Forgets what was bound since.
    pub(super) fn reset(&mut self, mark: usize) {
        for slot in self.trail.drain(mark..) {
            if let Some(bound) = self.bound.get_mut(slot.index()) {
                *bound = false;
            }
        }
    }
}
