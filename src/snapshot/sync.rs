//! Applying a sync body: lines are read as they come, checked and encoded aside, and swapped in at the end, or not at all.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::{Delta, SyncHeader, SyncMode, Synced};

use super::store::{Next, Store, SyncError};
use super::{Snapshot, conflicts};
use crate::state::load::{Change, Load};
use crate::state::object::Intake;
use crate::state::{KindState, SourceState, State};

/// Longest line of a sync body.
pub const MAX_LINE: usize = 8 << 20;

/// A sync body that arrives in pieces. Dropped before [`Self::finish`], it has changed nothing.
#[derive(Debug)]
pub struct SyncBody<'a> {
    store: &'a Store,
    source: String,
    line: Vec<u8>,
    lines: usize,
    writer: Option<SyncWriter<'a>>,
}

/// One sync after its header. Dropped before [`Self::finish`], it has changed nothing.
#[derive(Debug)]
pub struct SyncWriter<'a> {
    store: &'a Store,
    source: String,
    header: SyncHeader,
    row: Kind,
    intake: Intake,
    began: Duration,
    aside: Aside,
}

#[derive(Debug)]
enum Aside {
    Replace(Load),
    Delta(Vec<Change>),
}

impl Store {
    /// Applies an NDJSON sync body (header line first) in one revision.
    pub fn sync(&self, name: &str, body: &[u8]) -> Result<Synced, SyncError> {
        let mut sync = self.sync_body(name);
        sync.feed(body)?;
        sync.finish()
    }

    /// Starts an NDJSON sync body (header line first) that arrives in pieces.
    pub fn sync_body(&self, name: &str) -> SyncBody<'_> {
        SyncBody { store: self, source: name.into(), line: Vec::new(), lines: 0, writer: None }
    }

    /// Starts a sync; its lines follow.
    pub fn begin_sync(&self, name: &str, header: SyncHeader) -> Result<SyncWriter<'_>, SyncError> {
        let snapshot = self.load();
        let current = session_kind(&snapshot.state, name, &header)?;
        let row = current.kind.clone();
        let aside = match header.mode {
            SyncMode::Replace => Aside::Replace(Load::new(&row, snapshot.state.objects_of(&row))),
            SyncMode::Delta if current.loaded => Aside::Delta(Vec::new()),
            SyncMode::Delta => {
                return Err(SyncError::Invalid(format!("{} is not loaded: send a `replace` before a `delta`", row.gvr)));
            }
        };
        let intake = Intake::new(&row).map_err(SyncError::Invalid)?;
        Ok(SyncWriter { store: self, source: name.into(), header, row, intake, began: self.now(), aside })
    }
}

impl SyncBody<'_> {
    /// The next piece of the body.
    pub fn feed(&mut self, mut piece: &[u8]) -> Result<(), SyncError> {
        while let Some(end) = piece.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = piece.split_at(end);
            piece = rest.get(1..).unwrap_or_default();
            if self.line.is_empty() {
                self.bounded(line.len())?;
                self.take(line)?;
            } else {
                self.hold(line)?;
                let mut held = std::mem::take(&mut self.line);
                self.take(&held)?;
                held.clear();
                self.line = held;
            }
        }
        self.hold(piece)
    }

    /// The end of the body: applies all of it in one revision, or says why nothing was applied.
    pub fn finish(mut self) -> Result<Synced, SyncError> {
        let last = std::mem::take(&mut self.line);
        if !last.is_empty() {
            self.take(&last)?;
        }
        let missing = || SyncError::Invalid("line 1: the header is missing".into());
        self.writer.ok_or_else(missing)?.finish()
    }

    fn hold(&mut self, piece: &[u8]) -> Result<(), SyncError> {
        self.bounded(self.line.len() + piece.len())?;
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn bounded(&self, len: usize) -> Result<(), SyncError> {
        if len <= MAX_LINE {
            return Ok(());
        }
        let mib = MAX_LINE >> 20;
        Err(SyncError::Invalid(format!("line {}: longer than {mib} MiB; nothing was applied", self.lines + 1)))
    }

    fn take(&mut self, line: &[u8]) -> Result<(), SyncError> {
        self.lines += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let number = self.lines;
        let numbered = |e: String| SyncError::Invalid(format!("line {number}: {e}; nothing was applied"));
        if let Some(writer) = &mut self.writer {
            return writer.line(line).map_err(numbered);
        }
        let header = serde_json::from_slice(line).map_err(|e| numbered(format!("the header cannot be read: {e}")))?;
        self.writer = Some(self.store.begin_sync(&self.source, header)?);
        Ok(())
    }
}

impl SyncWriter<'_> {
    /// One line after the header; an error says what is wrong with it.
    pub fn line(&mut self, line: &[u8]) -> Result<(), String> {
        match &mut self.aside {
            Aside::Replace(load) => {
                let object = serde_json::from_slice(line).map_err(|e| format!("the object cannot be read: {e}"))?;
                let (name, leaf) = self.intake.object(object)?;
                load.put(name, leaf);
            }
            Aside::Delta(changes) => {
                let delta = serde_json::from_slice(line).map_err(|e| format!("the change cannot be read: {e}"))?;
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
        let Self { store, source, header, row, intake: _, began, aside } = self;
        let aside = match aside {
            Aside::Replace(load) => Finished::Replace(load.finish()),
            Aside::Delta(changes) => Finished::Delta(changes),
        };
        let snapshot = store.change(|current| apply(current, &source, &header, &row, aside, began))?;
        Ok(Synced { epoch: snapshot.epoch.to_string(), revision: snapshot.revision })
    }
}

enum Finished {
    Replace(crate::state::load::Loaded),
    Delta(Vec<Change>),
}

fn apply(
    current: &Snapshot,
    name: &str,
    header: &SyncHeader,
    row: &Kind,
    aside: Finished,
    began: Duration,
) -> Result<Option<Next>, SyncError> {
    let before = session_kind(&current.state, name, header)?;
    let mut tree = current.state.tree.clone();
    let objects = match aside {
        Finished::Replace(loaded) => tree.swap(row, loaded),
        Finished::Delta(changes) => before.objects.saturating_add_signed(tree.apply(row, changes)),
    };
    before.prove(began);
    let same_tree = tree.same(&current.state.tree);
    if same_tree && before.loaded {
        return Ok(None);
    }
    if !same_tree {
        conflicts::of_kind(&current.policies, &tree, row).map_err(SyncError::Invalid)?;
    }
    let state = State { tree, sources: current.state.sources.clone() };
    Ok(Some(Next { policies: current.policies.clone(), state: loaded(state, name, row, objects) }))
}

/// The kind that a header names, if the header's session is the source's.
fn session_kind<'a>(state: &'a State, name: &str, header: &SyncHeader) -> Result<&'a KindState, SyncError> {
    let source = state.sources.get(name).ok_or_else(|| SyncError::UnknownSource(name.into()))?;
    if *source.session != *header.session {
        return Err(SyncError::SessionEnded { source_name: name.into(), session: header.session.clone() });
    }
    let kind = source.position(&header.kind).and_then(|i| source.kinds.get(i));
    kind.map(Arc::as_ref).ok_or_else(|| SyncError::Invalid(format!("kind {} is not declared by source `{name}`", header.kind)))
}

fn loaded(mut state: State, name: &str, row: &Kind, objects: usize) -> State {
    if let Some(source) = state.sources.get(name) {
        let kinds = source.kinds.iter().cloned().map(|k| match k.kind.gvr == row.gvr {
            true => Arc::new(KindState { loaded: true, objects, ..k.as_ref().clone() }),
            false => k,
        });
        let source = SourceState { kinds: kinds.collect(), ..source.as_ref().clone() };
        state.sources.insert(name.into(), Arc::new(source));
    }
    state
}
