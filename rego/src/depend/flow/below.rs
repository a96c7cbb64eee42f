//! What lies below a value of which something is read: documents with other values in them, and objects that are merged, too.

use super::{Flow, grown};
use crate::depend::shape::{Over, Shape, ShapeId, other_name};
use crate::value::Value;

/// How many steps deep places are told apart: what lies deeper is read with all that is beside it.
const DEEPEST: usize = 48;

/// How many places a value may come from, before keys are not told apart any more.
const WIDEST: usize = 256;

impl Flow<'_> {
    /// The value at a key. The key is read already.
    pub(super) fn at(&mut self, shape: ShapeId, key: ShapeId) -> ShapeId {
        let constants = self.shapes.get(key).as_constants().cloned();
        let of = self.shapes.get(shape);
        let width = of.places.len().saturating_add(of.overs.len()).saturating_add(of.merges.len());
        match constants {
            Some(keys) if keys.len().saturating_mul(width) <= WIDEST => {
                let parts: Vec<_> = keys.iter().map(|key| self.below(shape, Some(key))).collect();
                self.shapes.join_all(parts)
            }
            _ => self.below(shape, None),
        }
    }

    /// The value at a known key; without one, at any key. Which of the values that it may be of it is, depends on what is there.
    pub(super) fn below(&mut self, id: ShapeId, key: Option<&Value>) -> ShapeId {
        let shape = self.shapes.get(id);
        if shape.is_choice() {
            self.kind(id);
        }
        let deepest = shape.places.iter().any(|place| self.shapes.places.depth(*place) >= DEEPEST);
        let enough = self.spend(shape.places.len().saturating_add(1));
        let is_combined = shape.is_combined();
        if (is_combined || !shape.places.is_empty()) && (deepest || !enough) {
            self.whole(id);
            return ShapeId::COMPUTED;
        }
        if !is_combined || key.is_some_and(|key| !key.is_plain()) {
            return self.combined_below(&shape, id, key);
        }
        // What is combined is made of others that are, one below the other, and some of them twice.
        let at = (id, key.cloned());
        if let Some(known) = self.below.get(&at) {
            return *known;
        }
        let found = self.combined_below(&shape, id, key);
        self.below.insert(at, found);
        found
    }

    fn combined_below(&mut self, shape: &Shape, id: ShapeId, key: Option<&Value>) -> ShapeId {
        let mut found = self.shapes.below(id, key);
        for over in shape.overs.iter().filter_map(|over| self.shapes.over(*over)).collect::<Vec<_>>() {
            let below = grown(|| self.below_over(&over, key));
            found = self.shapes.join(found, below);
        }
        for objects in shape.merges.iter().filter_map(|merge| self.shapes.merge(*merge)).collect::<Vec<_>>() {
            let parts: Vec<_> = grown(|| objects.iter().map(|object| self.below(*object, key)).collect());
            let below = self.merged(&parts);
            found = self.shapes.join(found, below);
        }
        found
    }

    fn below_over(&mut self, over: &Over, key: Option<&Value>) -> ShapeId {
        let replaced = key.and_then(|key| over.members.get(key)).copied();
        let found = replaced.unwrap_or_else(|| self.below(over.base, key));
        // What is put into a base document is found as what stands there.
        let named = key.and_then(other_name).and_then(|name| over.members.get(&name)).copied();
        let others = over.members.values().copied().filter(|_| key.is_none());
        self.shapes.join_all([found].into_iter().chain(named).chain(others))
    }

    /// What some values are merged to, member by member as far as they are objects: where two are none, it is one of them. So of which type they
    /// are is read, at each level.
    pub(super) fn merged(&mut self, values: &[ShapeId]) -> ShapeId {
        let mut values: Vec<_> = values.iter().flat_map(|value| self.shapes.parts_of_merged(*value)).collect();
        values.retain(|value| *value != ShapeId::NEVER);
        values.sort_unstable();
        // Two values may have one shape.
        let (mut last, mut count) = (ShapeId::NEVER, 0_usize);
        values.retain(|value| {
            count = if *value == last { count.saturating_add(1) } else { 1 };
            last = *value;
            count == 1 || (count == 2 && !self.shapes.is_one(*value))
        });
        values.iter().for_each(|value| self.kind(*value));
        let objects = values.iter().filter(|value| self.shapes.get(**value).may_be_object()).count();
        if objects < 2 { self.shapes.join_all(values) } else { self.shapes.merged(values) }
    }
}
