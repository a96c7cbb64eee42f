//! Many values of one reference at once (opa `v1/ast/index.go`, `insertMembers`; `v1/ast/index_affix.go`, `insertAffixes`).

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::super::ordered::Ordered;
use super::{Alternation, Constraint, Indices, Wanted};
use crate::ir::ReferenceNumber;
use crate::syntax::tree::{Kind, Term};

/// What is known of a reference before more is added.
struct Before<'t> {
    /// Something is.
    known: bool,
    /// How many values.
    concrete: usize,
    /// Values that are wanted in the same way.
    seen: BTreeSet<Ordered<'t>>,
}

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
        for var in vars {
            self.insert(equal(var));
        }
        let mut before = self.before(reference, |wanted| matches!(wanted, Wanted::Equal | Wanted::Split(_)));
        for value in &values {
            if before.seen.insert(Ordered(Cow::Borrowed(value))) {
                before.concrete = before.concrete.saturating_add(1);
                self.push(equal(value));
            }
        }
        self.stats.count(reference, values.len());
        if before.concrete > 1 {
            self.stats.alternate(reference, Alternation::Converging);
        }
    }

    /// The value begins, or ends, with one of these.
    pub(in super::super) fn insert_affixes(&mut self, reference: ReferenceNumber, texts: &[Term], wanted: &Wanted) {
        let mut before = self.before(reference, |other| other == wanted);
        self.stats.count(reference, texts.len().saturating_sub(usize::from(before.known)));
        for text in texts {
            if before.seen.insert(Ordered(Cow::Borrowed(text))) {
                before.concrete = before.concrete.saturating_add(1);
                self.push(Constraint::new(reference, wanted.clone(), text.clone()));
            }
        }
        if before.concrete > 1 {
            self.stats.alternate(reference, Alternation::Terminal);
        }
    }

    fn before<'t>(&self, reference: ReferenceNumber, alike: impl Fn(&Wanted) -> bool) -> Before<'t> {
        let mut before = Before { known: false, concrete: 0, seen: BTreeSet::new() };
        let positions = self.by_reference.get(&reference).map(Vec::as_slice).unwrap_or_default();
        for other in positions.iter().filter_map(|position| self.constraints.get(*position)) {
            before.known = true;
            before.concrete = before.concrete.saturating_add(usize::from(!other.is_var()));
            if alike(&other.wanted) {
                before.seen.insert(Ordered(Cow::Owned(other.value.clone())));
            }
        }
        before
    }
}
