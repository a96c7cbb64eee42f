//! OPA's order of values (`v1/ast/compare.go`), and what is equal in it.

use std::cmp::Ordering;
use std::sync::Arc;

use super::meter::{Free, Meter, text_steps};
use super::{Object, Value, deep, number, rank};

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let Ok(equal) = equal(self, other, &mut Free);
        equal
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        let Ok(ordering) = compare(self, other, &mut Free);
        ordering
    }
}

impl Value {
    /// `==`, paid by an account: a step for each pair of values that is looked at, and for 64 bytes of text.
    pub fn equal_within<M: Meter>(&self, other: &Self, meter: &mut M) -> Result<bool, M::Stop> {
        equal(self, other, meter)
    }

    /// Whether both are one collection in memory.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.address().is_some_and(|address| other.address() == Some(address))
    }

    /// Where a collection is in memory.
    pub(crate) fn address(&self) -> Option<usize> {
        match self {
            Self::Array(array) => Some(Arc::as_ptr(array).addr()),
            Self::Set(set) => Some(Arc::as_ptr(set).addr()),
            Self::Object(object) => Some(Arc::as_ptr(object).addr()),
            Self::Null | Self::False | Self::True | Self::Int(_) | Self::Number(_) | Self::String(_) => None,
        }
    }

    /// The order, paid in the same way.
    pub fn compare_within<M: Meter>(&self, other: &Self, meter: &mut M) -> Result<Ordering, M::Stop> {
        compare(self, other, meter)
    }
}

fn equal<M: Meter>(a: &Value, b: &Value, meter: &mut M) -> Result<bool, M::Stop> {
    meter.step(1)?;
    Ok(match (a, b) {
        (Value::Null, Value::Null) | (Value::False, Value::False) | (Value::True, Value::True) => true,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Int(_) | Value::Number(_), Value::Int(_) | Value::Number(_)) => number::compare(a, b).is_eq(),
        (Value::String(a), Value::String(b)) if a.len() == b.len() => {
            meter.step(text_steps(a.len()))?;
            a == b
        }
        (Value::Array(a), Value::Array(b)) if Arc::ptr_eq(a, b) => true,
        (Value::Array(x), Value::Array(y)) => {
            x.extent().may_equal(y.extent())
                && alike(x.hash.known(), y.hash.known())
                && deep::level(x.depth(), || equal_items(x.items(), y.items(), meter))?
        }
        (Value::Set(a), Value::Set(b)) if Arc::ptr_eq(a, b) => true,
        (Value::Set(x), Value::Set(y)) => {
            x.extent().may_equal(y.extent())
                && alike(x.hash.known(), y.hash.known())
                && deep::level(x.depth(), || equal_items(x.members(), y.members(), meter))?
        }
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b) || equal_objects(a, b, meter)?,
        _ => false,
    })
}

/// Equal values have equal hashes.
fn alike(a: Option<u64>, b: Option<u64>) -> bool {
    a.zip(b).is_none_or(|(a, b)| a == b)
}

pub(super) fn equal_items<M: Meter>(a: &[Value], b: &[Value], meter: &mut M) -> Result<bool, M::Stop> {
    if a.len() != b.len() {
        return Ok(false);
    }
    for (a, b) in a.iter().zip(b) {
        if !equal(a, b, meter)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal_objects<M: Meter>(a: &Object, b: &Object, meter: &mut M) -> Result<bool, M::Stop> {
    if !a.extent().may_equal(b.extent()) || !alike(a.hash.known(), b.hash.known()) {
        return Ok(false);
    }
    deep::level(a.depth(), || {
        let same_shape = Arc::ptr_eq(a.shape(), b.shape());
        Ok((same_shape || equal_items(a.keys(), b.keys(), meter)?) && equal_items(a.values(), b.values(), meter)?)
    })
}

fn compare<M: Meter>(a: &Value, b: &Value, meter: &mut M) -> Result<Ordering, M::Stop> {
    meter.step(1)?;
    Ok(match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Int(_) | Value::Number(_), Value::Int(_) | Value::Number(_)) => number::compare(a, b),
        (Value::String(a), Value::String(b)) => {
            meter.step(text_steps(a.len().min(b.len())))?;
            a.cmp(b)
        }
        (Value::Array(a), Value::Array(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
        (Value::Array(a), Value::Array(b)) => {
            deep::level(a.depth().min(b.depth()), || compare_items(a.items(), b.items(), meter))?
        }
        (Value::Set(a), Value::Set(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
        (Value::Set(a), Value::Set(b)) => {
            deep::level(a.depth().min(b.depth()), || compare_items(a.members(), b.members(), meter))?
        }
        (Value::Object(a), Value::Object(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
        (Value::Object(a), Value::Object(b)) => deep::level(a.depth().min(b.depth()), || compare_objects(a, b, meter))?,
        _ => rank::of(a).cmp(&rank::of(b)),
    })
}

pub(super) fn compare_items<M: Meter>(a: &[Value], b: &[Value], meter: &mut M) -> Result<Ordering, M::Stop> {
    for (a, b) in a.iter().zip(b) {
        let ordering = compare(a, b, meter)?;
        if ordering.is_ne() {
            return Ok(ordering);
        }
    }
    Ok(a.len().cmp(&b.len()))
}

/// Member by member: the key, then its value.
fn compare_objects<M: Meter>(a: &Object, b: &Object, meter: &mut M) -> Result<Ordering, M::Stop> {
    if Arc::ptr_eq(a.shape(), b.shape()) {
        return compare_items(a.values(), b.values(), meter);
    }
    for ((key, value), (other_key, other_value)) in a.iter().zip(b.iter()) {
        let ordering = match compare(key, other_key, meter)? {
            Ordering::Equal => compare(value, other_value, meter)?,
            unequal => unequal,
        };
        if ordering.is_ne() {
            return Ok(ordering);
        }
    }
    Ok(a.len().cmp(&b.len()))
}

/// How a key compares with text.
pub(super) fn with_text(key: &Value, text: &str) -> Ordering {
    match key {
        Value::String(key) => key.as_str().cmp(text),
        other => rank::of(other).cmp(&rank::STRING),
    }
}
