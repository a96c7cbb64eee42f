//! Objects: keys sorted as OPA sorts, in a shape that objects share, and their values beside it.

use std::sync::Arc;

use super::Value;

/// Keys in OPA's order, no two equal. Two objects with one shape have the same keys.
#[derive(Debug)]
pub struct Shape {
    keys: Box<[Value]>,
    depth: u32,
}

/// An object.
#[derive(Debug)]
pub struct Object {
    shape: Arc<Shape>,
    values: Box<[Value]>,
    depth: u32,
}

/// Makes an object, member by member.
#[derive(Debug, Default)]
pub struct ObjectBuilder(Vec<(Value, Value)>);

impl Object {
    /// Its shape.
    pub fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    /// Its keys, in order.
    pub fn keys(&self) -> &[Value] {
        &self.shape.keys
    }

    /// Its values, in the order of the keys.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Its members, in the order of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + Clone {
        self.shape.keys.iter().zip(self.values.iter())
    }

    /// The value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        let at = self.shape.position(key)?;
        self.values.get(at)
    }

    /// The value of a key that is text.
    pub fn member(&self, key: &str) -> Option<&Value> {
        let at = self.shape.keys.binary_search_by(|probe| super::order::with_text(probe, key)).ok()?;
        self.values.get(at)
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
        self.depth
    }
}

impl Shape {
    /// Where a key stands.
    pub fn position(&self, key: &Value) -> Option<usize> {
        self.keys.binary_search(key).ok()
    }
}

impl ObjectBuilder {
    /// Sets a member: an equal key stays as it is, with the new value.
    pub fn insert(&mut self, key: Value, value: Value) {
        self.0.push((key, value));
    }

    /// The object.
    pub fn finish(self) -> Value {
        let mut members = self.0;
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
        members.dedup_by(|later, earlier| {
            let equal = later.0 == earlier.0;
            if equal {
                earlier.1 = std::mem::replace(&mut later.1, Value::Null);
            }
            equal
        });
        let (keys, values): (Vec<_>, Vec<_>) = members.into_iter().unzip();
        let deepest = |values: &[Value]| values.iter().map(Value::depth).max().unwrap_or(0);
        let shape = Shape { depth: deepest(&keys), keys: keys.into() };
        let depth = shape.depth.max(deepest(&values)).saturating_add(1);
        Value::Object(Arc::new(Object { shape: Arc::new(shape), values: values.into(), depth }))
    }
}
