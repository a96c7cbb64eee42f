//! The table: one writer (the sweep), many readers.

use plimsoll_contract::kind::Gvr;
use plimsoll_contract::placement::{Placement, PlacementEvent, PlacementList};
use tokio::sync::watch;

use crate::decision::Last;

/// Every placed object's row, and the recent changes.
#[derive(Debug)]
pub struct Table {}

/// Which rows to list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only this kind.
    pub gvr: Option<Gvr>,
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Only rows with this outcome name.
    pub outcome: Option<String>,
    /// Only rows that name this cluster.
    pub cluster: Option<String>,
    /// Only rows with something left to write.
    pub pending: bool,
}

/// The position is too old or of another epoch: list again (HTTP 410).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("position {0} is too old or of another epoch: list placements again")]
pub struct Gone(pub u64);

impl Table {
    /// The rows that match.
    pub fn list(&self, _filter: &Filter) -> PlacementList {
        PlacementList { epoch: String::new(), revision: 0, since: 0, items: Vec::<Placement>::new() }
    }

    /// What was last decided for an object.
    pub fn last(&self, _uid: &str) -> Option<Last> {
        None
    }

    /// The events after `since`, oldest first; empty when there are none yet.
    pub fn events_after(&self, since: u64) -> Result<Vec<PlacementEvent>, Gone> {
        Err(Gone(since))
    }

    /// Tells the newest position in the stream.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        watch::channel(0).1
    }
}
