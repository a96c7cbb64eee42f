//! Deep values end without recursion.

use std::sync::Arc;

use super::Value;

/// A collection that gives away what is inside.
pub(super) trait Deep {
    /// Moves what would be dropped with it; nothing stays.
    fn hand_over(&mut self, pending: &mut Vec<Value>);
}

/// Ends a collection and whatever it alone holds, one after the other.
pub(super) fn dismantle(collection: &mut impl Deep) {
    let mut pending = Vec::new();
    collection.hand_over(&mut pending);
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(array) => last(array, &mut pending),
            Value::Object(object) => last(object, &mut pending),
            Value::Set(set) => last(set, &mut pending),
            _ => {}
        }
    }
}

fn last<T: Deep>(shared: Arc<T>, pending: &mut Vec<Value>) {
    if let Some(mut alone) = Arc::into_inner(shared) {
        alone.hand_over(pending);
    }
}
