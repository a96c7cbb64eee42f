//! Groups inside and outside of a function that is called instead of another one. Under `with f as g` the body sees `g` for `f`, and `g` itself
//! sees `f`; but what one of them computes is not computed again by the other, as in OPA (`v1/topdown/eval.go`, `evalCall`: the mocks are put
//! aside, the caches are not). So what a group makes on one side may be answered on the other.
//!
//! Which groups that concerns is found by going through all once without it; where there are any, all is gone through again with it.

use foldhash::HashSet;

use super::Flow;
use crate::depend::shape::ShapeId;
use crate::ir::GroupId;

/// How often a side may be looked at from the other one, inside of each other.
const DEEPEST: usize = 4;

impl Flow<'_> {
    /// The shape of what a group makes with these operands, or at these keys.
    pub(super) fn group(&mut self, id: GroupId, operands: Vec<ShapeId>) -> ShapeId {
        let Some(other) = self.scopes.other_side(self.scope) else { return self.group_here(id, operands) };
        if self.depth == 0 {
            self.met.insert((id, self.scope));
        }
        if !self.shared.contains(&id) {
            return self.group_here(id, operands);
        }
        if self.depth >= DEEPEST || self.left == 0 {
            return self.give_up();
        }
        let here = self.group_here(id, operands.clone());
        let outer = std::mem::replace(&mut self.scope, other);
        self.depth = self.depth.saturating_add(1);
        let there = self.group_here(id, operands);
        self.depth = self.depth.saturating_sub(1);
        self.scope = outer;
        self.shapes.join(here, there)
    }

    /// Returns the groups that were met on both sides, if it was not known of all of them; and with them those of which it was. Where that was
    /// asked once already, all that were met are taken for such.
    pub(super) fn found_shared(&mut self) -> Option<HashSet<GroupId>> {
        let met = std::mem::take(&mut self.met);
        let mut is_on_both = |(id, scope): &(GroupId, _)| {
            let other = self.scopes.other_side(*scope);
            other.is_some_and(|other| met.contains(&(*id, other)))
        };
        let both: HashSet<_> = met.iter().filter(|at| is_on_both(at)).map(|(id, _)| *id).collect();
        if both.is_subset(&self.shared) {
            return None;
        }
        let all = if self.shared.is_empty() { both } else { met.into_iter().map(|(id, _)| id).collect() };
        Some(all.union(&self.shared).copied().collect())
    }
}
