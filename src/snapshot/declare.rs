//! Declaring a source: which kinds it loads, and that its older session has ended.

use std::sync::Arc;

use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::{Declare, Declared};

use super::store::{Next, Store, random};
use super::{SyncError, conflicts};
use crate::state::object::Intake;
use crate::state::{KindState, ROOT, SourceState, State};

impl Store {
    /// Declares a source; its older session ends. Kinds whose replication is declared as before stay loaded, all others
    /// of this source are emptied.
    pub fn declare(&self, name: &str, declare: Declare) -> Result<Declared, SyncError> {
        let session: Arc<str> = random().into();
        let snapshot = self.change(|current| {
            check(&current.state, name, &declare.kinds).map_err(SyncError::Invalid)?;
            let mut state = current.state.clone();
            let old = state.sources.get(name).cloned();
            let cluster: Option<Arc<str>> = declare.cluster.map(Into::into);
            let same_cluster = old.as_ref().is_some_and(|old| old.cluster == cluster);
            let resumed = |row| resume(old.as_deref(), row, same_cluster);
            let kinds = declare.kinds.into_iter().map(|row| Arc::new(resumed(row))).collect();
            let (instance, policies) = (declare.instance.into(), declare.policies);
            let source = SourceState { instance, session: session.clone(), cluster, policies, kinds };
            empty(&mut state, old.as_deref(), &source);
            state.sources.insert(name.into(), Arc::new(source));
            conflicts::of_kinds(&current.policies, &state).map_err(SyncError::Invalid)?;
            Ok::<_, SyncError>(Some(Next { policies: current.policies.clone(), state }))
        })?;
        Ok(Declared { epoch: snapshot.epoch.to_string(), session: session.to_string(), revision: snapshot.revision })
    }
}

/// A kind as it stands, if the older session replicated the same; versions are those of one cluster.
fn resume(old: Option<&SourceState>, row: Kind, same_cluster: bool) -> KindState {
    let before = old.and_then(|source| source.kinds.get(source.position(&row.gvr)?));
    match before.filter(|before| replicates_the_same(&before.kind, &row)) {
        Some(before) if same_cluster => KindState { kind: row, ..before.as_ref().clone() },
        Some(before) => KindState { kind: row, changed: None, seen: Arc::default(), ..before.as_ref().clone() },
        None => KindState::new(row),
    }
}

fn replicates_the_same(a: &Kind, b: &Kind) -> bool {
    let part = |k: &Kind| (k.namespaced, k.path.clone(), k.kind.clone(), k.label_selector.clone(), k.field_selector.clone());
    part(a) == part(b) && a.prune == b.prune && a.namespaces == b.namespaces
}

/// Removes what the older session replicated and this one does not, and what others wrote where this one will write.
fn empty(state: &mut State, old: Option<&SourceState>, new: &SourceState) {
    let dropped = old.into_iter().flat_map(|old| &old.kinds);
    let starting = new.kinds.iter().filter(|k| !k.loaded);
    let kept: Vec<_> = new.kinds.iter().filter(|k| k.loaded).map(|k| k.kind.state_path()).collect();
    for path in dropped.chain(starting).map(|k| k.kind.state_path()).filter(|path| !kept.contains(path)) {
        state.tree.graft(ROOT, path, None);
    }
}

/// What is wrong with a declaration, beside what other sources have declared.
fn check(state: &State, name: &str, kinds: &[Kind]) -> Result<(), String> {
    let others = state.sources.iter().filter(|(other, _)| *other != name);
    let others = others.flat_map(|(other, source)| source.kinds.iter().map(move |k| (other.as_str(), &k.kind)));
    let mut seen: Vec<(&str, &Kind)> = others.collect();
    for row in kinds {
        Intake::new(row).map_err(|e| format!("kind {}: {e}", row.gvr))?;
        if row.state_path().is_empty() || row.state_path().contains('/') {
            return Err(format!("kind {}: path: `{}` is not one name", row.gvr, row.state_path()));
        }
        seen.iter().try_for_each(|(source, other)| apart(name, row, source, other))?;
        seen.push((name, row));
    }
    Ok(())
}

fn apart(name: &str, row: &Kind, source: &str, other: &Kind) -> Result<(), String> {
    let (a, b) = (format!("{} (source `{name}`)", row.gvr), format!("{} (source `{source}`)", other.gvr));
    if row.gvr == other.gvr {
        return Err(format!("kind {a} is declared twice: by {b} as well"));
    }
    if row.state_path() == other.state_path() {
        let path = row.state_path();
        return Err(format!("kinds {a} and {b} would both be data.kubernetes.{path}: give one of them another `path`"));
    }
    if row.fleet && other.fleet {
        return Err(format!("kinds {a} and {b} are both `fleet: true`: only one kind can be the clusters"));
    }
    Ok(())
}
