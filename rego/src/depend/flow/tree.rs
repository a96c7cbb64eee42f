//! Documents below `data`: base and virtual ones as one tree.

use std::collections::BTreeMap;

use super::reference::Position;
use super::{Flow, grown};
use crate::depend::path::Part;
use crate::depend::shape::ShapeId;
use crate::ir::{GroupId, NodeId};
use crate::value::Value;

/// A place among packages and rules, with the base document there.
pub(super) struct TreePlace {
    node: NodeId,
    path: Vec<Value>,
    base: ShapeId,
}

impl TreePlace {
    /// `data`.
    pub(super) fn root(base: ShapeId) -> Self {
        Self { node: NodeId::ROOT, path: Vec::new(), base }
    }
}

impl<'p> Flow<'p> {
    /// The values at a key that is known, or not.
    pub(super) fn tree_key(&mut self, place: &TreePlace, key: ShapeId, next: &mut Vec<Position>) {
        match self.shapes.get(key).as_constants() {
            Some(keys) => {
                for key in keys {
                    next.push(self.child(place, key));
                }
            }
            None => self.children(place, next),
        }
    }

    /// The values at each key; returns the keys.
    pub(super) fn tree_each(&mut self, place: &TreePlace, next: &mut Vec<Position>) -> ShapeId {
        self.look(place.base, Part::Keys);
        self.children(place, next);
        let policy = self.policy;
        let names = policy.node(place.node).into_iter().flat_map(|node| node.children.keys().cloned());
        let names = self.shapes.constants(names);
        let base = self.shapes.keys(place.base);
        self.shapes.join(names, base)
    }

    fn children(&mut self, place: &TreePlace, next: &mut Vec<Position>) {
        let policy = self.policy;
        for key in policy.node(place.node).into_iter().flat_map(|node| node.children.keys()) {
            next.push(self.child(place, key));
        }
        next.push(Position::Shape(self.below(place.base, None)));
    }

    /// One step down: where rules are, base documents are not looked at.
    fn child(&mut self, place: &TreePlace, key: &Value) -> Position {
        self.spend(1);
        let mut path = place.path.clone();
        path.push(key.clone());
        let node = self.policy.node(place.node).and_then(|node| node.children.get(key).copied());
        let node = node.filter(|_| !self.current().replaces(&path));
        let group = node.and_then(|node| self.policy.node(node)).and_then(|node| node.group);
        match (node, group) {
            (_, Some(group)) => Position::Group(group, Vec::new()),
            (Some(node), None) => Position::Tree(TreePlace { node, path, base: self.below(place.base, Some(key)) }),
            (None, None) => Position::Shape(self.below(place.base, Some(key))),
        }
    }

    /// All of the document at a place: base documents win where rules make something too.
    pub(super) fn extent(&mut self, place: &TreePlace) -> ShapeId {
        let (policy, mut members) = (self.policy, BTreeMap::new());
        for (key, child) in policy.node(place.node).into_iter().flat_map(|node| &node.children) {
            if policy.node(*child).is_none_or(|node| node.hidden) {
                continue;
            }
            let value = match self.child(place, key) {
                Position::Shape(_) => continue,
                Position::Tree(below) => grown(|| self.extent(&below)),
                Position::Group(id, keys) => self.document(id, &keys),
            };
            if value != ShapeId::NEVER {
                members.insert(key.clone(), value);
            }
        }
        let made = self.shapes.members(members);
        self.merged(&[place.base, made])
    }

    /// The document of a group, as far as it lies at these keys.
    pub(super) fn document(&mut self, id: GroupId, keys: &[ShapeId]) -> ShapeId {
        match self.policy.group(id) {
            Some(group) if group.kind.is_document() => self.group(id, keys.to_vec()),
            _ => ShapeId::NEVER,
        }
    }
}
