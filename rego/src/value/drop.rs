//! Deep values end without recursion.

use std::sync::Arc;

use super::Value;
use super::many::Many;

/// Ends values and whatever they alone hold, one after the other.
pub(super) fn dismantle(values: &mut Many) {
    let mut pending = Vec::new();
    values.hand_over(&mut pending);
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(array) => Arc::into_inner(array).into_iter().for_each(|mut array| array.0.hand_over(&mut pending)),
            Value::Set(set) => Arc::into_inner(set).into_iter().for_each(|mut set| set.members.hand_over(&mut pending)),
            Value::Object(object) => {
                let Some(mut object) = Arc::into_inner(object) else { continue };
                object.values.hand_over(&mut pending);
                Arc::into_inner(object.shape).into_iter().for_each(|mut shape| shape.keys.hand_over(&mut pending));
            }
            _ => {}
        }
    }
}
