//! Comparisons.

use super::Flow;
use crate::depend::path::Part;
use crate::depend::shape::{Shape, ShapeId};
use crate::value::Value;

impl Flow<'_> {
    /// Reads what two values are compared by; returns whether they may be equal.
    pub(super) fn compare(&mut self, a: ShapeId, b: ShapeId) -> bool {
        let (left, right) = (self.shapes.get(a), self.shapes.get(b));
        if left.is_never() || right.is_never() {
            return false;
        }
        self.look(a, against(&right));
        self.look(b, against(&left));
        match (left.as_constants(), right.as_constants()) {
            (Some(left), Some(right)) => !left.is_disjoint(right),
            _ => true,
        }
    }

    /// Reads what the order of two values depends on.
    pub(super) fn order(&mut self, a: ShapeId, b: ShapeId) {
        let (left, right) = (self.shapes.get(a), self.shapes.get(b));
        self.look(a, ordered(&right));
        self.look(b, ordered(&left));
    }
}

/// How much of a value has to be looked at to know whether it equals one of these.
fn against(other: &Shape) -> Part {
    let known = other.as_constants();
    let all = |holds: fn(&Value) -> bool| known.is_some_and(|values| values.iter().all(holds));
    if all(|value| matches!(value, Value::Null | Value::False | Value::True)) {
        Part::Kind
    } else if other.is_scalar() {
        Part::Scalar
    } else if all(|value| value.as_collection().is_none_or(|len| len == 0)) {
        Part::Keys
    } else {
        Part::Whole
    }
}

/// How much of a value has to be looked at to know whether it is more or less than one of these: values of other types are, by
/// their type.
fn ordered(other: &Shape) -> Part {
    if other.is_scalar() { Part::Scalar } else { Part::Whole }
}
