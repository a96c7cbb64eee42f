//! Binding a program to the state that it reads: once per change of what is read, not once per snapshot.

use std::sync::Arc;

use parking_lot::Mutex;

use super::reads::Reads;
use super::{Policies, Snapshot};
use crate::rego::{EvalError, Prepared, Program, Value};
use crate::state::{Node, Tree};

/// The last program that was bound, for the snapshots that come after it.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    last: Mutex<Option<Bound>>,
}

#[derive(Debug)]
struct Bound {
    revision: u64,
    program: Arc<Program>,
    tree: Tree,
    prepared: Arc<Prepared>,
}

impl Shelf {
    /// The program of a snapshot, bound to its state. Two readers never bind the same twice: the second waits.
    pub(super) fn prepare(&self, snapshot: &Snapshot) -> Result<Arc<Prepared>, EvalError> {
        let mut last = self.last.lock();
        let Policies { program, reads, .. } = snapshot.policies.as_ref();
        if let Some(bound) = last.as_mut().filter(|bound| bound.serves(snapshot)) {
            // Later comparisons start from the newer tree.
            if snapshot.revision > bound.revision {
                bound.revision = snapshot.revision;
                bound.tree = snapshot.state.tree.clone();
            }
            return Ok(bound.prepared.clone());
        }
        let value = build(reads, &snapshot.state.tree)?;
        let prepared = Arc::new(program.prepare(value)?);
        if last.as_ref().is_none_or(|bound| bound.revision <= snapshot.revision) {
            let (revision, tree) = (snapshot.revision, snapshot.state.tree.clone());
            *last = Some(Bound { revision, program: program.clone(), tree, prepared: prepared.clone() });
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

fn build(reads: &Reads, tree: &Tree) -> Result<Value, EvalError> {
    read_members(reads, tree.root())
}

fn read_members(reads: &Reads, members: &crate::state::Members) -> Result<Value, EvalError> {
    if reads.all {
        return whole(&Node::Branch(members.clone()));
    }
    let read = reads.members.iter().filter_map(|(name, reads)| Some((name, reads, members.get(name.as_str())?)));
    let read = read.map(|(name, reads, node)| match node {
        Node::Branch(members) => Ok((name.clone(), read_members(reads, members)?)),
        Node::Leaf(_) => Ok((name.clone(), whole(node)?)),
    });
    Ok(Value::object(read.collect::<Result<Vec<_>, EvalError>>()?))
}

fn whole(node: &Node) -> Result<Value, EvalError> {
    match node {
        Node::Branch(members) => {
            let members = members.iter().map(|(name, node)| Ok((name.to_string(), whole(node)?)));
            Ok(Value::object(members.collect::<Result<Vec<_>, EvalError>>()?))
        }
        Node::Leaf(leaf) => Value::from_json(&leaf.json)
            .map_err(|e| EvalError::Failed { document: "data".into(), message: format!("reading the state: {e}") }),
    }
}
