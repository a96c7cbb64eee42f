//! What a program reads of the state, as a tree of names.

use std::collections::BTreeMap;

use imbl::ordmap::DiffItem;

use crate::state::{Leaf, Members, Node, Tree};

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
        self.agree_by(a, b, &mut |_, a, b| a.same_json(b))
    }

    /// [`Self::agree`], where leaves agree if `same` says so of them and of the path that they stand at.
    pub(super) fn agree_by(&self, a: &Tree, b: &Tree, same: &mut dyn FnMut(&[&str], &Leaf, &Leaf) -> bool) -> bool {
        self.agree_on(&mut Vec::new(), (a.root(), b.root()), same)
    }

    fn agree_on<'t>(&self, path: &mut Vec<&'t str>, (a, b): (&'t Members, &'t Members), same: &mut Same<'_>) -> bool {
        if self.all {
            return whole(path, (a, b), same);
        }
        self.members.iter().all(|(name, reads)| {
            let (a, b) = (a.get_key_value(name.as_str()), b.get_key_value(name.as_str()));
            let (Some((name, a)), Some((_, b))) = (a, b) else { return a.is_none() && b.is_none() };
            below(path, name, |path| match (a, b) {
                _ if a.same(b) => true,
                (Node::Leaf(a), Node::Leaf(b)) => same(path, a, b),
                (Node::Branch(a), Node::Branch(b)) => reads.agree_on(path, (a, b), same),
                _ => false,
            })
        })
    }
}

/// Says of two leaves at a path whether they agree.
type Same<'s> = dyn FnMut(&[&str], &Leaf, &Leaf) -> bool + 's;

fn whole<'t>(path: &mut Vec<&'t str>, (a, b): (&'t Members, &'t Members), same: &mut Same<'_>) -> bool {
    a.diff(b).all(|item| match item {
        DiffItem::Update { old: (_, a), new: (name, b) } => below(path, name, |path| match (a, b) {
            _ if a.same(b) => true,
            (Node::Leaf(a), Node::Leaf(b)) => same(path, a, b),
            (Node::Branch(a), Node::Branch(b)) => whole(path, (a, b), same),
            _ => false,
        }),
        DiffItem::Add(..) | DiffItem::Remove(..) => false,
    })
}

fn below<'t>(path: &mut Vec<&'t str>, name: &'t str, work: impl FnOnce(&mut Vec<&'t str>) -> bool) -> bool {
    path.push(name);
    let agrees = work(path);
    path.pop();
    agrees
}
