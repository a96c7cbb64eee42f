//! Arrays.

use std::ops::Deref;

use super::Value;
use super::many::{Items, Many};

/// Items in their order.
pub struct Array(pub(super) Many);

impl Array {
    /// An array of these.
    pub fn new(items: Vec<Value>) -> Self {
        Self(Many::of(items))
    }

    pub(super) fn of(items: Items) -> Self {
        Self(Many::of(items))
    }

    /// All of them.
    pub fn items(&self) -> &[Value] {
        self.0.items()
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.items().get(index)
    }
}

impl Deref for Array {
    type Target = Many;

    fn deref(&self) -> &Many {
        &self.0
    }
}
