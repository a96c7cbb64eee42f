//! What is combined of others: documents with something put into them, and objects that are merged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::HashMap;

use super::{Shape, ShapeId, Shapes};
use crate::depend::path::Step;
use crate::value::Value;

/// A document's number that has something put into it by `with`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::depend) struct OverId(u32);

/// The number of what objects are merged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::depend) struct MergeId(u32);

/// A document, and what is in it instead of what was there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::depend) struct Over {
    pub(in crate::depend) base: ShapeId,
    pub(in crate::depend) members: BTreeMap<Value, ShapeId>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Combined {
    overs: Vec<Arc<Over>>,
    over_ids: HashMap<Arc<Over>, OverId>,
    merges: Vec<Arc<[ShapeId]>>,
    merge_ids: HashMap<Arc<[ShapeId]>, MergeId>,
}

impl Shapes {
    pub(in crate::depend) fn over(&self, id: OverId) -> Option<Arc<Over>> {
        self.combined.overs.get(id.0 as usize).cloned()
    }

    /// A document with other members.
    pub(in crate::depend) fn put(&mut self, base: ShapeId, members: BTreeMap<Value, ShapeId>) -> ShapeId {
        let over = Arc::new(Over { base, members });
        let next = OverId(u32::try_from(self.combined.overs.len()).unwrap_or(u32::MAX));
        let id = *self.combined.over_ids.entry(over.clone()).or_insert(next);
        if id == next {
            self.combined.overs.push(over);
        }
        self.add(Shape { overs: BTreeSet::from([id]), ..Shape::default() })
    }

    pub(in crate::depend) fn merge(&self, id: MergeId) -> Option<Arc<[ShapeId]>> {
        self.combined.merges.get(id.0 as usize).cloned()
    }

    /// What is merged to a shape that is nothing else; of others the shape itself.
    pub(in crate::depend) fn parts_of_merged(&self, id: ShapeId) -> Vec<ShapeId> {
        let shape = self.get(id);
        let alone = !shape.is_choice() && shape.constants.is_empty();
        let merge = shape.merges.first().filter(|_| alone).and_then(|merge| self.merge(*merge));
        merge.map_or_else(|| vec![id], |objects| objects.to_vec())
    }

    /// Whether a shape stands for one value, whoever has it: a constant, or what is at one place of a document; or of which all is read.
    pub(in crate::depend) fn is_one(&self, id: ShapeId) -> bool {
        let shape = self.get(id);
        match shape.as_constants() {
            Some(constants) => constants.len() == 1,
            None if shape.is_choice() => false,
            None => match shape.places.first() {
                Some(place) => !self.places.path(*place).1.contains(&Step::Any),
                None => !shape.has_parts(),
            },
        }
    }

    /// What objects are merged to, member by member: one of them, where the others are no objects. One shape may stand for two of them.
    pub(in crate::depend) fn merged(&mut self, objects: Vec<ShapeId>) -> ShapeId {
        let objects: Arc<[ShapeId]> = objects.into();
        let next = MergeId(u32::try_from(self.combined.merges.len()).unwrap_or(u32::MAX));
        let id = *self.combined.merge_ids.entry(objects.clone()).or_insert(next);
        if id == next {
            self.combined.merges.push(objects);
        }
        self.add(Shape { merges: BTreeSet::from([id]), ..Shape::default() })
    }
}
