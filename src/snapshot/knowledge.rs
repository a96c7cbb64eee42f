//! What an engine knows beside a snapshot: how far it has seen the fleet, and who leads.

use std::sync::Arc;

use plimsoll_contract::source::Leader;

use super::{Snapshot, Store};
use crate::state::{Seen, Versions};

/// Read before its snapshot: that holds all that is said here.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// Up to which version the fleet has been seen.
    pub fleet: Versions,
    /// Who holds the Lease, and by which policies it places.
    pub leader: Option<Arc<Leader>>,
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
                return (Knowledge { fleet, leader: self.leader() }, snapshot);
            }
        }
    }
}
