//! Objects that differ from others in some members, and share the rest.

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::many::Items;
use super::super::meter::Meter;
use super::super::{Value, deep};
use super::Object;
use super::shape::Shape;

impl Object {
    /// The same with one member set: an equal key stays as it is written, with the new value.
    #[must_use]
    pub fn with(&self, key: Value, value: Value) -> Self {
        let mut values = self.values().to_vec();
        if let Some(slot) = self.shape.position(&key).and_then(|at| values.get_mut(at)) {
            *slot = value;
            return Self::of(self.shape.clone(), values);
        }
        let at = self.keys().partition_point(|other| *other < key);
        let mut keys = self.keys().to_vec();
        keys.insert(at, key);
        values.insert(at, value);
        Self::of(Arc::new(Shape::of_sorted(keys)), values)
    }

    /// The same without one member; `None` if it has no such member.
    pub fn without(&self, key: &Value) -> Option<Self> {
        let at = self.shape.position(key)?;
        let (mut keys, mut values) = (self.keys().to_vec(), self.values().to_vec());
        keys.remove(at);
        values.remove(at);
        Some(Self::of(Arc::new(Shape::of_sorted(keys)), values))
    }

    /// The members whose key is wanted, or why somebody cannot say.
    pub fn try_filtered<E>(&self, mut wanted: impl FnMut(&Value) -> Result<bool, E>) -> Result<Self, E> {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for (key, value) in self.iter() {
            if wanted(key)? {
                keys.push(key.clone());
                values.push(value.clone());
            }
        }
        Ok(Self::of(Arc::new(Shape::of_sorted(keys)), values))
    }

    /// The members whose key is wanted.
    #[must_use]
    pub fn filtered(&self, mut wanted: impl FnMut(&Value) -> bool) -> Self {
        let wanted = self.iter().filter(|(key, _)| wanted(key));
        let (keys, values): (_, Items) = wanted.map(|(key, value)| (key.clone(), value.clone())).unzip();
        Self::of(Arc::new(Shape::of_sorted(keys)), values)
    }

    /// The members of both. Where both have a key it stays as `self` writes it; two objects below it are merged in turn, of
    /// other values that of `other` stays (`v1/topdown/object.go`, `mergeWithOverwrite`). Paid: a step for each member.
    pub fn union<M: Meter>(&self, other: &Self, meter: &mut M) -> Result<Self, M::Stop> {
        deep::level(self.depth().min(other.depth()), || {
            if Arc::ptr_eq(&self.shape, &other.shape) {
                meter.charge(size_of_val(self.values()).saturating_add(size_of::<Self>()))?;
                let values =
                    self.values().iter().zip(other.values()).map(|(a, b)| merged(a, b, meter)).collect::<Result<Items, _>>()?;
                return Ok(Self::of(self.shape.clone(), values));
            }
            self.merged_with(other, meter)
        })
    }

    fn merged_with<M: Meter>(&self, other: &Self, meter: &mut M) -> Result<Self, M::Stop> {
        let room = self.len().saturating_add(other.len());
        meter.charge(room.saturating_mul(size_of::<(Value, Value)>()))?;
        let (mut keys, mut values) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let (mut mine, mut theirs) = (self.iter().peekable(), other.iter().peekable());
        loop {
            let order = match (mine.peek(), theirs.peek()) {
                (Some((a, _)), Some((b, _))) => a.compare_within(b, meter)?,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let first = if order.is_le() { mine.next() } else { None };
            let second = if order.is_ge() { theirs.next() } else { None };
            let Some((key, _)) = first.or(second) else { break };
            keys.push(key.clone());
            values.push(match (first, second) {
                (Some((_, a)), Some((_, b))) => merged(a, b, meter)?,
                (Some((_, value)), None) | (None, Some((_, value))) => value.clone(),
                (None, None) => break,
            });
        }
        Ok(Self::of(Arc::new(Shape::of_sorted(keys)), values))
    }
}

fn merged<M: Meter>(a: &Value, b: &Value, meter: &mut M) -> Result<Value, M::Stop> {
    meter.step(1)?;
    match (a, b) {
        // Merged with itself, it is itself.
        (Value::Object(a), Value::Object(b)) if Arc::ptr_eq(a, b) => Ok(Value::Object(a.clone())),
        (Value::Object(a), Value::Object(b)) => Ok(Value::Object(Arc::new(a.union(b, meter)?))),
        _ => Ok(b.clone()),
    }
}
