//! What the order of the levels is decided by (opa `v1/ast/index.go`, `refStats`).

use foldhash::HashMap;

use crate::ir::ReferenceNumber;

/// What it costs that one definition wants one of several values of a reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Alternation {
    /// None does.
    #[default]
    None,
    /// The paths of the values meet again.
    Converging,
    /// They do not: what the definition requires of later references is left out.
    Terminal,
}

impl Alternation {
    /// Two values of one reference; beginnings and ends of texts do not meet again.
    pub(super) fn between(affix: bool) -> Self {
        if affix { Self::Terminal } else { Self::Converging }
    }
}

/// Of each reference, how often it was found, and the worst of what it costs.
#[derive(Debug, Default)]
pub(in super::super) struct Stats(HashMap<ReferenceNumber, (usize, Alternation)>);

impl Stats {
    /// Found so many times more.
    pub(in super::super) fn count(&mut self, reference: ReferenceNumber, times: usize) {
        let (count, _) = self.0.entry(reference).or_default();
        *count = count.saturating_add(times);
    }

    /// One of several values is wanted.
    pub(in super::super) fn alternate(&mut self, reference: ReferenceNumber, kind: Alternation) {
        if kind > Alternation::None {
            let (_, worst) = self.0.entry(reference).or_default();
            *worst = kind.max(*worst);
        }
    }

    /// Adds what another definition found.
    pub(in super::super) fn merge(&mut self, other: &Self) {
        for (reference, count, alternation) in other.each() {
            self.count(reference, count);
            self.alternate(reference, alternation);
        }
    }

    /// All of them, in no order.
    pub(in super::super) fn each(&self) -> impl Iterator<Item = (ReferenceNumber, usize, Alternation)> {
        self.0.iter().map(|(reference, (count, alternation))| (*reference, *count, *alternation))
    }
}
