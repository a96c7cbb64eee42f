//! A persistent tree of JSON: branches are maps, leaves are encoded JSON. A write costs what changed.

use std::sync::Arc;

use imbl::OrdMap;

pub use super::leaf::Leaf;
pub use super::patch::PatchOp;

/// The members of a branch, in the order of their names.
pub type Members = OrdMap<Arc<str>, Node>;

/// A document tree. Cloning is cheap; clones share what neither changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    pub(super) root: Members,
}

/// A part of the tree.
#[derive(Clone, Debug)]
pub enum Node {
    /// A JSON object whose members are nodes.
    Branch(Members),
    /// Any JSON, encoded.
    Leaf(Arc<Leaf>),
}

/// Why a write was refused; nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// OPA: 404 `resource_conflict`. Holds the path of what is no object.
    #[error("storage_write_conflict_error: {0}")]
    BelowScalar(String),
    /// OPA: 404 `resource_not_found`. Holds the path and what is the matter with it.
    #[error("storage_not_found_error: {0}")]
    NotFound(String),
    /// OPA: 400.
    #[error("{0}")]
    Invalid(String),
    /// A source replicates this part of the tree: it alone writes it.
    #[error(
        "path {path} is owned by source `{source_name}`: change the object where the source reads it, or stop replicating the kind"
    )]
    Owned {
        /// The path that the source replicates into.
        path: String,
        /// The source.
        source_name: String,
    },
}

/// Where a path leads.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// To a node of the tree.
    Node(&'a Node),
    /// Into a leaf, with the names that are left.
    Inside(&'a Arc<Leaf>),
}

impl Node {
    /// A branch without members.
    pub fn empty() -> Self {
        Self::Branch(OrdMap::new())
    }

    /// The leaf, if this is one.
    pub fn leaf(&self) -> Option<&Arc<Leaf>> {
        match self {
            Self::Leaf(leaf) => Some(leaf),
            Self::Branch(_) => None,
        }
    }

    /// The members, if this is a branch.
    pub fn branch(&self) -> Option<&Members> {
        match self {
            Self::Branch(members) => Some(members),
            Self::Leaf(_) => None,
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

/// By content; costs what differs in memory, not what exists.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            _ if self.same(other) => true,
            (Self::Branch(a), Self::Branch(b)) => a == b,
            (Self::Leaf(a), Self::Leaf(b)) => a == b,
            _ => false,
        }
    }
}

impl From<Members> for Tree {
    fn from(root: Members) -> Self {
        Self { root }
    }
}

impl Tree {
    /// The node at a path; the root is not a node.
    pub fn get<S: AsRef<str>>(&self, path: &[S]) -> Option<&Node> {
        let (last, parents) = path.split_last()?;
        let mut members = &self.root;
        for name in parents {
            members = members.get(name.as_ref())?.branch()?;
        }
        members.get(last.as_ref())
    }

    /// The members of the root.
    pub fn root(&self) -> &Members {
        &self.root
    }

    /// Returns what a path meets first: its own node, or a leaf above it with the number of names used up. `None` for the root
    /// and for what does not exist.
    pub fn find<S: AsRef<str>>(&self, path: &[S]) -> Option<(Found<'_>, usize)> {
        let mut members = &self.root;
        for (used, name) in path.iter().enumerate() {
            let node = members.get(name.as_ref())?;
            match node {
                _ if used + 1 == path.len() => return Some((Found::Node(node), used + 1)),
                Node::Leaf(leaf) => return Some((Found::Inside(leaf), used + 1)),
                Node::Branch(children) => members = children,
            }
        }
        None
    }
}
