//! A value that is one thing or another.

use std::collections::BTreeMap;

use super::{Made, Shape, ShapeId, Shapes};
use crate::depend::flow::grown;
use crate::value::Value;

impl Shapes {
    /// One or the other.
    pub(in crate::depend) fn join(&mut self, a: ShapeId, b: ShapeId) -> ShapeId {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == ShapeId::NEVER {
            return b;
        }
        if let Some(known) = self.joined.get(&(a, b)) {
            return *known;
        }
        let joined = grown(|| self.joined(a, b));
        self.joined.insert((a, b), joined);
        joined
    }

    /// One of these.
    pub(in crate::depend) fn join_all(&mut self, all: impl IntoIterator<Item = ShapeId>) -> ShapeId {
        all.into_iter().fold(ShapeId::NEVER, |joined, shape| self.join(joined, shape))
    }

    fn joined(&mut self, a: ShapeId, b: ShapeId) -> ShapeId {
        let (a, b) = (self.get(a), self.get(b));
        let made = match (&a.made, &b.made) {
            (Some(a), Some(b)) => Some(self.join_made(a, b)),
            (made, None) | (None, made) => made.clone(),
        };
        self.add(Shape {
            places: a.places.union(&b.places).copied().collect(),
            constants: a.constants.union(&b.constants).cloned().collect(),
            made,
            overs: a.overs.union(&b.overs).copied().collect(),
            merges: a.merges.union(&b.merges).copied().collect(),
            computed: a.computed.max(b.computed),
        })
    }

    fn join_made(&mut self, a: &Made, b: &Made) -> Made {
        let mut members: BTreeMap<Value, ShapeId> = a.members.clone();
        for (key, shape) in &b.members {
            let here = members.get(key).copied().unwrap_or(ShapeId::NEVER);
            members.insert(key.clone(), self.join(here, *shape));
        }
        Made { members, keys: self.join(a.keys, b.keys), each: self.join(a.each, b.each) }
    }
}
