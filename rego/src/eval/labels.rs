//! What METADATA labels the rules with that were found to hold (opa `v1/topdown/evaluated.go`).

use super::Evaluation;
use crate::ir::Rule;
use crate::value::Value;

/// Labels, in the order in which they were met.
#[derive(Debug, Default)]
pub(super) struct Met {
    order: Vec<usize>,
    /// By their numbers, which of them were met.
    known: Vec<bool>,
}

impl Met {
    fn add(&mut self, number: usize) {
        if self.known.len() <= number {
            self.known.resize(number.saturating_add(1), false);
        }
        if let Some(known) = self.known.get_mut(number).filter(|known| !**known) {
            *known = true;
            self.order.push(number);
        }
    }
}

impl Evaluation<'_> {
    /// The body of a rule holds.
    #[inline]
    pub(super) fn meet(&mut self, rule: &Rule) {
        if let (Some(number), Some(met)) = (rule.labels, &mut self.labels) {
            met.add(number);
        }
    }

    /// The labels that it has met, which are then forgotten.
    pub fn take_labels(&mut self) -> Vec<Value> {
        let met = self.labels.take().unwrap_or_default();
        met.order.into_iter().filter_map(|number| self.policy.labels.get(number).cloned()).collect()
    }
}
