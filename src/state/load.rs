//! The objects of one kind changing together: a whole new set, or some of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::ObjectName;

use super::ROOT;
use super::leaf::Leaf;
use super::tree::{Members, Node, Tree};

/// One object put or (`None`) removed.
#[derive(Clone, Debug)]
pub struct Change {
    /// Which.
    pub name: ObjectName,
    /// As it now is.
    pub leaf: Option<Leaf>,
}

/// A whole new set of objects, put together beside the one in force and in memory shared with it: an object that is
/// equal keeps its place.
#[derive(Debug)]
pub struct Load {
    namespaced: bool,
    work: Members,
    /// What has come, by namespace; what has not is removed at the end. Not kept when there was nothing before.
    seen: Option<HashMap<String, HashSet<String>>>,
}

/// A whole new set of objects, complete.
#[derive(Debug)]
pub struct Loaded {
    members: Members,
    objects: usize,
}

impl Load {
    /// Starts from what is in force.
    pub fn new(row: &Kind, base: Option<&Members>) -> Self {
        let base = base.filter(|base| !base.is_empty());
        Self { namespaced: row.namespaced, work: base.cloned().unwrap_or_default(), seen: base.map(|_| HashMap::new()) }
    }

    /// One object of the new set.
    pub fn put(&mut self, name: ObjectName, leaf: Leaf) {
        put(&mut self.work, self.namespaced, &name, leaf);
        if let Some(seen) = &mut self.seen {
            match seen.get_mut(&name.namespace) {
                Some(names) => drop(names.insert(name.name)),
                None => drop(seen.insert(name.namespace, HashSet::from([name.name]))),
            }
        }
    }

    /// The set is complete: what has not come is gone.
    pub fn finish(mut self) -> Loaded {
        if let Some(seen) = self.seen.take() {
            self.remove_unseen(&seen);
        }
        let objects = match self.namespaced {
            true => self.work.values().filter_map(Node::branch).map(Members::len).sum(),
            false => self.work.len(),
        };
        Loaded { members: self.work, objects }
    }

    fn remove_unseen(&mut self, seen: &HashMap<String, HashSet<String>>) {
        let unseen = |members: &Members, names: Option<&HashSet<String>>| {
            let gone = members.keys().filter(|name| !names.is_some_and(|names| names.contains(name.as_ref())));
            gone.cloned().collect::<Vec<_>>()
        };
        if !self.namespaced {
            unseen(&self.work, seen.get("")).iter().for_each(|name| drop(self.work.remove(name)));
            return;
        }
        for (namespace, node) in self.work.clone() {
            let gone = node.branch().map(|members| unseen(members, seen.get(namespace.as_ref()))).unwrap_or_default();
            for name in gone {
                remove(&mut self.work, true, &ObjectName { namespace: namespace.to_string(), name: name.to_string() });
            }
        }
    }
}

impl Tree {
    /// Puts a whole new set of a kind's objects in place; answers their number.
    pub fn swap(&mut self, row: &Kind, loaded: Loaded) -> usize {
        self.graft(ROOT, row.state_path(), Some(Node::Branch(loaded.members)));
        loaded.objects
    }

    /// Applies changes to a kind's objects; answers by how much their number grew.
    pub fn apply(&mut self, row: &Kind, changes: Vec<Change>) -> isize {
        let mut members = self.get(&[ROOT, row.state_path()]).and_then(Node::branch).cloned().unwrap_or_default();
        let mut grown = 0;
        for Change { name, leaf } in changes {
            grown += match leaf {
                Some(leaf) => isize::from(put(&mut members, row.namespaced, &name, leaf)),
                None => -isize::from(remove(&mut members, row.namespaced, &name)),
            };
        }
        self.graft(ROOT, row.state_path(), Some(Node::Branch(members)));
        grown
    }

    /// Whether both are one and the same piece of memory, hence equal. May say no for equal trees.
    pub fn same(&self, other: &Self) -> bool {
        self.root.ptr_eq(&other.root)
    }
}

/// Puts an object; says whether it is new. One that is equal is left where it is.
fn put(members: &mut Members, namespaced: bool, name: &ObjectName, leaf: Leaf) -> bool {
    let at: Vec<&str> = if namespaced { vec![&name.namespace, &name.name] } else { vec![&name.name] };
    let old = at.split_last().and_then(|(last, parents)| {
        let members = parents.iter().try_fold(&*members, |members, name| members.get(*name)?.branch())?;
        members.get(*last)?.leaf()
    });
    let (new, leaf) = (old.is_none(), leaf.shared_with(old));
    if old.is_some_and(|old| Arc::ptr_eq(old, &leaf)) {
        return false;
    }
    let members = if namespaced { namespace(members, &name.namespace) } else { Some(members) };
    if let Some(members) = members {
        set(members, &name.name, Node::Leaf(leaf));
    }
    new
}

/// Removes an object, and its namespace with the last one; says whether there was one.
fn remove(members: &mut Members, namespaced: bool, name: &ObjectName) -> bool {
    if !namespaced {
        return members.contains_key(name.name.as_str()) && members.remove(name.name.as_str()).is_some();
    }
    let exists = |node: &Node| node.branch().is_some_and(|inner| inner.contains_key(name.name.as_str()));
    if !members.get(name.namespace.as_str()).is_some_and(exists) {
        return false;
    }
    if let Some(Node::Branch(inner)) = members.get_mut(name.namespace.as_str()) {
        inner.remove(name.name.as_str());
        if inner.is_empty() {
            members.remove(name.namespace.as_str());
        }
    }
    true
}

/// The members of a namespace, made if need be.
fn namespace<'a>(members: &'a mut Members, name: &str) -> Option<&'a mut Members> {
    if !matches!(members.get(name), Some(Node::Branch(_))) {
        members.insert(name.into(), Node::empty());
    }
    match members.get_mut(name) {
        Some(Node::Branch(inner)) => Some(inner),
        _ => None,
    }
}

/// Sets a member; an equal name keeps its memory.
fn set(members: &mut Members, name: &str, node: Node) {
    match members.get_mut(name) {
        Some(old) => *old = node,
        None => drop(members.insert(name.into(), node)),
    }
}

#[cfg(test)]
mod tests;
