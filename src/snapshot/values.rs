//! The state as values that policies read: only what is read, and from an older one only what changed.

use imbl::ordmap::DiffItem;

use super::reads::Reads;
use crate::rego::{EvalError, Value};
use crate::state::{Leaf, Members, Node, Tree, same_json};

/// The values of the snapshot before, of which unchanged parts are taken over.
#[derive(Clone, Copy)]
pub(super) struct Older<'a> {
    pub(super) reads: &'a Reads,
    pub(super) tree: &'a Tree,
    pub(super) value: &'a Value,
}

/// The part of the tree that is read, as one document.
pub(super) fn build(reads: &Reads, tree: &Tree, older: Option<Older<'_>>) -> Result<Value, EvalError> {
    let root = Node::Branch(tree.root().clone());
    let old = older.map(|o| Old { reads: o.reads, node: Node::Branch(o.tree.root().clone()), value: o.value.clone() });
    node(reads, &root, old)
}

/// A node that was built before. Its parts are cheap to clone.
struct Old<'a> {
    reads: &'a Reads,
    node: Node,
    value: Value,
}

impl<'a> Old<'a> {
    fn child(&self, name: &str) -> Option<Old<'a>> {
        let reads = if self.reads.all { self.reads } else { self.reads.members.get(name)? };
        Some(Old { reads, node: self.node.branch()?.get(name)?.clone(), value: self.value.member(name)? })
    }
}

fn node(reads: &Reads, new: &Node, old: Option<Old<'_>>) -> Result<Value, EvalError> {
    match new {
        Node::Leaf(new) => leaf(new, old),
        Node::Branch(new) if reads.all => whole(reads, new, old),
        Node::Branch(new) => {
            let read = reads.members.iter().filter_map(|(name, reads)| Some((name, reads, new.get(name.as_str())?)));
            members(read.map(|(name, reads, new)| (name.as_str(), reads, new)), old.as_ref())
        }
    }
}

fn leaf(new: &Leaf, old: Option<Old<'_>>) -> Result<Value, EvalError> {
    match old {
        Some(Old { node: Node::Leaf(old), value, .. }) if old.same_json(new) => Ok(value),
        _ => Value::from_json(&new.json)
            .map_err(|e| EvalError::Failed { document: "data".into(), message: format!("reading the state: {e}") }),
    }
}

fn whole(reads: &Reads, new: &Members, old: Option<Old<'_>>) -> Result<Value, EvalError> {
    let same_part = old.as_ref().filter(|old| old.reads.all);
    let Some((old, before)) = same_part.and_then(|old| Some((old, old.node.branch()?))) else {
        return members(new.iter().map(|(name, new)| (name.as_ref(), reads, new)), old.as_ref());
    };
    let changes = before.diff(new).filter_map(|item| match item {
        DiffItem::Remove(name, _) => Some(Ok((name.to_string(), None))),
        DiffItem::Update { old: (_, old), new: (_, new) } if same_json(old, new) => None,
        DiffItem::Add(name, new) | DiffItem::Update { new: (name, new), .. } => {
            Some(node(reads, new, old.child(name)).map(|value| (name.to_string(), Some(value))))
        }
    });
    let changes = changes.collect::<Result<Vec<_>, EvalError>>()?;
    Ok(if changes.is_empty() { old.value.clone() } else { old.value.with_members(changes) })
}

fn members<'a>(members: impl Iterator<Item = (&'a str, &'a Reads, &'a Node)>, old: Option<&Old<'_>>) -> Result<Value, EvalError> {
    let built = members.map(|(name, reads, new)| {
        let old = old.and_then(|old| old.child(name));
        Ok((name.to_owned(), node(reads, new, old)?))
    });
    Ok(Value::object(built.collect::<Result<Vec<_>, EvalError>>()?))
}

#[cfg(test)]
mod tests;
