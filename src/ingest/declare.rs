//! Declaring a source: which kinds it loads, that its older session has ended, and what that leaves behind.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::exempt::{MOST_NAMESPACES, is_namespace_name};
use plimsoll_contract::kind::{Gvr, Kind};
use plimsoll_contract::source::{Declare, Declared};
use plimsoll_contract::target;

use crate::snapshot::store::{Next, Store};
use crate::snapshot::{Policies, SyncError, conflicts};
use crate::state::object::Intake;
use crate::state::{InvalidPointer, KindState, ROOT, SourceState, State};

/// Why a source is not declared.
#[derive(Debug, thiserror::Error)]
enum DeclareError {
    #[error("kind {gvr}: {source}")]
    Prune { gvr: Gvr, source: InvalidPointer },
    #[error("kind {gvr}: target: {message}")]
    Target { gvr: Gvr, message: String },
    #[error("kind {gvr}: path: `{path}` is not one name")]
    Path { gvr: Gvr, path: String },
    #[error("kind {kind} is declared twice: by {other} as well")]
    Twice { kind: String, other: String },
    #[error("kinds {kind} and {other} would both be data.kubernetes.{path}: give one of them another `path`")]
    SamePath { kind: String, other: String, path: String },
    #[error("kinds {kind} and {other} are both `fleet: true`: only one kind can be the clusters")]
    TwoFleets { kind: String, other: String },
    #[error("exemptNamespaces: {0} are named, more than {MOST_NAMESPACES}")]
    TooManyNamespaces(usize),
    #[error("exemptNamespaces: `{0}` is not the name of a namespace")]
    Namespace(String),
}

impl From<DeclareError> for SyncError {
    fn from(error: DeclareError) -> Self {
        Self::Invalid(error.to_string())
    }
}

impl Store {
    /// Declares a source; its older session ends. Kinds whose replication is declared as before stay loaded. Of all others of this
    /// source, those that policies read stay as they are, growing old, until they are loaded again or the source is deleted;
    /// the rest is emptied.
    pub fn declare(&self, name: &str, declare: Declare) -> Result<Declared, SyncError> {
        let session: Arc<str> = self.session(name).into();
        let snapshot = self.change(|current| {
            check(&current.state, name, &declare.kinds)?;
            check_namespaces(&declare.exempt_namespaces)?;
            let mut state = current.state.clone();
            let old = state.sources.get(name).cloned();
            let (old, now) = (old.as_deref(), self.now());
            let cluster: Option<Arc<str>> = declare.cluster.map(Into::into);
            let same_cluster = old.is_some_and(|old| old.cluster == cluster);
            let resumed = |row| Arc::new(resume(old, row, same_cluster, now));
            let kinds: Vec<_> = declare.kinds.into_iter().map(resumed).collect();
            yield_left(&mut state, name, &kinds);
            let left = left(&current.policies, old, &kinds, &state);
            let (instance, session): (Arc<str>, _) = (declare.instance.into(), session.clone());
            let former = former(old, &instance);
            let exempt_namespaces = Arc::new(declare.exempt_namespaces.into_iter().collect());
            let Declare { policies, fleet_loss, .. } = declare;
            let source = SourceState { instance, former, session, cluster, policies, exempt_namespaces, fleet_loss, kinds, left };
            empty(&mut state, old, &source);
            state.sources.insert(name.into(), Arc::new(source));
            conflicts::of_kinds(&current.policies, &state)?;
            Ok::<_, SyncError>(Some(Next { policies: current.policies.clone(), state }))
        })?;
        Ok(Declared { epoch: snapshot.epoch.to_string(), session: session.to_string(), revision: snapshot.revision })
    }
}

/// Returns the instances that declared the source before `instance`.
fn former(old: Option<&SourceState>, instance: &str) -> Vec<Arc<str>> {
    let all = old.into_iter().flat_map(|old| std::iter::once(&old.instance).chain(&old.former));
    all.filter(|former| ***former != *instance).take(SourceState::FORMER).cloned().collect()
}

/// A kind as it stands, if the older session replicated the same, or left it; versions are those of one cluster.
fn resume(old: Option<&SourceState>, row: Kind, same_cluster: bool, now: Duration) -> KindState {
    let mut same = old.into_iter().flat_map(SourceState::held).filter(|before| before.kind.gvr == row.gvr);
    let before = same.find(|before| before.loaded && replicates_the_same(&before.kind, &row));
    match before {
        Some(before) if same_cluster => KindState { kind: row, ..before.as_ref().clone() },
        Some(before) => KindState { kind: row, changed: None, seen: Arc::default(), ..before.as_ref().clone() },
        None => KindState::new(row, now),
    }
}

/// Returns kinds that are not declared any more and whose objects stay because policies read them: a fleet that is suddenly empty would
/// move everything. The objects of a kind that will be loaded in another way stay until then, if they lie where the new ones will.
fn left(policies: &Policies, old: Option<&SourceState>, kinds: &[Arc<KindState>], state: &State) -> Vec<Arc<KindState>> {
    let others = state.kinds().map(|k| &k.kind).chain(kinds.iter().map(|k| &k.kind));
    let is_fleet_known = others.filter(|kind| old.is_none_or(|old| old.position(&kind.gvr).is_none())).any(|kind| kind.fleet);
    let is_read = |kind: &Kind| policies.read_at(&[ROOT, kind.state_path()]) || (kind.fleet && !is_fleet_known);
    let mut left: Vec<Arc<KindState>> = Vec::new();
    for before in old.into_iter().flat_map(SourceState::held).filter(|before| before.loaded && is_read(&before.kind)) {
        let (row, path) = (&before.kind, before.kind.state_path());
        let is_free = match kinds.iter().find(|kind| kind.kind.state_path() == path) {
            Some(now) => !now.loaded && now.kind.gvr == row.gvr && now.kind.namespaced == row.namespaced,
            None => true,
        };
        if is_free && !left.iter().any(|other| other.kind.state_path() == path) {
            left.push(Arc::clone(before));
        }
    }
    left
}

/// Removes objects that other sources left behind, where the kinds that are declared now will lie.
fn yield_left(state: &mut State, name: &str, kinds: &[Arc<KindState>]) {
    let taken =
        |left: &KindState| kinds.iter().any(|k| k.kind.gvr == left.kind.gvr || k.kind.state_path() == left.kind.state_path());
    for (other, source) in state.sources.clone() {
        if other != name && source.left.iter().any(|left| taken(left)) {
            let (gone, left): (Vec<_>, Vec<_>) = source.left.iter().cloned().partition(|left| taken(left));
            for left in gone {
                state.tree.graft(ROOT, left.kind.state_path(), None);
            }
            state.sources.insert(other, Arc::new(SourceState { left, ..source.as_ref().clone() }));
        }
    }
}

fn replicates_the_same(a: &Kind, b: &Kind) -> bool {
    let part = |k: &Kind| (k.namespaced, k.path.clone(), k.kind.clone(), k.label_selector.clone(), k.field_selector.clone());
    part(a) == part(b) && a.prune == b.prune && a.namespaces == b.namespaces
}

/// Removes what the older session replicated and this one does not, and what others wrote where this one will write.
fn empty(state: &mut State, old: Option<&SourceState>, new: &SourceState) {
    let dropped = old.into_iter().flat_map(SourceState::held);
    let starting = new.kinds.iter().filter(|k| !k.loaded);
    let kept: Vec<_> = new.held().filter(|k| k.loaded).map(|k| k.kind.state_path()).collect();
    for path in dropped.chain(starting).map(|k| k.kind.state_path()).filter(|path| !kept.contains(path)) {
        state.tree.graft(ROOT, path, None);
    }
}

/// Fails where a declaration is wrong in itself, or collides with what other sources have declared.
fn check(state: &State, name: &str, kinds: &[Kind]) -> Result<(), DeclareError> {
    let others = state.sources.iter().filter(|(other, _)| *other != name);
    let others = others.flat_map(|(other, source)| source.kinds.iter().map(move |k| (other.as_str(), &k.kind)));
    let mut seen: Vec<(&str, &Kind)> = others.collect();
    for row in kinds {
        Intake::new(row).map_err(|source| DeclareError::Prune { gvr: row.gvr.clone(), source })?;
        if let Some(message) = row.target.as_ref().and_then(target::fault) {
            return Err(DeclareError::Target { gvr: row.gvr.clone(), message });
        }
        if row.state_path().is_empty() || row.state_path().contains('/') {
            return Err(DeclareError::Path { gvr: row.gvr.clone(), path: row.state_path().into() });
        }
        seen.iter().try_for_each(|(source, other)| apart(name, row, source, other))?;
        seen.push((name, row));
    }
    Ok(())
}

fn check_namespaces(names: &[String]) -> Result<(), DeclareError> {
    if names.len() > MOST_NAMESPACES {
        return Err(DeclareError::TooManyNamespaces(names.len()));
    }
    match names.iter().find(|name| !is_namespace_name(name)) {
        Some(name) => Err(DeclareError::Namespace(name.chars().take(80).collect())),
        None => Ok(()),
    }
}

fn apart(name: &str, row: &Kind, source: &str, other: &Kind) -> Result<(), DeclareError> {
    let (kind, other_kind) = (format!("{} (source `{name}`)", row.gvr), format!("{} (source `{source}`)", other.gvr));
    if row.gvr == other.gvr {
        return Err(DeclareError::Twice { kind, other: other_kind });
    }
    if row.state_path() == other.state_path() {
        return Err(DeclareError::SamePath { kind, other: other_kind, path: row.state_path().into() });
    }
    if row.fleet && other.fleet {
        return Err(DeclareError::TwoFleets { kind, other: other_kind });
    }
    Ok(())
}
