//! Where the keys that policies write stand in the objects that an evaluation reads: looked for once, not for each object of a shape.

use std::ptr;

use crate::value::{Object, Shape, Value};

/// How many are remembered: the last for each remainder.
const REMEMBERED: usize = 256;

/// A key in a shape.
#[derive(Clone, Copy)]
struct Place<'a> {
    shape: &'a Shape,
    key: &'a Value,
    /// Beyond the end if it is not there.
    position: usize,
}

/// What was found so far. Shapes and keys are known by where they are in memory: all of them outlive the evaluation.
pub(super) struct Places<'a>(Box<[Option<Place<'a>>]>);

impl Default for Places<'_> {
    fn default() -> Self {
        Self(Box::from([None; REMEMBERED]))
    }
}

impl<'a> Places<'a> {
    /// The value of a key that stands in a policy.
    #[inline]
    pub(super) fn find(&mut self, object: &'a Object, key: &'a Value) -> Option<&'a Value> {
        let shape: &'a Shape = object.shape();
        let mixed = (ptr::from_ref(shape).addr() >> 4) ^ (ptr::from_ref(key).addr() >> 4).wrapping_mul(31);
        let place = self.0.get_mut((mixed ^ (mixed >> 8)) % REMEMBERED)?;
        if let Some(known) = place
            && ptr::eq(known.shape, shape)
            && ptr::eq(known.key, key)
        {
            return object.value_at(known.position);
        }
        let position = shape.position(key).unwrap_or(usize::MAX);
        *place = Some(Place { shape, key, position });
        object.value_at(position)
    }
}
