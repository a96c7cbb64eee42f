//! What a program reads of the state, as a tree of names.

use std::collections::BTreeMap;

use crate::state::{Members, Node, Tree, same_json};

/// The part of `data` that a program may read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    /// All that is here and below.
    pub(super) all: bool,
    /// Some members only.
    pub(super) members: BTreeMap<String, Reads>,
}

impl Reads {
    pub(super) fn new(paths: &[Vec<String>]) -> Self {
        let mut reads = Self::default();
        for path in paths {
            let last = path.iter().fold(&mut reads, |at, name| at.members.entry(name.clone()).or_default());
            last.all = true;
        }
        reads
    }

    /// Whether anything at, above or below a path is read.
    pub(super) fn touch(&self, path: &[&str]) -> bool {
        match path.split_first() {
            _ if self.all => true,
            None => !self.members.is_empty(),
            Some((name, rest)) => self.members.get(*name).is_some_and(|reads| reads.touch(rest)),
        }
    }

    /// The part of a tree that is read.
    pub(super) fn part(&self, tree: &Tree) -> Tree {
        self.part_of(tree.root()).into()
    }

    fn part_of(&self, members: &Members) -> Members {
        if self.all {
            return members.clone();
        }
        let read = self.members.iter().filter_map(|(name, reads)| {
            let (name, node) = members.get_key_value(name.as_str())?;
            let node = match node {
                Node::Branch(members) => Node::Branch(reads.part_of(members)),
                Node::Leaf(_) => node.clone(),
            };
            Some((name.clone(), node))
        });
        read.collect()
    }

    /// Whether two trees agree on everything that is read.
    pub(super) fn agree(&self, a: &Tree, b: &Tree) -> bool {
        if self.all {
            return same_json(&Node::Branch(a.root().clone()), &Node::Branch(b.root().clone()));
        }
        self.members.iter().all(|(name, reads)| reads.agree_on(a.root().get(name.as_str()), b.root().get(name.as_str())))
    }

    fn agree_on(&self, a: Option<&Node>, b: Option<&Node>) -> bool {
        match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) if a.same(b) => true,
            (Some(Node::Branch(a)), Some(Node::Branch(b))) if !self.all => {
                self.members.iter().all(|(name, reads)| reads.agree_on(a.get(name.as_str()), b.get(name.as_str())))
            }
            (Some(a), Some(b)) => same_json(a, b),
            _ => false,
        }
    }
}
