//! Types by path (`v1/ast/env.go`, `typeTreeNode`).

use std::sync::OnceLock;

use foldhash::HashMap;

use super::super::constants;
use super::join::{merge, or};
pub(crate) use super::key::Key;
use super::lattice::{Dynamic, Object, Type, any};
use crate::syntax::tree::Term;
use crate::value::Value;

/// The number of a node.
pub(crate) type Place = usize;

/// One part of a path.
#[derive(Debug, Default)]
pub(crate) struct Node {
    value: Option<Type>,
    children: HashMap<Key, Place>,
    /// The type of the whole document, until something below changes.
    extent: OnceLock<Option<Type>>,
}

/// Types by path.
#[derive(Debug)]
pub(crate) struct Tree(Vec<Node>);

impl Default for Tree {
    fn default() -> Self {
        Self(vec![Node::default()])
    }
}

impl Tree {
    /// The node above all paths.
    pub(crate) const ROOT: Place = 0;

    /// The node below a node.
    pub(crate) fn child(&self, place: Place, key: &Key) -> Option<Place> {
        self.0.get(place)?.children.get(key).copied()
    }

    /// The type at a node.
    pub(crate) fn value(&self, place: Place) -> Option<&Type> {
        self.0.get(place)?.value.as_ref()
    }

    /// The parts below a node, in order.
    pub(crate) fn keys(&self, place: Place) -> Vec<&Key> {
        let mut keys: Vec<&Key> = self.0.get(place).into_iter().flat_map(|node| node.children.keys()).collect();
        keys.sort();
        keys
    }

    /// The type of all that is at and below a node (`getRefRecExtent`).
    pub(crate) fn extent(&self, place: Place) -> Option<Type> {
        let node = self.0.get(place)?;
        if let Some(value) = &node.value {
            return Some(value.clone());
        }
        node.extent.get_or_init(|| Some(self.document(node))).clone()
    }

    fn document(&self, node: &Node) -> Type {
        let named = node.children.iter().filter_map(|(key, child)| match key {
            Key::Value(value @ (Value::String(_) | Value::Int(_) | Value::Number(_) | Value::False | Value::True)) => {
                Some((value.clone(), self.extent(*child)))
            }
            _ => None,
        });
        Type::object(named.collect(), Some(Dynamic { key: Some(Type::String), value: Some(any()) }))
    }

    /// Puts a type at a path.
    pub(crate) fn put(&mut self, path: &[Term], of: Option<Type>) {
        let mut place = Self::ROOT;
        for part in path {
            self.touch(place);
            place = self.step(place, part);
        }
        self.touch(place);
        self.set(place, of);
    }

    /// Puts a type at a ground path, and joins it with the types of objects above, and of what is below (`Insert`).
    pub(crate) fn insert(&mut self, path: &[Term], of: Type) {
        let mut place = Self::ROOT;
        for (at, part) in path.iter().enumerate() {
            self.touch(place);
            place = self.step(place, part);
            let rest = path.get(at.saturating_add(1)..).unwrap_or_default();
            if let (false, Some(Type::Object(object))) = (rest.is_empty(), self.value(place)) {
                self.set(place, Some(widened(object, rest, &of)));
            }
        }
        self.touch(place);
        let is_object = matches!(of, Type::Object(_));
        let known = self.0.get_mut(place).and_then(|node| node.value.take());
        let mut value = merge(known, Some(of));
        if is_object {
            let mut below = Vec::new();
            self.leaves(place, &mut Vec::new(), &mut below);
            for (path, leaf) in below {
                if let Some(Type::Object(object)) = value.as_ref() {
                    value = Some(widened(object, &path, &leaf));
                }
            }
        }
        self.set(place, value);
    }

    fn touch(&mut self, place: Place) {
        self.0.get_mut(place).into_iter().for_each(|node| node.extent = OnceLock::new());
    }

    fn set(&mut self, place: Place, of: Option<Type>) {
        if let Some(node) = self.0.get_mut(place) {
            node.value = of;
        }
    }

    fn step(&mut self, place: Place, part: &Term) -> Place {
        let new = self.0.len();
        let Some(node) = self.0.get_mut(place) else { return place };
        let child = *node.children.entry(Key::of(part)).or_insert(new);
        if child == new {
            self.0.push(Node::default());
        }
        child
    }

    /// The nearest types below a node, with their paths from there.
    fn leaves(&self, place: Place, path: &mut Vec<Term>, into: &mut Vec<(Vec<Term>, Type)>) {
        for key in self.keys(place) {
            let Some(child) = self.child(place, key) else { continue };
            path.push(key.term());
            match self.value(child) {
                Some(value) => into.push((path.clone(), value.clone())),
                None => self.leaves(child, path, into),
            }
            path.pop();
        }
    }
}

/// An object that also has a member at a path (`insertIntoObject`).
fn widened(object: &Object, path: &[Term], of: &Type) -> Type {
    let Some((first, rest)) = path.split_first() else {
        return Type::object(object.fixed.clone(), object.dynamic.clone());
    };
    let inner = if rest.is_empty() { of.clone() } else { widened(&Object::default(), rest, of) };
    let key = constants::value(first).map(|value| super::select::of_value(&value));
    let dynamic = match &object.dynamic {
        Some(dynamic) => Dynamic { key: or(dynamic.key.clone(), key), value: or(dynamic.value.clone(), Some(inner)) },
        None => Dynamic { key, value: Some(inner) },
    };
    Type::object(object.fixed.clone(), Some(dynamic))
}
