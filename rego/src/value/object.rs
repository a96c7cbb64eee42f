//! Objects: keys sorted as OPA sorts, in a shape that objects share, and their values beside it.

mod builder;
mod change;
mod shape;

use std::ops::Deref;
use std::sync::Arc;

pub use builder::ObjectBuilder;
pub use shape::Shape;

use super::Value;
use super::extent::Extent;
use super::many::{Items, Many};
use super::meter::Meter;

/// An object.
pub struct Object {
    pub(super) shape: Arc<Shape>,
    pub(super) values: Many,
}

impl Object {
    /// As many values as the shape has keys.
    fn of(shape: Arc<Shape>, values: impl Into<Items>) -> Self {
        let values = values.into();
        let extent = Extent::around(&values).with(shape.keys.extent());
        Self { shape, values: Many::with_extent(values, extent) }
    }

    /// With the keys of a shape, and their values in the same order; `None` unless there are as many.
    pub fn with_shape(shape: Arc<Shape>, values: Vec<Value>) -> Option<Self> {
        Self::shaped(shape, values.into())
    }

    pub(crate) fn shaped(shape: Arc<Shape>, values: Items) -> Option<Self> {
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
        self.values.items()
    }

    /// Its members, in the order of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator + Clone {
        self.keys().iter().zip(self.values())
    }

    /// The value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.values().get(self.shape.position(key)?)
    }

    /// The same, paid by an account where the key is large.
    pub fn get_within<M: Meter>(&self, key: &Value, meter: &mut M) -> Result<Option<&Value>, M::Stop> {
        Ok(self.shape.position_within(key, meter)?.and_then(|at| self.values().get(at)))
    }

    /// The value of a key that is text.
    pub fn member(&self, key: &str) -> Option<&Value> {
        self.values().get(self.shape.member_position(key)?)
    }

    /// The value at a position of its shape: what a place that has seen the shape before looks up without searching.
    #[inline]
    pub fn value_at(&self, position: usize) -> Option<&Value> {
        self.values().get(position)
    }
}

impl Deref for Object {
    type Target = Many;

    fn deref(&self) -> &Many {
        &self.values
    }
}
