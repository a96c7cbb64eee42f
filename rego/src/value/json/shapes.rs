//! Keys that objects of one document have in common: one text for each, one shape for each list of them.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use arcstr::ArcStr;

use crate::value::meter::Meter;
use crate::value::object::Shape;
use crate::value::{Object, ObjectBuilder, Value};

/// How many texts and shapes are known at most; others are made for themselves.
const TEXTS: usize = 1 << 16;
const SHAPES: usize = 1 << 12;
/// Longer texts are not known.
const LONG: usize = 128;

/// Keys and shapes that were read before.
#[derive(Default)]
pub(super) struct Shapes {
    texts: HashMap<ArcStr, (), foldhash::fast::RandomState>,
    shapes: HashMap<u64, Vec<Known>, foldhash::fast::RandomState>,
    count: usize,
}

/// Keys as they were read, the shape that they make, and where each of its keys was read.
struct Known {
    read: Box<[ArcStr]>,
    shape: Arc<Shape>,
    order: Option<Box<[usize]>>,
}

impl Shapes {
    /// A key's text, shared.
    pub(super) fn text(&mut self, key: &str) -> ArcStr {
        if let Some((known, ())) = self.texts.get_key_value(key) {
            return known.clone();
        }
        let text = ArcStr::from(key);
        if self.texts.len() < TEXTS && key.len() <= LONG {
            self.texts.insert(text.clone(), ());
        }
        text
    }

    /// An object of these members; of equal keys the last value counts.
    pub(super) fn object<M: Meter>(&mut self, keys: &[ArcStr], values: Vec<Value>, meter: &mut M) -> Result<Value, M::Stop> {
        let hash = self.hash(keys);
        if let Some(known) = self.shapes.get(&hash).and_then(|known| known.iter().find(|known| known.is(keys))) {
            return Ok(known.object(values));
        }
        self.learn(hash, keys);
        if let Some(known) = self.shapes.get(&hash).and_then(|known| known.iter().find(|known| known.is(keys))) {
            return Ok(known.object(values));
        }
        let mut builder = ObjectBuilder::with_capacity(values.len());
        keys.iter().zip(values).for_each(|(key, value)| builder.insert(Value::string(key), value));
        builder.finish_within(meter)
    }

    /// Known texts are shared, so where they stand in memory tells them apart.
    fn hash(&self, keys: &[ArcStr]) -> u64 {
        let mut state = self.texts.hasher().build_hasher();
        keys.iter().for_each(|key| key.as_ptr().hash(&mut state));
        state.finish()
    }

    fn learn(&mut self, hash: u64, keys: &[ArcStr]) {
        if self.count >= SHAPES {
            return;
        }
        if let Some(known) = Known::of(keys) {
            self.count = self.count.saturating_add(1);
            self.shapes.entry(hash).or_default().push(known);
        }
    }
}

impl Known {
    /// Nothing for keys that occur twice.
    fn of(keys: &[ArcStr]) -> Option<Self> {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|a, b| keys.get(*a).cmp(&keys.get(*b)));
        let sorted = order.iter().filter_map(|at| keys.get(*at).map(Value::string)).collect();
        let shape = Shape::new(sorted)?;
        let in_order = order.iter().enumerate().all(|(at, read)| at == *read);
        Some(Self { read: keys.into(), shape, order: (!in_order).then(|| order.into()) })
    }

    fn is(&self, keys: &[ArcStr]) -> bool {
        self.read.len() == keys.len()
            && self.read.iter().zip(keys).all(|(a, b)| std::ptr::eq(a.as_ptr(), b.as_ptr()) && a.len() == b.len() || a == b)
    }

    fn object(&self, mut values: Vec<Value>) -> Value {
        if let Some(order) = &self.order {
            let taken = |at: &usize| values.get_mut(*at).map(|value| std::mem::replace(value, Value::Null));
            values = order.iter().filter_map(taken).collect();
        }
        Object::with_shape(self.shape.clone(), values).map_or(Value::Null, |object| Value::Object(Arc::new(object)))
    }
}
