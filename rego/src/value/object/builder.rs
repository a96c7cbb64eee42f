//! Makes an object, member by member.

use super::super::many::Items;
use super::super::meter::{Free, Meter};
use super::super::{Value, sort};
use super::Object;
use super::shape::Shape;
use std::sync::Arc;

/// Members in any order. Of equal keys the first stays as it is written, with the value of the last (`v1/ast/term.go`,
/// `object.insert`).
#[derive(Debug, Default)]
pub struct ObjectBuilder(Vec<(Value, Value)>);

impl ObjectBuilder {
    /// With room for so many members.
    pub fn with_capacity(members: usize) -> Self {
        Self(Vec::with_capacity(members))
    }

    /// With these members.
    pub fn of(members: Vec<(Value, Value)>) -> Self {
        Self(members)
    }

    /// Sets a member: an equal key stays as it is, with the new value.
    pub fn insert(&mut self, key: Value, value: Value) {
        self.0.push((key, value));
    }

    /// The object.
    pub fn finish(self) -> Value {
        let Ok(object) = self.finish_within(&mut Free);
        object
    }

    /// The same, with comparisons paid by an account.
    pub fn finish_within<M: Meter>(self, meter: &mut M) -> Result<Value, M::Stop> {
        let mut members = self.0;
        if !sort::is_strictly_sorted(&members, meter)? {
            sort::sort(&mut members, meter)?;
            members = merged(members, meter)?;
        }
        let (keys, values): (_, Items) = members.into_iter().unzip();
        Ok(Value::Object(Arc::new(Object::of(Arc::new(Shape::of_sorted(keys)), values))))
    }
}

/// One member of those with equal keys, which stand side by side.
fn merged<M: Meter>(members: Vec<(Value, Value)>, meter: &mut M) -> Result<Vec<(Value, Value)>, M::Stop> {
    let mut kept: Vec<(Value, Value)> = Vec::with_capacity(members.len());
    for (key, value) in members {
        match kept.last_mut() {
            Some(last) if last.0.equal_within(&key, meter)? => last.1 = value,
            _ => kept.push((key, value)),
        }
    }
    Ok(kept)
}
