//! Goes through the trie of an index (opa `v1/ast/index.go`, `traverse`).

use std::borrow::Borrow;

use smallvec::SmallVec;

use super::Known;
use super::bits::Bits;
use crate::ir::{ArrayNumber, Level, NodeNumber, RuleIndex, split};
use crate::value::Value;

/// A lookup.
pub(super) struct Walk<'w, O> {
    pub(super) index: &'w RuleIndex,
    pub(super) known: &'w Known<'w, O>,
    /// Entries that were reached.
    pub(super) reached: Bits,
    /// Nodes that are left.
    pub(super) pending: SmallVec<[NodeNumber; 8]>,
    /// Members of collections that were looked at.
    pub(super) steps: u64,
}

impl<O: Borrow<Value>> Walk<'_, O> {
    /// Visits all nodes that values lead to.
    pub(super) fn run(&mut self) {
        let mut next = Some(0);
        while let Some(node) = next.and_then(|node| self.index.nodes.get(node)) {
            for entry in &node.entries {
                self.reached.insert(*entry);
            }
            for level in &node.levels {
                let reference = self.index.references.get(level.reference);
                if let Some(value) = reference.and_then(|reference| self.known.find(reference)) {
                    self.level(level, value.value());
                }
            }
            next = self.pending.pop();
        }
    }

    fn level(&mut self, level: &Level, value: &Value) {
        self.pending.extend(level.any);
        if let Some(children) = level.scalars.get(value) {
            self.pending.extend(children.nodes());
        }
        if let (Some(array), Value::Array(items)) = (level.array, value) {
            self.array(array, items.items().iter(), |scalars, item| scalars.get(item).copied());
        }
        if let Value::String(text) = value {
            self.texts(level, text);
            for delimiters in level.array.and(Some(&level.delimiters)).into_iter().flatten() {
                self.array(level.array.unwrap_or(0), split(text, delimiters), |scalars, part| scalars.text(&part).copied());
            }
        } else if !level.members.is_empty() || !level.prefixes.is_empty() || !level.suffixes.is_empty() {
            self.collection(level, value);
        }
    }

    /// Beginnings and ends.
    fn texts(&mut self, level: &Level, text: &str) {
        level.prefixes.find(text, |node| self.pending.push(node));
        level.suffixes.find(text, |node| self.pending.push(node));
    }

    /// Each value of a collection.
    fn collection(&mut self, level: &Level, collection: &Value) {
        let values = match collection {
            Value::Array(array) => array.items(),
            Value::Set(set) => set.members(),
            Value::Object(object) => object.values(),
            _ => return,
        };
        for value in values {
            self.steps = self.steps.saturating_add(1);
            if let Some(children) = level.members.get(value) {
                self.pending.extend(children.nodes());
            }
            if let Value::String(text) = value {
                self.texts(level, text);
            }
        }
    }

    /// Goes through the items of an array, and through all places where rules may have them.
    fn array<I>(
        &mut self,
        root: ArrayNumber,
        items: impl Iterator<Item = I>,
        find: impl Fn(&crate::ir::ByScalar<ArrayNumber>, I) -> Option<ArrayNumber>,
    ) where
        I: Clone,
    {
        let mut places = vec![root];
        for item in items {
            self.steps = self.steps.saturating_add(1);
            let mut next = Vec::new();
            for place in places.iter().filter_map(|place| self.index.arrays.get(*place)) {
                next.extend(place.any);
                next.extend(find(&place.scalars, item.clone()));
            }
            if next.is_empty() {
                return;
            }
            places = next;
        }
        let ends = places.iter().filter_map(|place| self.index.arrays.get(*place)?.end);
        self.pending.extend(ends);
    }
}
