//! What has to be decided again between two snapshots.

use std::collections::BTreeSet;
use std::sync::Arc;

use plimsoll_contract::kind::Kind;
use plimsoll_contract::outcome::{Outcome, Unavailable};
use plimsoll_contract::placement::Placement;
use plimsoll_contract::source::ObjectName;

use super::groups::Groups;
use super::queue::{Lane, Queue};
use super::verdict::looked_at;
use crate::decision::{Config, FleetChange};
use crate::placements::rows::{Key, Rows};
use crate::snapshot::{Knowledge, Snapshot};
use crate::state::State;

/// Queues what may be decided differently than on `previous`, as out of date since a revision; everything, if there is none.
pub(super) fn enqueue(
    (queue, groups, since): (&mut Queue, &mut Groups, u64),
    rows: &Arc<Rows>,
    previous: Option<&Snapshot>,
    now: &Snapshot,
    config: &Config,
) {
    let path = &config.placement_path;
    if let Some(previous) = previous {
        for kind in placed(&now.state) {
            let changed = now.state.changed_objects(&previous.state, kind);
            push_all((queue, rows), kind, changed.into_iter().map(|changed| changed.name), (since, Lane::First));
        }
        let clusters = changed_clusters(&previous.state, &now.state);
        if only_data_differs(previous, now) {
            if previous.basis(path).version != now.basis(path).version {
                let change = groups.are_settled().then(|| FleetChange::between(previous, now, config)).flatten();
                doubt((queue, groups), rows, &clusters, (since, change));
            }
            return;
        }
        for (key, _) in rows.rows().filter(|(_, row)| speaks_of(row, &clusters)) {
            queue.push(key.clone(), since, Lane::First);
        }
    }
    for kind in placed(&now.state) {
        push_all((queue, rows), kind, now.state.objects(kind).map(|(name, _)| name), (since, Lane::Rest));
    }
    // What is known but not there any more, or of a kind that is not placed any more.
    for key in rows.keys() {
        queue.push(key.clone(), since, Lane::Rest);
    }
}

/// What policies read differs: of each class one object is decided, and each that is of no class.
fn doubt(
    (queue, groups): (&mut Queue, &mut Groups),
    rows: &Arc<Rows>,
    clusters: &BTreeSet<String>,
    (since, change): (u64, Option<FleetChange>),
) {
    let lane = |row: &Placement| if speaks_of(row, clusters) { Lane::First } else { Lane::Rest };
    groups.doubt(rows, lane, (since, change), queue);
    for (key, row) in rows.unclassified() {
        if !queue.holds(key) {
            queue.push(key.clone(), since, lane(row));
        }
    }
}

/// Queues what was left alone until more is known, and what was kept while the policies were new, if they are not any more.
pub(super) fn enqueue_waiting(queue: &mut Queue, rows: &Rows, now: &Snapshot, knowledge: &Knowledge) {
    let is_over = |row: &Placement| row.letting_go && knowledge.grace.is_none();
    for (key, _) in rows.rows().filter(|(_, row)| is_waiting(row) || is_over(row)) {
        queue.push(key.clone(), now.revision, Lane::First);
    }
}

fn is_waiting(row: &Placement) -> bool {
    matches!(row.outcome, Outcome::Unavailable { reason: Unavailable::Stale, .. })
}

/// Queues objects of a kind; they come by namespace.
fn push_all(
    (queue, rows): (&mut Queue, &Rows),
    kind: &Kind,
    names: impl Iterator<Item = ObjectName>,
    (since, lane): (u64, Lane),
) {
    let mut shared: Option<Key> = None;
    for ObjectName { namespace, name } in names {
        let known = shared.take().filter(|known| *known.namespace == *namespace);
        let known = known.unwrap_or_else(|| rows.shared(&kind.gvr, &namespace));
        queue.push(Key { name: name.into(), ..known.clone() }, since, lane);
        shared = Some(known);
    }
}

fn kinds(state: &State) -> impl Iterator<Item = &Kind> {
    state.kinds().map(|kind| -> &Kind { &kind.kind })
}

fn placed(state: &State) -> impl Iterator<Item = &Kind> {
    kinds(state).filter(|kind| looked_at(kind))
}

/// Whether two snapshots decide every object alike that did not change itself, if policy says the same of it. Decisions read the
/// policies, the table of kinds, the namespaces that are exempt, and what policies say; that rests on a [`crate::snapshot::Basis`].
fn only_data_differs(before: &Snapshot, now: &Snapshot) -> bool {
    let exempt = |state: &State| state.sources.values().map(|source| Arc::clone(&source.exempt_namespaces)).collect::<Vec<_>>();
    kinds(&before.state).eq(kinds(&now.state)) && exempt(&before.state) == exempt(&now.state) && now.same_rules(before)
}

fn changed_clusters(before: &State, now: &State) -> BTreeSet<String> {
    let Some(fleet) = now.fleet() else { return BTreeSet::new() };
    now.changed_objects(before, fleet).into_iter().map(|changed| changed.name.name).collect()
}

fn speaks_of(row: &Placement, clusters: &BTreeSet<String>) -> bool {
    row.clusters.iter().chain(row.rejected.keys()).any(|name| clusters.contains(name))
}
