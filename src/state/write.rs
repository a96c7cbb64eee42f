//! Writing into the tree as OPA's data API means it. A write that is refused has changed nothing.

use std::sync::Arc;

use serde_json::Value as Json;

use super::leaf::{Leaf, OBJECT, is_leaf};
use super::pointer::{self, Op};
use super::tree::{Members, Node, Tree, WriteError};

/// Deepest nesting of the whole document.
pub const MAX_DEPTH: usize = 128;

impl Node {
    /// A value as a node at a depth, in memory shared with what was there as far as both are equal.
    pub fn from_json(value: &Json, depth: usize, old: Option<&Self>) -> Self {
        match value {
            Json::Object(members) if !is_leaf(value, depth) => Self::branch_from(members, depth, old.and_then(Self::branch)),
            _ => Self::Leaf(Leaf::new(value).shared_with(old.and_then(Self::leaf))),
        }
    }

    fn branch_from(members: &serde_json::Map<String, Json>, depth: usize, old: Option<&Members>) -> Self {
        let mut branch = old.cloned().unwrap_or_default();
        let gone = branch.keys().filter(|name| !members.contains_key(name.as_ref())).cloned();
        gone.collect::<Vec<_>>().iter().for_each(|name| drop(branch.remove(name)));
        for (name, value) in members {
            set(&mut branch, name, value, depth + 1);
        }
        Self::Branch(branch)
    }

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

/// Sets a member; says whether anything changed.
fn set(members: &mut Members, name: &str, value: &Json, depth: usize) -> bool {
    let old = members.get(name);
    let new = Node::from_json(value, depth, old);
    if old.is_some_and(|old| old.same(&new)) {
        return false;
    }
    // An equal key keeps its memory.
    let key = members.get_key_value(name).map_or_else(|| Arc::from(name), |(key, _)| key.clone());
    members.insert(key, new);
    true
}

impl Tree {
    /// Writes; says whether anything changed.
    pub fn write(&mut self, op: Op, path: &[String], value: &Json) -> Result<bool, WriteError> {
        if path.len() + pointer::depth(value) > MAX_DEPTH {
            return Err(too_deep(path));
        }
        if path.is_empty() {
            return self.write_root(op, value);
        }
        write_below(&mut self.root, op, path, 0, value)
    }

    fn write_root(&mut self, op: Op, value: &Json) -> Result<bool, WriteError> {
        let refused = |why: &str| Err(WriteError::Invalid(format!("storage_invalid_patch_error: {why}")));
        let members = match value {
            _ if op == Op::Remove => return refused("root cannot be removed"),
            Json::Object(members) => members,
            _ => return refused("root must be object"),
        };
        let Node::Branch(root) = Node::branch_from(members, 0, Some(&self.root)) else { return Ok(false) };
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

fn write_below(members: &mut Members, op: Op, path: &[String], at: usize, value: &Json) -> Result<bool, WriteError> {
    let Some((name, rest)) = path.get(at..).and_then(<[String]>::split_first) else { return Ok(false) };
    let old = members.get(name.as_str());
    if rest.is_empty() {
        return match (op, old) {
            (Op::Remove | Op::Replace, None) => Err(pointer::missing(path)),
            (Op::Remove, Some(_)) => Ok(members.remove(name.as_str()).is_some()),
            _ => Ok(set(members, name, value, at + 1)),
        };
    }
    match old {
        None if op == Op::Put => Ok(set(members, name, &nest(rest, value), at + 1)),
        None => Err(pointer::missing(path)),
        Some(Node::Branch(children)) => {
            let mut children = children.clone();
            let changed = write_below(&mut children, op, path, at + 1, value)?;
            if changed {
                members.insert(name.as_str().into(), settle(children, at + 1)?);
            }
            Ok(changed)
        }
        Some(Node::Leaf(leaf)) => {
            let mut document = leaf.decode().map_err(|e| WriteError::Invalid(format!("{}: {e}", pointer::show(path))))?;
            pointer::apply(&mut document, op, path, at + 1, value)?;
            if at + 1 + pointer::depth(&document) > MAX_DEPTH {
                return Err(too_deep(path));
            }
            Ok(set(members, name, &document, at + 1))
        }
    }
}

/// A branch that has become an object of Kubernetes is kept whole from here on.
fn settle(children: Members, depth: usize) -> Result<Node, WriteError> {
    let object = OBJECT.iter().all(|name| children.contains_key(*name));
    let node = Node::Branch(children);
    if !object {
        return Ok(node);
    }
    let document = node.decode().map_err(|e| WriteError::Invalid(e.to_string()))?;
    Ok(Node::from_json(&document, depth, Some(&node)))
}

fn nest(path: &[String], value: &Json) -> Json {
    path.iter().rev().fold(value.clone(), |inner, name| Json::Object([(name.clone(), inner)].into_iter().collect()))
}

fn too_deep(path: &[String]) -> WriteError {
    WriteError::Invalid(format!("{}: nested deeper than {MAX_DEPTH} levels", pointer::show(path)))
}

#[cfg(test)]
mod tests;
