//! Many values of one reference at once (opa `v1/ast/index.go`, `insertMembers`; `v1/ast/index_affix.go`, `insertAffixes`).

use super::{Alternation, Constraint, Indices, Wanted};
use crate::ir::ReferenceNumber;
use crate::syntax::tree::{Kind, Term};

impl Indices<'_> {
    /// The value is one of these members of a collection.
    pub(in super::super) fn insert_members(&mut self, reference: ReferenceNumber, members: &[&Term]) {
        let Some((first, rest)) = members.split_first() else { return };
        let equal = |member: &Term| Constraint::new(reference, Wanted::Equal, member.clone());
        self.insert(equal(first));
        if rest.is_empty() {
            return;
        }
        let (vars, values): (Vec<&Term>, Vec<&Term>) = rest.iter().partition(|member| matches!(member.kind, Kind::Var(_)));
        vars.into_iter().for_each(|var| self.insert(equal(var)));
        self.stats.count(reference, values.len());
        self.push_new(reference, values.into_iter().map(equal), Alternation::Converging);
    }

    /// The value begins, or ends, with one of these.
    pub(in super::super) fn insert_affixes(&mut self, reference: ReferenceNumber, texts: &[Term], wanted: &Wanted) {
        // Something is known of it already: it was bound to a variable before.
        self.stats.count(reference, texts.len().saturating_sub(1));
        let constraints = texts.iter().map(|text| Constraint::new(reference, wanted.clone(), text.clone()));
        self.push_new(reference, constraints, Alternation::Terminal);
    }

    fn push_new(&mut self, reference: ReferenceNumber, all: impl Iterator<Item = Constraint>, cost: Alternation) {
        for constraint in all {
            let known = self.by_reference.get(&reference);
            if !known.is_some_and(|known| known.seen.contains_key(&constraint.key())) {
                self.push(constraint);
            }
        }
        if self.by_reference.get(&reference).is_some_and(|known| known.values > 1) {
            self.stats.alternate(reference, cost);
        }
    }
}
