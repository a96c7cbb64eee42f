//! What has to be decided again between two snapshots.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::OrdMap;
use plimsoll_contract::kind::Kind;
use plimsoll_contract::placement::Placement;

use super::queue::{Lane, Queue};
use super::verdict::looked_at;
use crate::placements::rows::{Key, Rows};
use crate::snapshot::Snapshot;
use crate::state::{Node, State};

/// Whether a snapshot may be swept: an engine that does not have everything yet must not decide as if there were nothing.
pub(super) fn ready(snapshot: &Snapshot) -> bool {
    let mut kinds = snapshot.state.sources.values().flat_map(|source| &source.kinds);
    snapshot.ready() && kinds.all(|kind| kind.loaded || !kind.kind.required)
}

/// Queues what may be decided differently than on `previous`; everything, if there is none.
pub(super) fn enqueue(queue: &mut Queue, rows: &Rows, previous: Option<&Snapshot>, now: &Snapshot) {
    if let Some(previous) = previous {
        let kinds = kinds(&now.state).filter(|kind| looked_at(kind));
        for key in kinds.flat_map(|kind| changed(&previous.state, &now.state, kind)) {
            queue.push(key, now.revision, Lane::First);
        }
        if same_inputs(previous, now) {
            return;
        }
        for key in rows_of_changed_clusters(rows, &previous.state, &now.state) {
            queue.push(key, now.revision, Lane::First);
        }
    }
    for kind in kinds(&now.state).filter(|kind| looked_at(kind)) {
        for key in changed(&State::default(), &now.state, kind) {
            queue.push(key, now.revision, Lane::Rest);
        }
    }
    // What is known but not in the state any more.
    for key in rows.keys() {
        queue.push(key.clone(), now.revision, Lane::Rest);
    }
}

/// The rows of the table of kinds.
fn kinds(state: &State) -> impl Iterator<Item = &Kind> {
    state.sources.values().flat_map(|source| &source.kinds).map(|kind| &kind.kind)
}

/// Whether two snapshots decide every unchanged object alike. Says no when in doubt.
fn same_inputs(before: &Snapshot, now: &Snapshot) -> bool {
    kinds(&before.state).eq(kinds(&now.state)) && before.policies.digest == now.policies.digest && before.revision == now.revision
}

/// Rows that speak of a cluster that changed, came or went.
fn rows_of_changed_clusters(rows: &Rows, before: &State, now: &State) -> Vec<Key> {
    let Some(fleet) = now.fleet() else { return Vec::new() };
    let clusters: BTreeSet<Arc<str>> = changed(before, now, fleet).into_iter().map(|key| key.name).collect();
    if clusters.is_empty() {
        return Vec::new();
    }
    rows.rows().filter(|(_, row)| speaks_of(row, &clusters)).map(|(key, _)| key.clone()).collect()
}

fn speaks_of(row: &Placement, clusters: &BTreeSet<Arc<str>>) -> bool {
    row.clusters.iter().chain(row.rejected.keys()).any(|name| clusters.contains(name.as_str()))
}

/// The objects of a kind that differ between two states.
fn changed(before: &State, now: &State, kind: &Kind) -> Vec<Key> {
    let path = ["kubernetes", kind.state_path()];
    let (before, now) = (before.tree.get(&path), now.tree.get(&path));
    let gvr = Arc::new(kind.gvr.clone());
    let mut keys = Vec::new();
    if kind.namespaced {
        for (namespace, before, now) in differing(before, now) {
            let names = differing(before, now).into_iter().map(|(name, _, _)| name);
            keys.extend(names.map(|name| Key { gvr: Arc::clone(&gvr), namespace: Arc::clone(&namespace), name }));
        }
    } else {
        let names = differing(before, now).into_iter().map(|(name, _, _)| name);
        keys.extend(names.map(|name| Key { gvr: Arc::clone(&gvr), namespace: "".into(), name }));
    }
    keys
}

type Differing<'a> = (Arc<str>, Option<&'a Node>, Option<&'a Node>);

/// The members of two branches that are not the same.
fn differing<'a>(before: Option<&'a Node>, now: Option<&'a Node>) -> Vec<Differing<'a>> {
    let (before, now) = (branch(before), branch(now));
    let names: BTreeSet<&Arc<str>> = before.into_iter().chain(now).flat_map(OrdMap::keys).collect();
    let pairs =
        names.into_iter().map(|name| (Arc::clone(name), before.and_then(|map| map.get(name)), now.and_then(|map| map.get(name))));
    pairs.filter(|(_, before, now)| !matches!((before, now), (Some(before), Some(now)) if before.same(now))).collect()
}

fn branch(node: Option<&Node>) -> Option<&OrdMap<Arc<str>, Node>> {
    match node? {
        Node::Branch(children) => Some(children),
        Node::Leaf(_) => None,
    }
}
