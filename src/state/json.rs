//! Reading the tree as JSON without building it: leaves are copied as they are.

use serde_json::Value as Json;

use super::tree::{Found, Members, Node, Tree};

impl Tree {
    /// The document at a path, encoded; `None` when there is none.
    pub fn json(&self, path: &[String]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        if path.is_empty() {
            write_members(&self.root, &mut out);
            return Some(out);
        }
        match self.find(path)? {
            (Found::Node(node), _) => write_node(node, &mut out),
            (Found::Inside(leaf), used) => out = inside(leaf.decode().ok()?, path.get(used..)?)?.to_string().into_bytes(),
        }
        Some(out)
    }
}

impl Node {
    /// The node, encoded.
    pub fn json(&self) -> Vec<u8> {
        // Room for all of it: growing takes three times as much of a large one.
        let mut out = Vec::with_capacity(length(self));
        write_node(self, &mut out);
        out
    }
}

fn write_node(node: &Node, out: &mut Vec<u8>) {
    match node {
        Node::Leaf(leaf) => out.extend_from_slice(&leaf.json),
        Node::Branch(members) => write_members(members, out),
    }
}

fn write_members(members: &Members, out: &mut Vec<u8>) {
    out.push(b'{');
    for (i, (name, node)) in members.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(Json::from(name.as_ref()).to_string().as_bytes());
        out.push(b':');
        write_node(node, out);
    }
    out.push(b'}');
}

/// Bytes that it takes encoded, if no name has escapes.
fn length(node: &Node) -> usize {
    match node {
        Node::Leaf(leaf) => leaf.json.len(),
        // Two quotes, a colon and a comma each.
        Node::Branch(members) => members.iter().map(|(name, node)| name.len() + 4 + length(node)).sum::<usize>() + 2,
    }
}

/// A part of a document.
pub(crate) fn inside(document: Json, path: &[String]) -> Option<Json> {
    path.iter().try_fold(document, |at, name| match at {
        Json::Object(mut members) => members.remove(name),
        Json::Array(mut elements) => {
            let i = name.parse().ok().filter(|i| *i < elements.len())?;
            Some(elements.swap_remove(i))
        }
        _ => None,
    })
}

/// Whether a path leads to a part of a document, or is cut off by what is no object.
pub(crate) fn reaches(document: &Json, path: &[String]) -> bool {
    let mut at = document;
    for name in path {
        let Json::Object(members) = at else { return true };
        match members.get(name) {
            Some(member) => at = member,
            None => return false,
        }
    }
    true
}
