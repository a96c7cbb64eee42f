//! Base documents in two layers, as OPA keeps them: what `with` has put there, and what is stored. What is read is both merged, unless
//! it lies in something that is replaced (opa `v1/topdown/eval.go`, `evalResolver.Resolve`, `resolveReadFromStorage`).

use std::borrow::Borrow;

use super::val::{Val, below_base};
use crate::value::deep::level;
use crate::value::{Meter, ObjectBuilder, Value};

/// A place among base documents, in its layers.
#[derive(Clone, Debug)]
pub(crate) struct Layers<'v> {
    put: Option<Val<'v>>,
    stored: Option<&'v Value>,
    /// At the root: stored documents below `data.system` are read by that name alone, and are no part of `data`.
    hides_system: bool,
}

/// The paths below `data` that are replaced, each a slice of keys.
#[derive(Clone, Debug)]
pub(crate) struct Replaced<P> {
    targets: Vec<P>,
    /// Those of them at which a function was put, which has no value.
    functions: Vec<P>,
}

impl<'v> Layers<'v> {
    /// The root of base documents: what is put there, and what is stored if not all of that is replaced.
    fn root(put: Option<&'v Value>, stored: &'v Value, is_replaced: bool) -> Self {
        Self { put: put.map(Val::Ref), stored: Some(stored).filter(|_| !is_replaced), hides_system: true }
    }

    /// The root where nothing is replaced.
    pub(super) fn stored(stored: &'v Value) -> Self {
        Self::root(None, stored, false)
    }

    /// Returns one step below. Where that is replaced as a whole, nothing that is stored is seen any more.
    pub(crate) fn below(&self, key: &Value, is_replaced: bool) -> Self {
        let stored = if is_replaced { None } else { self.stored.and_then(|stored| below_base(stored, key)) };
        Self { put: self.put.as_ref().and_then(|put| put.get(key)), stored, hides_system: false }
    }

    /// Whether nothing is there.
    pub(super) fn is_empty(&self) -> bool {
        self.put.is_none() && self.stored.is_none()
    }

    /// Returns what is there if one layer alone has it, and whether that is what is stored.
    pub(super) fn single(&self) -> Option<(Val<'v>, bool)> {
        match (&self.put, self.stored) {
            (Some(put), None) => Some((put.clone(), false)),
            (None, Some(stored)) => Some((Val::Ref(stored), true)),
            _ => None,
        }
    }

    /// Returns what is read there; merging is paid for.
    pub(crate) fn value<M: Meter>(&self, meter: &mut M) -> Result<Option<Val<'v>>, M::Stop> {
        let visible = self.stored.filter(|_| self.hides_system).and_then(without_system).map(Val::Own);
        let stored = visible.or(self.stored.map(Val::Ref));
        Ok(match (&self.put, stored) {
            (Some(put), Some(stored)) => Some(Val::Own(merge(put.value(), stored.value(), meter)?)),
            (put, stored) => put.clone().or(stored),
        })
    }

    /// Returns the keys of what is read there, in order.
    pub(super) fn keys(&self) -> Vec<Val<'v>> {
        let stored = self.stored.map(Val::Ref);
        let keys = |value: &Val<'v>| (0..value.len()).map_while(|at| Some(value.entry(at)?.0)).collect::<Vec<_>>();
        let mut stored = stored.as_ref().filter(|_| self.sees_stored()).map(keys).unwrap_or_default();
        if self.hides_system {
            stored.retain(|key| key.value().as_str().is_none_or(|key| key.as_str() != SYSTEM));
        }
        let Some(put) = self.put.as_ref().map(keys) else { return stored };
        stored.extend(put);
        stored.sort_by(|a, b| a.value().cmp(b.value()));
        stored.dedup_by(|a, b| a.value() == b.value());
        stored
    }

    /// Whether a key is among them.
    pub(super) fn has(&self, key: &Value) -> bool {
        let is_hidden = self.hides_system && key.as_str().is_some_and(|key| key.as_str() == SYSTEM);
        let is_in_stored = || !is_hidden && self.sees_stored() && self.stored.is_some_and(|stored| stored.get(key).is_some());
        self.put.as_ref().is_some_and(|put| put.get(key).is_some()) || is_in_stored()
    }

    /// Whether stored members are read there: only if nothing is put over them, or if both layers have an object.
    fn sees_stored(&self) -> bool {
        self.put
            .as_ref()
            .is_none_or(|put| put.value().as_object().is_some() && self.stored.is_some_and(|it| it.as_object().is_some()))
    }
}

impl<P> Default for Replaced<P> {
    fn default() -> Self {
        Self { targets: Vec::new(), functions: Vec::new() }
    }
}

impl<P: AsRef<[Value]> + Clone> Replaced<P> {
    /// One path more, at which there is a value or a function.
    pub(crate) fn add(&mut self, path: P, is_function: bool) {
        self.functions.retain(|other| !starts_with(other.as_ref(), path.as_ref()) && !starts_with(path.as_ref(), other.as_ref()));
        if is_function {
            self.functions.push(path.clone());
        }
        self.targets.push(path);
    }

    /// Returns the root of base documents.
    pub(crate) fn root<'v>(&self, put: Option<&'v Value>, stored: &'v Value) -> Layers<'v> {
        Layers::root(put, stored, self.contains::<Value>(&[]))
    }

    /// Whether a path lies in something that is replaced: no rule is looked for there.
    pub(crate) fn contains<K: Borrow<Value>>(&self, path: &[K]) -> bool {
        self.targets.iter().any(|target| starts_with(path, target.as_ref()))
    }

    /// Returns what is read at a path without what `with` has put functions in the place of.
    pub(crate) fn without_functions<'v, K: Borrow<Value>, M: Meter>(
        &self,
        path: &[K],
        value: Val<'v>,
        meter: &mut M,
    ) -> Result<Val<'v>, M::Stop> {
        let mut below = self.functions.iter().map(AsRef::as_ref).filter(|function| starts_with(function, path));
        below.try_fold(value, |value, function| {
            Ok(Val::Own(without(Some(value.value()), function.get(path.len()..).unwrap_or_default(), meter)?))
        })
    }
}

fn starts_with<A: Borrow<Value>, B: Borrow<Value>>(path: &[A], start: &[B]) -> bool {
    start.len() <= path.len() && start.iter().zip(path).all(|(a, b)| a.borrow() == b.borrow())
}

/// Returns a document with nothing at a path, where `with` has put a function: OPA keeps the key, with a reference that has no value.
pub(crate) fn without<M: Meter>(document: Option<&Value>, path: &[Value], meter: &mut M) -> Result<Value, M::Stop> {
    let Some((last, above)) = path.split_last() else { return Ok(Value::object([])) };
    let parent = document.and_then(|document| above.iter().try_fold(document, |value, key| value.as_object()?.get(key)));
    let parent = parent.and_then(Value::as_object);
    pay(parent.map_or(0, |parent| parent.len()), meter)?;
    let others = parent.into_iter().flat_map(|object| object.iter()).filter(|(key, _)| *key != last);
    put(document, above, Value::object(others.map(|(key, value)| (key.clone(), value.clone()))), meter)
}

/// Returns a document with a value at a path: what is no object on the way is replaced by one (opa `v1/topdown/input.go`,
/// `mergeTermWithValues`).
pub(crate) fn put<M: Meter>(document: Option<&Value>, path: &[Value], value: Value, meter: &mut M) -> Result<Value, M::Stop> {
    let Some((key, rest)) = path.split_first() else { return Ok(value) };
    let object = document.and_then(Value::as_object);
    let below = put(object.and_then(|object| object.get(key)), rest, value, meter)?;
    pay(object.map_or(1, |object| object.len().saturating_add(1)), meter)?;
    let mut builder = ObjectBuilder::default();
    for (name, member) in object.into_iter().flat_map(|object| object.iter()) {
        builder.insert(name.clone(), member.clone());
    }
    builder.insert(key.clone(), below);
    Ok(builder.finish())
}

/// Returns two objects as one; of two values that are not both objects, the first (opa `v1/topdown/eval.go`, `merge`).
pub(crate) fn merge<M: Meter>(first: &Value, second: &Value, meter: &mut M) -> Result<Value, M::Stop> {
    let (Value::Object(a), Value::Object(b)) = (first, second) else { return Ok(first.clone()) };
    if first.is_same(second) {
        return Ok(first.clone());
    }
    let most = a.len().saturating_add(b.len());
    pay(most, meter)?;
    let mut builder = ObjectBuilder::with_capacity(most);
    for (key, value) in b.iter().filter(|(key, _)| a.get(key).is_none()) {
        builder.insert(key.clone(), value.clone());
    }
    for (key, value) in a.iter() {
        let merged = match b.get(key) {
            Some(other) => level(value.depth().min(other.depth()), || merge(value, other, meter))?,
            None => value.clone(),
        };
        builder.insert(key.clone(), merged);
    }
    Ok(builder.finish())
}

/// Pays for an object of so many members.
fn pay<M: Meter>(members: usize, meter: &mut M) -> Result<(), M::Stop> {
    meter.step(u64::try_from(members).unwrap_or(u64::MAX))?;
    meter.charge(members.saturating_mul(2 * size_of::<Value>()))
}

const SYSTEM: &str = "system";

/// All base documents but `system`, if that is among them.
fn without_system(data: &Value) -> Option<Value> {
    let system = Value::from(SYSTEM);
    let members = data.as_object().filter(|members| members.get(&system).is_some())?;
    let others = members.iter().filter(|(key, _)| **key != system);
    Some(Value::object(others.map(|(key, value)| (key.clone(), value.clone()))))
}
