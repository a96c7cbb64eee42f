//! Binding a program to the state that it reads: once per change of what is read, not once per snapshot.

use std::sync::Arc;

use parking_lot::Mutex;

use super::reads::Reads;
use super::values::{self, Older};
use super::{Policies, Snapshot};
use crate::rego::{EvalError, Prepared, Program, Value};
use crate::state::Tree;

/// The last program that was bound, for the snapshots that come after it.
#[derive(Debug, Default)]
pub(super) struct PreparedCache {
    last: Mutex<Option<Bound>>,
}

#[derive(Debug)]
struct Bound {
    revision: u64,
    program: Arc<Program>,
    reads: Arc<Reads>,
    /// Only what is read: nothing else of an old state is kept in memory.
    tree: Tree,
    value: Value,
    prepared: Arc<Prepared>,
}

impl PreparedCache {
    /// The program of a snapshot, bound to its state. Two readers never bind the same twice: the second waits.
    pub(super) fn prepare(&self, snapshot: &Snapshot) -> Result<Arc<Prepared>, EvalError> {
        let mut last = self.last.lock();
        let (Policies { program, reads, .. }, tree) = (snapshot.policies.as_ref(), &snapshot.state.tree);
        if let Some(bound) = last.as_mut().filter(|bound| bound.serves(snapshot)) {
            // Later comparisons start from the newer tree.
            if snapshot.revision > bound.revision {
                bound.revision = snapshot.revision;
                bound.tree = reads.part(tree);
            }
            return Ok(bound.prepared.clone());
        }
        let older = last.as_ref().map(|b| Older { reads: &b.reads, tree: &b.tree, value: &b.value });
        let value = values::build(reads, tree, older)?;
        let prepared = Arc::new(match &*last {
            Some(older) => program.prepare_after(&older.prepared, value.clone())?,
            None => program.prepare(value.clone())?,
        });
        if last.as_ref().is_none_or(|bound| bound.revision <= snapshot.revision) {
            let (program, reads, tree) = (program.clone(), reads.clone(), reads.part(tree));
            *last = Some(Bound { revision: snapshot.revision, program, reads, tree, value, prepared: prepared.clone() });
        }
        Ok(prepared)
    }
}

impl Bound {
    fn serves(&self, snapshot: &Snapshot) -> bool {
        let policies = &snapshot.policies;
        Arc::ptr_eq(&self.program, &policies.program) && policies.reads.agree(&self.tree, &snapshot.state.tree)
    }
}
