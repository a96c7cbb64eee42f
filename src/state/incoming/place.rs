//! Where a document goes: deeper than it was taken apart for, below names of its own, or into another one.

use std::sync::Arc;

use serde::de::DeserializeSeed;

use super::read::Reader;
use super::{At, Incoming};
use crate::state::leaf::{LEAF_DEPTH, Leaf, is_object};
use crate::state::tree::{Members, Node};

impl Incoming {
    /// Returns the node for a place so many names below `data`.
    pub fn placed(&self, depth: usize) -> Node {
        match depth < self.depth {
            true => shallower(&self.node, depth),
            false if depth == self.depth => self.node.clone(),
            false => deeper(&self.node, depth),
        }
    }

    /// Returns the document below names of its own, as a node for a place so many names below `data`.
    pub(in crate::state) fn nested(&self, names: &[String], depth: usize) -> Node {
        let inner = self.placed(depth + names.len());
        let wrap = |inner, (at, name): (usize, &String)| {
            let branch = Node::Branch(Members::unit(name.as_str().into(), inner));
            if depth + at >= LEAF_DEPTH { whole(&branch) } else { branch }
        };
        names.iter().enumerate().rev().fold(inner, wrap)
    }

    /// Returns the members of an object at the root, which is taken apart whatever is in it; `None` for anything else.
    pub(in crate::state) fn members(&self) -> Option<Members> {
        match self.placed(0) {
            Node::Branch(members) => Some(members),
            Node::Leaf(leaf) => opened(&leaf, 0),
        }
    }
}

/// The members of a leaf that is an object.
pub(in crate::state) fn opened(leaf: &Leaf, depth: usize) -> Option<Members> {
    if !leaf.json.starts_with(b"{") {
        return None;
    }
    let value = leaf.decode().ok()?;
    match Reader::default().members(depth).deserialize(&value).ok()? {
        Node::Branch(members) => Some(members),
        Node::Leaf(_) => None,
    }
}

/// One leaf of it all.
fn whole(node: &Node) -> Node {
    Node::Leaf(Arc::new(Leaf::of_text(node.json())))
}

/// What is a branch further up may be whole there.
fn deeper(node: &Node, depth: usize) -> Node {
    match node {
        Node::Leaf(_) => node.clone(),
        Node::Branch(members) if depth >= LEAF_DEPTH || is_object(members) => whole(node),
        Node::Branch(members) => {
            Node::Branch(members.iter().map(|(name, node)| (name.clone(), deeper(node, depth + 1))).collect())
        }
    }
}

/// What is whole further down may be a branch there.
fn shallower(node: &Node, depth: usize) -> Node {
    let again = |value| At(depth).deserialize(&value).map(|read| read.node);
    node.decode().and_then(again).unwrap_or_else(|_| node.clone())
}
