//! What is known of a value before anything is evaluated: where it may come from.
//!
//! Shapes are kept once: two that are the same have the same number, so comparing them is cheap.

mod combined;
mod join;
mod places;
mod step;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::HashMap;

pub(super) use combined::Over;
use combined::{Combined, MergeId, OverId};
pub(super) use places::{Place, PlaceId, Places};
pub(super) use step::other_name;

use crate::value::Value;

/// A shape's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ShapeId(u32);

/// What a value may be: one of these, or undefined.
///
/// Which one it is depends on what was read already, or on whether something is at one of the places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// What is at a place of a document, not looked at yet.
    pub(super) places: BTreeSet<PlaceId>,
    /// A constant. None has a number that could be written otherwise (`1.0`): equal constants are the same one, and such numbers find other
    /// members of base documents.
    pub(super) constants: BTreeSet<Value>,
    /// An array, object or set that is made.
    pub(super) made: Option<Made>,
    /// A document with something put into it.
    pub(super) overs: BTreeSet<OverId>,
    /// Objects merged to one.
    pub(super) merges: BTreeSet<MergeId>,
    /// Something that was computed from what has been read.
    pub(super) computed: Computed,
}

/// What is known of something computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Computed {
    /// It is not.
    #[default]
    No,
    /// It is a scalar.
    Scalar,
    /// Nothing.
    Any,
}

/// Parts of a collection that is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Made {
    /// At keys that are known.
    pub(super) members: BTreeMap<Value, ShapeId>,
    /// What other keys it may have; the members of a set.
    pub(super) keys: ShapeId,
    /// What may be there.
    pub(super) each: ShapeId,
}

/// All shapes.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    shapes: Vec<Arc<Shape>>,
    ids: HashMap<Arc<Shape>, ShapeId>,
    /// For each shape that was asked for its keys, the answer.
    keys: HashMap<ShapeId, ShapeId>,
    combined: Combined,
    joined: HashMap<(ShapeId, ShapeId), ShapeId>,
    /// The places that shapes name.
    pub(super) places: Places,
}

/// How many constants a shape names, before they are something computed.
const CONSTANTS: usize = 64;

impl ShapeId {
    /// Undefined.
    pub(super) const NEVER: Self = Self(0);
    /// A scalar that was computed.
    pub(super) const SCALAR: Self = Self(1);
    /// Anything that was computed.
    pub(super) const COMPUTED: Self = Self(2);

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Shape {
    /// Whether it has no value.
    pub(super) fn is_never(&self) -> bool {
        *self == Self::default()
    }

    /// Its constants, if it is nothing else.
    pub(super) fn as_constants(&self) -> Option<&BTreeSet<Value>> {
        let alone = !self.has_parts() && self.computed == Computed::No;
        (alone && !self.constants.is_empty()).then_some(&self.constants)
    }

    /// Whether it may be something of which parts are told apart, beside constants.
    fn has_parts(&self) -> bool {
        !self.places.is_empty() || self.made.is_some() || self.is_combined()
    }

    /// Whether it may be made of others, which may be so, too.
    pub(super) fn is_combined(&self) -> bool {
        !(self.overs.is_empty() && self.merges.is_empty())
    }

    /// Whether it may be more than one thing.
    pub(super) fn is_choice(&self) -> bool {
        let others = usize::from(!self.constants.is_empty())
            .saturating_add(usize::from(self.made.is_some()))
            .saturating_add(usize::from(self.computed > Computed::No));
        let documents = self.places.len().saturating_add(self.overs.len()).saturating_add(self.merges.len());
        documents.saturating_add(others) > 1
    }

    /// Whether it can be nothing but a scalar.
    pub(super) fn is_scalar(&self) -> bool {
        !self.has_parts() && self.computed <= Computed::Scalar && self.constants.iter().all(is_scalar)
    }

    /// Whether it may be an object, which others can be merged with.
    pub(super) fn may_be_object(&self) -> bool {
        self.has_parts() || self.computed == Computed::Any || self.constants.iter().any(|value| value.as_object().is_some())
    }
}

impl Shapes {
    pub(super) fn new() -> Self {
        let mut shapes = Self::default();
        for computed in [Computed::No, Computed::Scalar, Computed::Any] {
            shapes.add(Shape { computed, ..Shape::default() });
        }
        shapes
    }

    /// A shape.
    pub(super) fn get(&self, id: ShapeId) -> Arc<Shape> {
        self.shapes.get(id.index()).or(self.shapes.first()).cloned().unwrap_or_default()
    }

    /// The number of a shape.
    pub(super) fn add(&mut self, mut shape: Shape) -> ShapeId {
        if shape.constants.len() > CONSTANTS {
            shape.computed = shape.computed.max(computed(&shape.constants));
            shape.constants.clear();
        }
        if let Some(id) = self.ids.get(&shape) {
            return *id;
        }
        let id = ShapeId(u32::try_from(self.shapes.len()).unwrap_or(u32::MAX));
        let shape = Arc::new(shape);
        self.shapes.push(shape.clone());
        self.ids.insert(shape, id);
        id
    }

    /// A constant.
    pub(super) fn constant(&mut self, value: &Value) -> ShapeId {
        self.constants([value.clone()])
    }

    /// One of these constants.
    pub(super) fn constants(&mut self, values: impl IntoIterator<Item = Value>) -> ShapeId {
        let (constants, others): (Vec<_>, Vec<_>) = values.into_iter().partition(Value::is_plain);
        let computed = if others.is_empty() { Computed::No } else { computed(&others) };
        self.add(Shape { constants: constants.into_iter().collect(), computed, ..Shape::default() })
    }

    /// What is at a place.
    pub(super) fn place(&mut self, place: PlaceId) -> ShapeId {
        self.add(Shape { places: BTreeSet::from([place]), ..Shape::default() })
    }

    /// A collection with members at these keys.
    pub(super) fn members(&mut self, members: BTreeMap<Value, ShapeId>) -> ShapeId {
        self.made(Made { members, keys: ShapeId::NEVER, each: ShapeId::NEVER })
    }

    /// A collection with any number of members.
    pub(super) fn collection(&mut self, keys: ShapeId, each: ShapeId) -> ShapeId {
        self.made(Made { members: BTreeMap::new(), keys, each })
    }

    pub(super) fn made(&mut self, made: Made) -> ShapeId {
        self.add(Shape { made: Some(made), ..Shape::default() })
    }
}

/// What is known of some values that are not told apart.
fn computed<'v>(values: impl IntoIterator<Item = &'v Value>) -> Computed {
    if values.into_iter().all(is_scalar) { Computed::Scalar } else { Computed::Any }
}

fn is_scalar(value: &Value) -> bool {
    value.as_collection().is_none()
}
