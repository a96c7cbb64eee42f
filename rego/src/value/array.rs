//! Arrays.

use super::Value;

/// Items in their order, and how deep they nest.
#[derive(Debug)]
pub struct Array {
    items: Box<[Value]>,
    depth: u32,
}

impl Array {
    /// An array of these.
    pub fn new(items: Vec<Value>) -> Self {
        let depth = items.iter().map(Value::depth).max().unwrap_or(0).saturating_add(1);
        Self { items: items.into(), depth }
    }

    /// All of them.
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.items.get(index)
    }

    /// See [`Value::depth`].
    pub fn depth(&self) -> u32 {
        self.depth
    }
}
