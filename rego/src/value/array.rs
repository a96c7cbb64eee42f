//! Arrays.

use std::mem::take;

use super::drop::{Deep, dismantle};
use super::extent::Extent;
use super::hash::HashCell;
use super::{Value, deep};

/// Items in their order.
pub struct Array {
    items: Box<[Value]>,
    extent: Extent,
    pub(super) hash: HashCell,
}

impl Array {
    /// An array of these.
    pub fn new(items: Vec<Value>) -> Self {
        Self { extent: Extent::around(&items), items: items.into(), hash: HashCell::default() }
    }

    /// All of them.
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.items.get(index)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// See [`Value::depth`].
    pub fn depth(&self) -> u32 {
        self.extent.depth
    }

    /// See [`Value::nodes`].
    pub fn nodes(&self) -> u32 {
        self.extent.nodes
    }

    pub(super) fn extent(&self) -> Extent {
        self.extent
    }
}

impl Deep for Array {
    fn hand_over(&mut self, pending: &mut Vec<Value>) {
        pending.append(&mut take(&mut self.items).into_vec());
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if self.extent.depth >= deep::SHALLOW && !self.items.is_empty() {
            dismantle(self);
        }
    }
}
