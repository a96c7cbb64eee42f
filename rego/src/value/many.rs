//! Values side by side: what arrays, sets and objects are made of.

use std::mem::take;

use super::drop::dismantle;
use super::extent::Extent;
use super::hash::HashCell;
use super::{Value, deep};

/// Values in an order, with what is known of all of them together.
pub struct Many {
    items: Box<[Value]>,
    extent: Extent,
    pub(super) hash: HashCell,
}

impl Many {
    pub(super) fn of(items: Vec<Value>) -> Self {
        let extent = Extent::around(&items);
        Self::with_extent(items, extent)
    }

    /// With an extent that counts more than these.
    pub(super) fn with_extent(items: Vec<Value>, extent: Extent) -> Self {
        Self { items: items.into(), extent, hash: HashCell::default() }
    }

    pub(super) fn items(&self) -> &[Value] {
        &self.items
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

    /// Moves what would be dropped with it; nothing stays.
    pub(super) fn hand_over(&mut self, pending: &mut Vec<Value>) {
        pending.append(&mut take(&mut self.items).into_vec());
    }
}

impl Drop for Many {
    fn drop(&mut self) {
        if self.extent.depth >= deep::SHALLOW && !self.items.is_empty() {
            dismantle(self);
        }
    }
}
