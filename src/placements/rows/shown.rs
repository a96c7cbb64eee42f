//! What becomes of a row that readers have when a new one takes its place.

use std::sync::Arc;

use plimsoll_contract::moves::Move;
use plimsoll_contract::placement::Placement;

use super::Counts;
use crate::placements::log::Log;

/// A row, as readers have it.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// The position of its last event.
    pub(super) at: u64,
    pub(super) row: Arc<Placement>,
}

/// Returns the row in the place of the one before, if it is to be there, and whether that is an event.
pub(super) fn shown(before: Option<&Shown>, row: Placement, (log, counts): (&mut Log, &mut Counts)) -> (Option<Shown>, bool) {
    match before {
        Some(before) if !worth_an_event(&before.row, &row) => {
            if before.row.resource_version == row.resource_version {
                return (None, false);
            }
            let row = Arc::new(row);
            log.refreshed(before.at, Arc::clone(&row));
            (Some(Shown { at: before.at, row }), false)
        }
        before => {
            if let Some(before) = before {
                counts.remove(&before.row);
            }
            counts.add(&row);
            let row = Arc::new(row);
            (Some(Shown { at: log.changed(before.map(|before| before.at), Arc::clone(&row)), row }), true)
        }
    }
}

/// Everything counts but the revision, what moves an object, and, where nothing is left to write, the version that nothing was left to
/// write on.
fn worth_an_event(before: &Placement, now: &Placement) -> bool {
    // In full, so that a new field is thought of.
    #[rustfmt::skip]
    let Placement {
        gvr, kind, namespace, name, uid, resource_version, seen, outcome, mode, hold, kept, unproven, letting_go, patch, stands, moves,
        clusters, rejected, warnings, revision: _,
    } = before;
    let is_settled = patch.is_empty() && now.patch.is_empty();
    let is_same = (is_settled || *resource_version == now.resource_version)
        && (uid, name, namespace, gvr, kind) == (&now.uid, &now.name, &now.namespace, &now.gvr, &now.kind)
        && (seen, outcome, mode, stands, warnings) == (&now.seen, &now.outcome, &now.mode, &now.stands, &now.warnings)
        && (hold, kept, unproven, letting_go) == (&now.hold, &now.kept, &now.unproven, &now.letting_go)
        && (patch, clusters, rejected) == (&now.patch, &now.clusters, &now.rejected)
        && is_same_move(moves.as_deref(), now.moves.as_deref());
    !is_same
}

fn is_same_move(before: Option<&Move>, now: Option<&Move>) -> bool {
    match (before, now) {
        (Some(Move { from, cause: _, urgent }), Some(now)) => (from, urgent) == (&now.from, &now.urgent),
        (before, now) => before.is_none() && now.is_none(),
    }
}
