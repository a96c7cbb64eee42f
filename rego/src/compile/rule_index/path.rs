//! One way to reach a definition: what it wants of each level (opa `v1/ast/index.go`, `insertPath`).

use std::collections::BTreeMap;

use foldhash::HashMap;

use super::constraint::{Constraint, Wanted};
use crate::ir::ReferenceNumber;

/// Levels in order.
pub(super) struct Path<'c>(pub(super) Vec<Wants<'c>>);

/// What is wanted of one level; several values are alternatives.
pub(super) struct Wants<'c> {
    pub(super) reference: ReferenceNumber,
    pub(super) values: Vec<&'c Constraint>,
}

impl<'c> Path<'c> {
    /// A path; of references that are no levels, nothing is said.
    pub(super) fn new(constraints: &'c [Constraint], depth: &HashMap<ReferenceNumber, usize>) -> Self {
        let mut levels: BTreeMap<usize, Wants<'c>> = BTreeMap::new();
        for constraint in constraints {
            let Some(depth) = depth.get(&constraint.reference) else { continue };
            let wants = levels.entry(*depth).or_insert_with(|| Wants { reference: constraint.reference, values: Vec::new() });
            wants.values.push(constraint);
        }
        Self(levels.into_values().map(Wants::without_vars).collect())
    }
}

impl Wants<'_> {
    /// A value is stronger than "anything", of which a chain of assignments leaves one for each.
    fn without_vars(mut self) -> Self {
        if self.values.iter().any(|value| !value.is_var()) {
            self.values.retain(|value| !value.is_var());
        }
        self
    }

    /// Where both ends of a text are constrained: only one end is, the one whose shortest text is longer (`oneAffixEnd`). A level cannot
    /// ask for both.
    pub(super) fn one_end(&mut self) {
        let shortest = |wanted: &Wanted| {
            let ends = self.values.iter().filter(|value| value.wanted == *wanted);
            ends.filter_map(|value| value.value.as_str()).map(|text| text.len()).min()
        };
        let (Some(prefix), Some(suffix)) = (shortest(&Wanted::Prefix), shortest(&Wanted::Suffix)) else { return };
        let dropped = if suffix > prefix { Wanted::Prefix } else { Wanted::Suffix };
        self.values.retain(|value| value.wanted != dropped);
    }
}
