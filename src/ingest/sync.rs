//! Applying a sync body: lines are read as they come, checked and encoded aside, and swapped in at the end, or not at all.

mod body;

use std::sync::Arc;
use std::time::Duration;

pub use body::{Admit, MAX_LINE, SyncBody};
use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::{Delta, SyncHeader, SyncMode, Synced};
use plimsoll_contract::version::ResourceVersion;

use crate::snapshot::emptied::{Change as FleetChange, HeldBack};
use crate::snapshot::store::{Next, Store, SyncError};
use crate::snapshot::{Snapshot, conflicts};
use crate::state::load::{Change, Load, Loaded};
use crate::state::object::{Intake, ObjectError};
use crate::state::{KindState, ROOT, Seen, SourceState, State, Tree, Versions, same_json};

/// One sync after its header. Dropped before [`Self::finish`], it has changed nothing.
#[derive(Debug)]
pub struct SyncWriter<'a> {
    store: &'a Store,
    target: Target,
    intake: Intake,
    aside: Aside,
}

/// Why a line is not taken in; nothing of its sync is applied then.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// No JSON.
    #[error("the object cannot be read: {0}")]
    Object(serde_json::Error),
    /// No JSON, or neither `put` nor `remove`.
    #[error("the change cannot be read: {0}")]
    Change(serde_json::Error),
    /// The object does not fit its kind.
    #[error(transparent)]
    Unfit(#[from] ObjectError),
}

/// The source and kind of a sync, and when it began: nothing in it is older than that.
#[derive(Debug)]
struct Target {
    source: String,
    header: SyncHeader,
    row: Kind,
    began: Duration,
}

#[derive(Debug)]
enum Aside {
    Replace(Load),
    Delta(Vec<Change>),
}

impl Store {
    /// Starts a sync whose request began at `began` (time since the engine started); its lines follow.
    pub fn begin_sync(&self, name: &str, header: SyncHeader, began: Duration) -> Result<SyncWriter<'_>, SyncError> {
        let snapshot = self.load();
        let current = session_kind(&snapshot.state, name, &header).map_err(|error| self.session_error(error, &header.session))?;
        let row = current.kind.clone();
        let aside = match header.mode {
            SyncMode::Replace => Aside::Replace(Load::new(&row, snapshot.state.objects_of(&row))),
            SyncMode::Delta if current.loaded => Aside::Delta(Vec::new()),
            SyncMode::Delta => {
                return Err(SyncError::Invalid(format!("{} is not loaded: send a `replace` before a `delta`", row.gvr)));
            }
        };
        let intake = Intake::new(&row).map_err(|error| SyncError::Invalid(error.to_string()))?;
        let target = Target { source: name.into(), header, row, began };
        Ok(SyncWriter { store: self, target, intake, aside })
    }
}

impl SyncWriter<'_> {
    /// Takes one line after the header. Fails when it is no object, or no change, of the kind.
    pub fn line(&mut self, line: &[u8]) -> Result<(), LineError> {
        match &mut self.aside {
            Aside::Replace(load) => {
                let object = serde_json::from_slice(line).map_err(LineError::Object)?;
                let (name, leaf) = self.intake.object(object)?;
                load.put(name, leaf);
            }
            Aside::Delta(changes) => {
                let delta = serde_json::from_slice(line).map_err(LineError::Change)?;
                changes.push(match delta {
                    Delta::Put(object) => {
                        let (name, leaf) = self.intake.object(object)?;
                        Change { name, leaf: Some(leaf) }
                    }
                    Delta::Remove(name) => Change { name: self.intake.checked(name)?, leaf: None },
                });
            }
        }
        Ok(())
    }

    /// Applies all lines in one revision; one that changes nothing proves freshness and publishes nothing.
    pub fn finish(self) -> Result<Synced, SyncError> {
        let aside = match self.aside {
            Aside::Replace(load) => Complete::Replace(load.finish()),
            Aside::Delta(changes) => Complete::Delta(changes),
        };
        let mut seen = None;
        let mut proof = None;
        let snapshot =
            self.store.change(|current| self.target.apply(current, aside, &self.store.held_back, (&mut seen, &mut proof)));
        let snapshot = snapshot.map_err(|error| self.store.session_error(error, &self.target.header.session))?;
        // Not before what was proved is published: until then nobody may take the state before for fresh.
        if let Some(kind) = proof {
            kind.prove(self.target.asked());
        }
        // Not before the objects are published: who reads a version first finds them in the snapshot that he reads then.
        seen.iter().for_each(|seen| self.target.tell(seen));
        self.store.proved();
        Ok(Synced { epoch: snapshot.epoch.to_string(), revision: snapshot.revision })
    }
}

enum Complete {
    Replace(Loaded),
    Delta(Vec<Change>),
}

impl Target {
    fn apply(
        &self,
        current: &Snapshot,
        complete: Complete,
        held_back: &HeldBack,
        (seen, proof): (&mut Option<Arc<Seen>>, &mut Option<Arc<KindState>>),
    ) -> Result<Option<Next>, SyncError> {
        let before = session_kind(&current.state, &self.source, &self.header)?;
        // Changes say what happened, not that nothing else did: they may come late.
        let is_proof = !matches!(&complete, Complete::Delta(changes) if !changes.is_empty());
        let mut tree = current.state.tree.clone();
        let objects = match complete {
            Complete::Replace(loaded) => tree.swap(&self.row, loaded),
            Complete::Delta(changes) => before.objects.saturating_add_signed(tree.apply(&self.row, changes)),
        };
        let same_tree = tree.same(&current.state.tree);
        if !same_tree {
            conflicts::of_kind(&current.policies, &tree, &self.row)?;
        }
        let state = State { tree, sources: current.state.sources.clone() };
        if self.row.fleet && (before.loaded || self.is_stood_in_for(&current.state, before)) {
            let change = FleetChange { source: &self.source, row: &self.row, mode: self.header.mode, asked: self.asked() };
            held_back.check(change, (&current.state, &state))?;
        }
        if is_proof && !held_back.of(&self.source, &self.row) {
            *proof = Some(Arc::clone(before));
        }
        *seen = Some(before.seen.clone());
        let changed = self.changed(before, &current.state.tree, &state.tree);
        if same_tree && before.loaded && changed == before.changed {
            return Ok(None);
        }
        Ok(Some(Next { policies: current.policies.clone(), state: self.loaded(state, objects, &changed) }))
    }

    /// Whether an older declaration left objects of the kind.
    fn is_stood_in_for(&self, state: &State, kind: &KindState) -> bool {
        state.sources.get(&self.source).is_some_and(|source| source.is_stood_in_for(kind))
    }

    /// The last version that altered the fleet, after this sync; nobody asks it of other kinds.
    fn changed(&self, before: &KindState, old: &Tree, new: &Tree) -> Option<ResourceVersion> {
        if !self.row.fleet {
            return None;
        }
        let (version, is_list) = (self.header.resource_version.clone(), self.header.mode == SyncMode::Replace);
        let path = [ROOT, self.row.state_path()];
        let is_same = old.get(&path).zip(new.get(&path)).is_some_and(|(old, new)| same_json(old, new));
        match &before.changed {
            // A list that alters nothing tells nothing new, unless its API server counts from an older version again.
            Some(before) if is_same && (!is_list || version.as_ref().is_none_or(|version| version >= before)) => {
                Some(before.clone())
            }
            None if is_same && !is_list => None,
            _ => version,
        }
    }

    /// Tells up to which version the kind has been seen.
    fn tell(&self, seen: &Seen) {
        let SyncHeader { resource_version, listed_millis_ago, mode, .. } = &self.header;
        let asked = listed_millis_ago.map(|_| self.asked());
        let versions = Versions { proved: resource_version.clone(), listed: resource_version.clone().zip(asked) };
        match mode {
            SyncMode::Replace => seen.start(versions),
            SyncMode::Delta => seen.advance(versions),
        }
    }

    /// When what is sent was so at the latest: a list is as old as its request.
    fn asked(&self) -> Duration {
        self.began.saturating_sub(Duration::from_millis(self.header.listed_millis_ago.unwrap_or_default()))
    }

    fn loaded(&self, mut state: State, objects: usize, changed: &Option<ResourceVersion>) -> State {
        if let Some(source) = state.sources.get(&self.source) {
            let kinds = source.kinds.iter().cloned().map(|k| match k.kind.gvr == self.row.gvr {
                true => Arc::new(KindState { loaded: true, objects, changed: changed.clone(), ..k.as_ref().clone() }),
                false => k,
            });
            // What stood in for the kind until now is replaced.
            let left = source.left.iter().filter(|left| left.kind.state_path() != self.row.state_path());
            let (kinds, left) = (kinds.collect(), left.cloned().collect());
            let source = SourceState { kinds, left, ..source.as_ref().clone() };
            state.sources.insert(self.source.clone(), Arc::new(source));
        }
        state
    }
}

/// The kind that a header names, if the header's session is the source's.
fn session_kind<'a>(state: &'a State, name: &str, header: &SyncHeader) -> Result<&'a Arc<KindState>, SyncError> {
    let source = state.sources.get(name).ok_or_else(|| SyncError::UnknownSource(name.into()))?;
    if *source.session != *header.session {
        return Err(SyncError::SessionEnded { source_name: name.into(), session: header.session.clone() });
    }
    let kind = source.position(&header.kind).and_then(|i| source.kinds.get(i));
    kind.ok_or_else(|| SyncError::Invalid(format!("kind {} is not declared by source `{name}`", header.kind)))
}
