//! A fleet that is suddenly empty, or much smaller, is not believed at once: it would move everything. What says so is held back until
//! it is listed again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use parking_lot::Mutex;
use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::source::{FleetLoss, ObjectName, SyncMode};

use super::SyncError;
use crate::state::State;

/// A second list is believed if it is asked for so much later than the first.
pub const BELIEVED_AFTER: Duration = Duration::from_secs(5);

/// Lists of fleet kinds that are held back until a second one confirms them, by source.
#[derive(Debug, Default)]
pub(crate) struct HeldBack {
    by_source: Mutex<BTreeMap<String, Loss>>,
}

/// Objects of the fleet kind that are said to be gone.
#[derive(Clone, Debug)]
struct Loss {
    gvr: Gvr,
    gone: BTreeSet<ObjectName>,
    before: usize,
    /// When that was asked for, on the store's clock.
    at: Duration,
}

/// A change of the fleet kind as it is replicated by one source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) source: &'a str,
    pub(crate) row: &'a Kind,
    pub(crate) mode: SyncMode,
    pub(crate) asked: Duration,
}

impl HeldBack {
    /// Fails when a change takes too much of a fleet away, unless a list that was asked for earlier took as much.
    pub(crate) fn check(&self, change: Change<'_>, (old, new): (&State, &State)) -> Result<(), SyncError> {
        let Change { source, row, mode, asked } = change;
        let changed = new.changed_objects(old, row).into_iter();
        let gone: BTreeSet<ObjectName> = changed.filter(|changed| changed.now.is_none()).map(|changed| changed.name).collect();
        let before = if gone.is_empty() { 0 } else { old.objects(row).count() };
        let is_whole = mode == SyncMode::Replace;
        let mut held = self.by_source.lock();
        let is_emptied = !gone.is_empty() && new.objects(row).next().is_none();
        let may = new.sources.get(source).map_or_else(FleetLoss::default, |source| source.fleet_loss);
        if !is_emptied && !may.is_exceeded(gone.len(), before) {
            if is_whole {
                held.remove(source);
            }
            return Ok(());
        }
        let known = held.get(source).filter(|known| known.gvr == row.gvr && gone.is_subset(&known.gone));
        if is_whole && known.is_some_and(|known| asked.saturating_sub(known.at) >= BELIEVED_AFTER) {
            held.remove(source);
            return Ok(());
        }
        let (message, is_known) = (sentence(&row.gvr, gone.len(), before), known.is_some());
        if !is_known {
            held.insert(source.to_owned(), Loss { gvr: row.gvr.clone(), gone, before, at: asked });
        }
        Err(SyncError::HeldBack(message))
    }

    /// Whether something of a source's kind is held back: what is there is known to be out of date.
    pub(crate) fn of(&self, source: &str, row: &Kind) -> bool {
        row.fleet && self.by_source.lock().get(source).is_some_and(|loss| loss.gvr == row.gvr)
    }

    /// Returns what is held back of a source, for people.
    pub(super) fn note(&self, source: &str) -> Option<String> {
        let held = self.by_source.lock();
        let Loss { gvr, gone, before, .. } = held.get(source)?;
        Some(format!("source `{source}`: {}", sentence(gvr, gone.len(), *before)))
    }

    /// The source is gone, and so is its fleet.
    pub(super) fn forget(&self, source: &str) {
        self.by_source.lock().remove(source);
    }
}

fn sentence(gvr: &Gvr, gone: usize, before: usize) -> String {
    let after = BELIEVED_AFTER.as_secs();
    format!(
        "{gone} of {before} {gvr} are said to be gone: held back until a list asked for at least {after} s later says so again"
    )
}
