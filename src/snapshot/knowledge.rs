//! What an engine knows beside a snapshot: how far it has seen the fleet, who leads, and whether letting go waits.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::source::Leader;
use plimsoll_contract::still::Still;

use super::{Snapshot, Store};
use crate::state::{Seen, Versions};

/// Read before its snapshot: that holds all that is said here.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// Up to which version the fleet has been seen.
    pub fleet: Versions,
    /// Who holds the Lease, and by which policies it places.
    pub leader: Option<Arc<Leader>>,
    /// What stands still.
    pub still: Still,
    /// The policies changed less than this long ago: what they placed before, and have no opinion of any more, stays so long.
    pub grace: Option<Duration>,
}

impl Store {
    /// The current snapshot with what is known beside it.
    pub fn informed(&self) -> (Knowledge, Arc<Snapshot>) {
        loop {
            let seen = |snapshot: &Snapshot| snapshot.state.fleet_of().map(|(_, _, kind)| kind.seen.clone());
            let cell = seen(&self.load());
            // In this order: what is proved is published before it is told.
            let fleet = cell.as_deref().map(Seen::now).unwrap_or_default();
            let snapshot = self.load();
            let is_same = match (&cell, &seen(&snapshot)) {
                (Some(before), Some(now)) => Arc::ptr_eq(before, now),
                (before, now) => before.is_none() && now.is_none(),
            };
            if is_same {
                let grace = (!self.grace_left(&snapshot).is_zero()).then_some(self.options.letting_go_after);
                return (Knowledge { fleet, leader: self.leader(), still: self.still(), grace }, snapshot);
            }
        }
    }

    /// Returns how long placements without an opinion are still kept, if the policies of `snapshot` stay as they are.
    pub fn grace_left(&self, snapshot: &Snapshot) -> Duration {
        self.options.letting_go_after.saturating_sub(self.now().saturating_sub(snapshot.unchanged_since))
    }
}
