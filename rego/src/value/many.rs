//! Values side by side: what arrays, sets and objects are made of.

use smallvec::SmallVec;

use super::drop::dismantle;
use super::extent::Extent;
use super::hash::HashCell;
use super::{Value, deep};

/// Values that lie inside of what has them, if there are few: most arrays and objects of policies and of Kubernetes have three at most.
/// With three, a collection takes as much memory as with a block of its own for one or two.
pub(crate) type Items = SmallVec<[Value; 3]>;

/// Returns the values of an iterator side by side. If it says how many there are, memory is allocated for so many and no more.
pub(crate) fn collected(items: impl Iterator<Item = Value>) -> Items {
    match items.size_hint() {
        (least, Some(most)) if least == most && most > Items::new().inline_size() => items.collect::<Vec<_>>().into(),
        _ => items.collect(),
    }
}

/// Values in an order, with what is known of all of them together.
pub struct Many {
    items: Items,
    extent: Extent,
    pub(super) hash: HashCell,
}

impl Many {
    pub(super) fn of(items: impl Into<Items>) -> Self {
        let items = items.into();
        let extent = Extent::around(&items);
        Self::with_extent(items, extent)
    }

    /// With an extent that counts more than these.
    pub(super) fn with_extent(mut items: Items, extent: Extent) -> Self {
        items.shrink_to_fit();
        Self { items, extent, hash: HashCell::default() }
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
        self.extent.depth()
    }

    /// See [`Value::is_plain`].
    pub(super) fn is_plain(&self) -> bool {
        self.extent.is_plain()
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
        pending.extend(self.items.drain(..));
    }
}

impl Drop for Many {
    fn drop(&mut self) {
        if self.extent.depth() >= deep::SHALLOW && !self.items.is_empty() {
            dismantle(self);
        }
    }
}
