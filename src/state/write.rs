//! Writing into the tree as OPA's data API means it. A write that is refused has changed nothing.

use std::sync::Arc;

use serde_json::Value as Json;

use super::incoming::Incoming;
use super::leaf::{Leaf, is_object};
use super::pointer::{self, Op};
use super::share;
use super::tree::{Members, Node, Tree, WriteError};

/// Deepest nesting of the whole document.
pub const MAX_DEPTH: usize = 128;

impl Node {
    /// The document.
    pub fn decode(&self) -> Result<Json, serde_json::Error> {
        match self {
            Self::Leaf(leaf) => leaf.decode(),
            Self::Branch(members) => {
                let members = members.iter().map(|(name, node)| Ok((name.to_string(), node.decode()?)));
                members.collect::<Result<_, _>>().map(Json::Object)
            }
        }
    }
}

impl Tree {
    /// Writes; says whether anything changed. Of [`Op::Remove`] the value does not count.
    pub fn write(&mut self, op: Op, path: &[String], value: impl Into<Incoming>) -> Result<bool, WriteError> {
        let value = value.into();
        if path.len() + value.levels() > MAX_DEPTH {
            return Err(too_deep(path));
        }
        if path.is_empty() {
            return self.write_root(op, &value);
        }
        write_below(&mut self.root, op, path, 0, &value)
    }

    fn write_root(&mut self, op: Op, value: &Incoming) -> Result<bool, WriteError> {
        let refused = |why: &str| Err(WriteError::Invalid(format!("storage_invalid_patch_error: {why}")));
        if op == Op::Remove {
            return refused("root cannot be removed");
        }
        let Some(members) = value.members() else { return refused("root must be object") };
        let root = share::members(members, &self.root);
        let changed = !root.ptr_eq(&self.root);
        self.root = root;
        Ok(changed)
    }

    /// Puts a branch in place, making its parents; for a source's own kinds. Says whether anything changed.
    pub(crate) fn graft(&mut self, parent: &str, name: &str, node: Option<Node>) -> bool {
        let mut members = self.root.get(parent).and_then(Node::branch).cloned().unwrap_or_default();
        let same = match (members.get(name), &node) {
            (Some(old), Some(new)) => old.same(new),
            (old, new) => old.is_none() && new.is_none(),
        };
        if same {
            return false;
        }
        match node {
            Some(node) => drop(members.insert(name.into(), node)),
            None => drop(members.remove(name)),
        }
        self.root.insert(parent.into(), Node::Branch(members));
        true
    }
}

fn write_below(members: &mut Members, op: Op, path: &[String], at: usize, value: &Incoming) -> Result<bool, WriteError> {
    let Some((name, rest)) = path.get(at..).and_then(<[String]>::split_first) else { return Ok(false) };
    let old = members.get(name.as_str());
    if rest.is_empty() {
        return match (op, old) {
            (Op::Remove | Op::Replace, None) => Err(pointer::missing(path)),
            (Op::Remove, Some(_)) => Ok(members.remove(name.as_str()).is_some()),
            _ => Ok(share::set(members, name.as_str(), value.placed(at + 1))),
        };
    }
    match old {
        None if op == Op::Put => Ok(share::set(members, name.as_str(), value.nested(rest, at + 1))),
        None => Err(pointer::missing(path)),
        Some(Node::Branch(children)) => {
            let mut children = children.clone();
            let changed = write_below(&mut children, op, path, at + 1, value)?;
            if changed {
                members.insert(name.as_str().into(), settle(children));
            }
            Ok(changed)
        }
        Some(Node::Leaf(leaf)) => {
            let unreadable = |error| WriteError::Invalid(format!("{}: {error}", pointer::show(path)));
            let mut document = leaf.decode().map_err(unreadable)?;
            pointer::apply(&mut document, op, path, at + 1, &value.decode().map_err(unreadable)?)?;
            let document = Incoming::of(&document, at + 1);
            if at + 1 + document.levels() > MAX_DEPTH {
                return Err(too_deep(path));
            }
            Ok(share::set(members, name.as_str(), document.placed(at + 1)))
        }
    }
}

/// A branch that has become an object of Kubernetes is kept whole from here on.
fn settle(children: Members) -> Node {
    let whole = is_object(&children);
    let node = Node::Branch(children);
    if whole { Node::Leaf(Arc::new(Leaf::of_text(node.json()))) } else { node }
}

fn too_deep(path: &[String]) -> WriteError {
    WriteError::Invalid(format!("{}: nested deeper than {MAX_DEPTH} levels", pointer::show(path)))
}

#[cfg(test)]
mod tests;
