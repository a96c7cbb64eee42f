//! How many rows there are of each sort.

use std::collections::BTreeMap;

use plimsoll_contract::placement::Placement;

/// The number of rows of each sort, for metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By outcome name.
    pub outcomes: BTreeMap<&'static str, usize>,
    /// With something left to write.
    pub pending: usize,
    /// Whose objects ask not to be repaired.
    pub held: usize,
    /// Whose last placement is kept although policy has no opinion any more.
    pub kept: usize,
    /// Of these, those whose placement nothing shows to be policy's own.
    pub unproven: usize,
    /// Which are to be let go when the policies have been the same for long enough.
    pub letting_go: usize,
}

impl Counts {
    pub(super) fn add(&mut self, row: &Placement) {
        *self.outcomes.entry(row.outcome.name()).or_default() += 1;
        self.pending += usize::from(!row.patch.is_empty());
        self.held += usize::from(row.hold);
        self.kept += usize::from(row.kept);
        self.unproven += usize::from(row.unproven);
        self.letting_go += usize::from(row.letting_go);
    }

    pub(super) fn remove(&mut self, row: &Placement) {
        if let Some(count) = self.outcomes.get_mut(row.outcome.name()) {
            *count = count.saturating_sub(1);
        }
        self.pending = self.pending.saturating_sub(usize::from(!row.patch.is_empty()));
        self.held = self.held.saturating_sub(usize::from(row.hold));
        self.kept = self.kept.saturating_sub(usize::from(row.kept));
        self.unproven = self.unproven.saturating_sub(usize::from(row.unproven));
        self.letting_go = self.letting_go.saturating_sub(usize::from(row.letting_go));
    }
}
