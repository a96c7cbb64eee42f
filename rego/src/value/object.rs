//! Objects: keys sorted as OPA sorts, in a shape that objects share, and their values beside it.

mod builder;
mod change;
mod shape;

use std::mem::{replace, take};
use std::sync::Arc;

pub use builder::ObjectBuilder;
pub use shape::Shape;

use super::drop::{Deep, dismantle};
use super::extent::Extent;
use super::hash::HashCell;
use super::meter::Meter;
use super::{Value, deep};

/// An object.
pub struct Object {
    shape: Arc<Shape>,
    values: Box<[Value]>,
    extent: Extent,
    pub(super) hash: HashCell,
}

impl Object {
    /// As many values as the shape has keys.
    fn of(shape: Arc<Shape>, values: Vec<Value>) -> Self {
        let extent = Extent::around(&values).with(shape.extent());
        Self { shape, values: values.into(), extent, hash: HashCell::default() }
    }

    /// With the keys of a shape, and their values in the same order; `None` unless there are as many.
    pub fn with_shape(shape: Arc<Shape>, values: Vec<Value>) -> Option<Self> {
        (shape.keys().len() == values.len()).then(|| Self::of(shape, values))
    }

    /// Its shape.
    pub fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    /// Its keys, in order.
    pub fn keys(&self) -> &[Value] {
        self.shape.keys()
    }

    /// Its values, in the order of the keys.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Its members, in the order of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator + Clone {
        self.shape.keys().iter().zip(self.values.iter())
    }

    /// The value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.values.get(self.shape.position(key)?)
    }

    /// The same, paid by an account where the key is large.
    pub fn get_within<M: Meter>(&self, key: &Value, meter: &mut M) -> Result<Option<&Value>, M::Stop> {
        Ok(self.shape.position_within(key, meter)?.and_then(|at| self.values.get(at)))
    }

    /// The value of a key that is text.
    pub fn member(&self, key: &str) -> Option<&Value> {
        self.values.get(self.shape.member_position(key)?)
    }

    /// The value at a position of its shape: what a place that has seen the shape before looks up without searching.
    #[inline]
    pub fn value_at(&self, position: usize) -> Option<&Value> {
        self.values.get(position)
    }

    /// How many members.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// See [`Value::depth`].
    pub fn depth(&self) -> u32 {
        self.extent.depth
    }

    /// See [`Value::nodes`].
    pub fn nodes(&self) -> u32 {
        self.extent.nodes
    }

    pub(super) fn extent(&self) -> Extent {
        self.extent
    }
}

impl Deep for Object {
    fn hand_over(&mut self, pending: &mut Vec<Value>) {
        pending.append(&mut take(&mut self.values).into_vec());
        if let Some(mut shape) = Arc::into_inner(replace(&mut self.shape, Shape::empty())) {
            shape.hand_over(pending);
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if self.extent.depth >= deep::SHALLOW && !self.values.is_empty() {
            dismantle(self);
        }
    }
}
