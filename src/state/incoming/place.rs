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
    pub(crate) fn members(&self) -> Option<Members> {
        match self.placed(0) {
            Node::Branch(members) => Some(members),
            Node::Leaf(leaf) => opened(&leaf, 0),
        }
    }
}

/// The members of a leaf that is an object and stands so many names below `data`; `None` for anything else.
pub(crate) fn opened(leaf: &Leaf, depth: usize) -> Option<Members> {
    if !leaf.json.starts_with(b"{") {
        return None;
    }
    let mut text = serde_json::Deserializer::from_slice(&leaf.json);
    match Reader::default().members(depth).deserialize(&mut text).ok()? {
        Node::Branch(members) => Some(members),
        Node::Leaf(_) => None,
    }
}

/// One leaf of it all.
fn whole(node: &Node) -> Node {
    Node::Leaf(Arc::new(Leaf::of_text(node.json())))
}

/// Returns a node for a place further down: a branch may be kept whole there.
pub(super) fn deeper(node: &Node, depth: usize) -> Node {
    match node {
        Node::Leaf(_) => node.clone(),
        Node::Branch(members) if depth >= LEAF_DEPTH || is_object(members) => whole(node),
        Node::Branch(members) => {
            let mut placed = members.clone();
            for (name, node) in members {
                let there = deeper(node, depth + 1);
                // What stays as it is keeps its memory.
                if !there.same(node) {
                    placed.insert(name.clone(), there);
                }
            }
            Node::Branch(placed)
        }
    }
}

/// Levels of nesting of a node, counted in its text.
pub(super) fn levels(node: &Node) -> usize {
    match node {
        Node::Leaf(leaf) => nesting(&leaf.json),
        Node::Branch(members) => members.values().map(levels).max().unwrap_or_default() + 1,
    }
}

fn nesting(text: &[u8]) -> usize {
    let (mut open, mut most, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// Returns a node for a place further up: what is kept whole may be a branch there.
fn shallower(node: &Node, depth: usize) -> Node {
    let again = |value| At(depth).deserialize(&value).map(|read| read.node);
    node.decode().and_then(again).unwrap_or_else(|_| node.clone())
}
