//! What differs between two states; costs what changed between them, not what exists.

use std::sync::Arc;

use imbl::ordmap::DiffItem;
use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::ObjectName;

use super::State;
use super::tree::{Leaf, Members, Node};

/// One object that differs between two states.
#[derive(Clone, Debug)]
pub struct Changed<'a> {
    /// Which.
    pub name: ObjectName,
    /// As it now is; `None`: it is gone.
    pub now: Option<&'a Arc<Leaf>>,
    /// The JSON is equal: only uid or resourceVersion differ.
    pub same_json: bool,
}

impl State {
    /// The objects of a kind that differ between `old` and `self`, in the order of namespace and name.
    pub fn changed_objects(&self, old: &Self, kind: &Kind) -> Vec<Changed<'_>> {
        let mut walk = Walk { namespaced: kind.namespaced, changed: Vec::new() };
        walk.members(None, old.objects_of(kind), self.objects_of(kind));
        walk.changed
    }
}

/// Whether two nodes hold the same JSON, whatever the uids and resourceVersions of their objects.
pub fn same_json(a: &Node, b: &Node) -> bool {
    match (a, b) {
        _ if a.same(b) => true,
        (Node::Leaf(a), Node::Leaf(b)) => a.same_json(b),
        (Node::Branch(a), Node::Branch(b)) => {
            a.len() == b.len()
                && a.diff(b).all(|item| match item {
                    DiffItem::Update { old: (_, old), new: (_, new) } => same_json(old, new),
                    DiffItem::Add(..) | DiffItem::Remove(..) => false,
                })
        }
        _ => false,
    }
}

struct Walk<'a> {
    namespaced: bool,
    changed: Vec<Changed<'a>>,
}

impl<'a> Walk<'a> {
    fn members(&mut self, namespace: Option<&str>, old: Option<&Members>, new: Option<&'a Members>) {
        match (old, new) {
            (Some(old), Some(new)) => {
                for item in old.diff(new) {
                    match item {
                        DiffItem::Add(name, node) => self.entry(namespace, name, None, Some(node)),
                        DiffItem::Update { old: (_, old), new: (name, new) } => {
                            self.entry(namespace, name, Some(old), Some(new));
                        }
                        DiffItem::Remove(name, node) => self.entry(namespace, name, Some(node), None),
                    }
                }
            }
            (None, Some(new)) => new.iter().for_each(|(name, node)| self.entry(namespace, name, None, Some(node))),
            (Some(old), None) => old.iter().for_each(|(name, node)| self.entry(namespace, name, Some(node), None)),
            (None, None) => {}
        }
    }

    fn entry(&mut self, namespace: Option<&str>, name: &str, old: Option<&Node>, new: Option<&'a Node>) {
        match namespace {
            None if self.namespaced => self.members(Some(name), old.and_then(Node::branch), new.and_then(Node::branch)),
            _ => self.object(namespace.unwrap_or_default(), name, old.and_then(Node::leaf), new.and_then(Node::leaf)),
        }
    }

    fn object(&mut self, namespace: &str, name: &str, old: Option<&Arc<Leaf>>, new: Option<&'a Arc<Leaf>>) {
        let same_json = old.zip(new).is_some_and(|(old, new)| old.same_json(new));
        let name = ObjectName { namespace: namespace.into(), name: name.into() };
        self.changed.push(Changed { name, now: new, same_json });
    }
}

#[cfg(test)]
mod tests;
