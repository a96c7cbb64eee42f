//! A persistent tree of JSON: branches are maps, leaves are encoded JSON. A write costs what changed.

use std::sync::Arc;

use imbl::OrdMap;

/// A document tree. Cloning is cheap; clones share what neither changed.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    root: OrdMap<Arc<str>, Node>,
}

/// A part of the tree.
#[derive(Clone, Debug)]
pub enum Node {
    /// A JSON object whose members are nodes.
    Branch(OrdMap<Arc<str>, Node>),
    /// Any JSON, encoded.
    Leaf(Arc<Leaf>),
}

/// Encoded JSON, and for a replicated object what travels beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Compact JSON.
    pub json: Box<[u8]>,
    /// `metadata.uid` of a replicated object.
    pub uid: Box<str>,
    /// `metadata.resourceVersion` of a replicated object.
    pub resource_version: Box<str>,
}

/// One operation of an OPA data PATCH.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct PatchOp {
    /// `add`, `remove` or `replace`.
    pub op: String,
    /// JSON pointer below the request's path.
    pub path: String,
    /// The value of add and replace.
    #[serde(default)]
    pub value: Option<serde_json::Value>,
}

/// Why a write was refused; nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// OPA: 404 `resource_conflict`.
    #[error("storage_write_conflict_error: {0}")]
    BelowScalar(String),
    /// OPA: 404 `resource_not_found`.
    #[error("storage_not_found_error: {0}: document does not exist")]
    NotFound(String),
    /// OPA: 400.
    #[error("{0}")]
    Invalid(String),
}

impl Node {
    /// The leaf, if this is one.
    pub fn leaf(&self) -> Option<&Leaf> {
        match self {
            Self::Leaf(leaf) => Some(leaf),
            Self::Branch(_) => None,
        }
    }

    /// Whether both are one and the same piece of memory, hence equal. May say no for equal nodes.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Branch(a), Self::Branch(b)) => a.ptr_eq(b),
            (Self::Leaf(a), Self::Leaf(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Tree {
    /// The node at a path; the root is not a node.
    pub fn get(&self, path: &[&str]) -> Option<&Node> {
        let (last, parents) = path.split_last()?;
        let mut map = &self.root;
        for name in parents {
            match map.get(*name)? {
                Node::Branch(children) => map = children,
                Node::Leaf(_) => return None,
            }
        }
        map.get(*last)
    }
}
