//! The keys that objects share.

use std::fmt;
use std::mem::take;
use std::sync::{Arc, LazyLock};

use super::super::drop::{Deep, dismantle};
use super::super::extent::Extent;
use super::super::hash::HashCell;
use super::super::index::{Index, Prints};
use super::super::meter::Meter;
use super::super::{Value, deep};

/// Keys in OPA's order, no two equal. Two objects with one shape have the same keys, also in how they are written; a position in
/// it is good for all of them.
pub struct Shape {
    keys: Box<[Value]>,
    extent: Extent,
    text: bool,
    prints: Prints,
    index: Index,
    pub(in crate::value) hash: HashCell,
}

impl Shape {
    /// Of keys that are in order, no two equal.
    pub(super) fn of_sorted(keys: Vec<Value>) -> Self {
        Self {
            extent: Extent::around(&keys),
            text: keys.iter().all(|key| matches!(key, Value::String(_))),
            prints: Prints::of(&keys),
            keys: keys.into(),
            index: Index::default(),
            hash: HashCell::default(),
        }
    }

    /// The keys, if they are in order and no two are equal.
    pub fn new(keys: Vec<Value>) -> Option<Arc<Self>> {
        let sorted = keys.iter().zip(keys.iter().skip(1)).all(|(a, b)| a < b);
        sorted.then(|| Arc::new(Self::of_sorted(keys)))
    }

    /// Without keys.
    pub(in crate::value) fn empty() -> Arc<Self> {
        static EMPTY: LazyLock<Arc<Shape>> = LazyLock::new(|| Arc::new(Shape::of_sorted(Vec::new())));
        EMPTY.clone()
    }

    /// All of them, in order.
    pub fn keys(&self) -> &[Value] {
        &self.keys
    }

    /// Whether all of them are strings.
    pub fn is_text(&self) -> bool {
        self.text
    }

    /// Where a key stands.
    pub fn position(&self, key: &Value) -> Option<usize> {
        match key {
            Value::String(text) => self.member_position(text),
            _ if self.text => None,
            _ => self.index.position(&self.keys, key),
        }
    }

    /// The same, paid by an account where the key is large.
    pub fn position_within<M: Meter>(&self, key: &Value, meter: &mut M) -> Result<Option<usize>, M::Stop> {
        match key {
            Value::Array(_) | Value::Object(_) | Value::Set(_) if !self.text => {
                self.index.position_within(&self.keys, key, meter)
            }
            _ => Ok(self.position(key)),
        }
    }

    /// Where a key that is text stands.
    pub fn member_position(&self, key: &str) -> Option<usize> {
        match self.text {
            true => self.prints.position(&self.keys, key, &self.index),
            false => self.index.text_position(&self.keys, key),
        }
    }

    pub(super) fn extent(&self) -> Extent {
        self.extent
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.keys).finish()
    }
}

impl Deep for Shape {
    fn hand_over(&mut self, pending: &mut Vec<Value>) {
        pending.append(&mut take(&mut self.keys).into_vec());
    }
}

impl Drop for Shape {
    fn drop(&mut self) {
        if self.extent.depth >= deep::SHALLOW && !self.keys.is_empty() {
            dismantle(self);
        }
    }
}
