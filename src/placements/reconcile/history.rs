//! What changed of the data that policies read, pass by pass: so many changes, and when it is not known any more, that is said.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::moves::Cause;
use plimsoll_contract::source::ObjectName;
use serde_json::Value as Json;

use super::words::words;
use crate::snapshot::{Basis, Snapshot};
use crate::state::{Leaf, ROOT, State};

/// Changes that are remembered.
const KEPT: usize = 1_024;

/// The latest changes, oldest first.
#[derive(Debug, Default)]
pub(super) struct History {
    entries: VecDeque<Arc<Entry>>,
    /// What happened up to this revision is not known; nothing is before the first pass.
    unknown: Option<u64>,
}

/// The changes of one kind that one pass found.
#[derive(Debug)]
struct Entry {
    revision: u64,
    kind: Kind,
    changes: Vec<Change>,
}

#[derive(Clone, Debug)]
struct Change {
    name: ObjectName,
    before: Option<Arc<Leaf>>,
    after: Option<Arc<Leaf>>,
}

/// All changes since a revision, put together when they are first asked for.
#[derive(Debug)]
pub(super) struct Span {
    entries: Vec<Arc<Entry>>,
    basis: Basis,
    merged: OnceLock<Option<Merged>>,
}

/// The changes of the kind that counts, by the name of the object.
#[derive(Debug)]
struct Merged {
    gvr: Gvr,
    changes: BTreeMap<(String, String), (Change, OnceLock<String>)>,
}

/// The clusters that a move is about, those that matter most first.
#[derive(Debug)]
pub(super) struct Named(pub(super) [BTreeSet<String>; 2]);

impl History {
    /// Takes in what differs between the snapshots of two passes.
    pub(super) fn record(&mut self, previous: Option<&Snapshot>, now: &Snapshot, path: &[String]) {
        let Some(previous) = previous else {
            *self = Self { entries: VecDeque::new(), unknown: Some(now.revision) };
            return;
        };
        if previous.revision == now.revision {
            return;
        }
        let (fleet, others): (Vec<&Kind>, Vec<&Kind>) =
            now.state.kinds().map(|kind| &kind.kind).filter(|kind| now.reads_kind(kind, path)).partition(|kind| kind.fleet);
        if !self.take(&fleet, previous, now) {
            self.take(&others, previous, now);
        }
        let mut kept = self.entries.iter().map(|entry| entry.changes.len()).sum::<usize>();
        while kept > KEPT && self.entries.len() > 1 {
            let Some(forgotten) = self.entries.pop_front() else { return };
            kept -= forgotten.changes.len();
            self.unknown = self.unknown.max(Some(forgotten.revision));
        }
    }

    fn take(&mut self, kinds: &[&Kind], previous: &Snapshot, now: &Snapshot) -> bool {
        let before = self.entries.len();
        for kind in kinds {
            let changes = changes(&previous.state, &now.state, kind);
            if !changes.is_empty() {
                self.entries.push_back(Arc::new(Entry { revision: now.revision, kind: (*kind).clone(), changes }));
            }
        }
        self.entries.len() > before
    }

    /// Returns what changed in the passes from that of the revision `since` on.
    pub(super) fn span(&self, since: u64, now: &Snapshot, path: &[String]) -> Span {
        let is_known = self.unknown.is_some_and(|unknown| unknown < since);
        let entries = self.entries.iter().filter(|entry| is_known && entry.revision >= since).cloned().collect();
        // Which changes count must not depend on whether somebody has asked for the basis before.
        Span { entries, basis: now.basis(path), merged: OnceLock::new() }
    }
}

fn changes(before: &State, now: &State, kind: &Kind) -> Vec<Change> {
    let changed = now.changed_objects(before, kind).into_iter().filter(|changed| !changed.same_json);
    let whole = |changed: crate::state::Changed<'_>| {
        let before = before.object(kind, &changed.name).cloned();
        Change { before, after: changed.now.cloned(), name: changed.name }
    };
    changed.map(whole).collect()
}

impl Span {
    /// Returns which change moves what is about these clusters, as far as that can be told.
    pub(super) fn cause(&self, named: &Named) -> Cause {
        let found = self.merged.get_or_init(|| self.merge()).as_ref().and_then(|merged| Some((merged, merged.find(named)?)));
        let Some((merged, (change, text))) = found else { return Cause::Unknown };
        let ObjectName { namespace, name } = change.name.clone();
        let change = text.get_or_init(|| change.words()).clone();
        Cause::Data { gvr: merged.gvr.clone(), namespace, name, change, others: merged.changes.len().saturating_sub(1) }
    }

    /// The fleet counts before other kinds, and what policies read of an object before the rest of it.
    fn merge(&self) -> Option<Merged> {
        let first = self.entries.iter().find(|entry| entry.kind.fleet).or(self.entries.first())?;
        let mut all: BTreeMap<(String, String), Change> = BTreeMap::new();
        for change in self.entries.iter().filter(|entry| entry.kind.gvr == first.kind.gvr).flat_map(|entry| &entry.changes) {
            let key = (change.name.name.clone(), change.name.namespace.clone());
            all.entry(key).and_modify(|known| known.after = change.after.clone()).or_insert_with(|| change.clone());
        }
        all.retain(|_, change| !change.is_none());
        let read: BTreeSet<_> =
            all.iter().filter(|(_, change)| change.is_read(&first.kind, &self.basis)).map(|(key, _)| key.clone()).collect();
        all.retain(|key, _| read.is_empty() || read.contains(key));
        let changes = all.into_iter().map(|(key, change)| (key, (change, OnceLock::new()))).collect();
        Some(Merged { gvr: first.kind.gvr.clone(), changes })
    }
}

impl Merged {
    fn find(&self, Named(named): &Named) -> Option<&(Change, OnceLock<String>)> {
        let by_name = |name: &String| {
            let mut from = self.changes.range((name.clone(), String::new())..);
            from.next().filter(|((found, _), _)| found == name).map(|(_, change)| change)
        };
        named.iter().flatten().find_map(by_name).or_else(|| self.changes.values().next())
    }
}

impl Change {
    /// It came to nothing.
    fn is_none(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => before.same_json(after),
            (before, after) => before.is_none() && after.is_none(),
        }
    }

    fn is_read(&self, kind: &Kind, basis: &Basis) -> bool {
        let (Some(before), Some(after)) = (&self.before, &self.after) else { return true };
        let mut path = vec![ROOT, kind.state_path()];
        path.extend(kind.namespaced.then_some(self.name.namespace.as_str()));
        path.push(&self.name.name);
        !basis.is_same(&path, before, after)
    }

    fn words(&self) -> String {
        let read = |leaf: &Option<Arc<Leaf>>| leaf.as_ref().and_then(|leaf| leaf.decode().ok());
        let (before, after): (Option<Json>, Option<Json>) = (read(&self.before), read(&self.after));
        words(before.as_ref(), after.as_ref())
    }
}
