//! The constraints of one reference.

use std::collections::{BTreeMap, BTreeSet};

use super::super::ordered::Ordered;
use super::{Alternation, Constraint};

/// The constraints of one reference, by their positions.
#[derive(Default)]
pub(super) struct Known {
    /// Each value with the way in which it is wanted, where it first is.
    pub(super) seen: BTreeMap<(u8, Ordered<'static>), usize>,
    pub(super) vars: BTreeSet<usize>,
    /// How many are no variables.
    pub(super) values: usize,
    first_value: Option<usize>,
    first_affix: Option<usize>,
}

impl Known {
    pub(super) fn add(&mut self, constraint: &Constraint, at: usize) {
        let first = |known: Option<usize>| known.map_or(Some(at), |known| Some(known.min(at)));
        self.seen.entry(constraint.key()).and_modify(|known| *known = at.min(*known)).or_insert(at);
        if constraint.is_var() {
            self.vars.insert(at);
            return;
        }
        self.values = self.values.saturating_add(1);
        self.first_value = first(self.first_value);
        if constraint.is_affix() {
            self.first_affix = first(self.first_affix);
        }
    }

    /// What it costs that a value is wanted beside those in front of a position.
    pub(super) fn alternation(&self, is_affix: bool, before: usize) -> Alternation {
        let has = |first: Option<usize>| first.is_some_and(|first| first < before);
        if has(self.first_value) { Alternation::between(is_affix || has(self.first_affix)) } else { Alternation::None }
    }
}
