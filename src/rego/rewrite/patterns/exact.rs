//! `plimsoll__.exact(value, shape)` is the value, if its objects have the keys of the shape and no others, and its arrays as many
//! items; else undefined. In a shape `null` stands for anything.

use anyhow::anyhow;
use regorus::{Engine, Value};

use crate::rego::rewrite::operators;

/// The function that patterns are rewritten with.
pub(super) const NAME: &str = "plimsoll__.exact";

/// Makes it a function of an engine.
pub(in crate::rego::rewrite) fn install(engine: &mut Engine) {
    let call = |values: Vec<Value>| match values.as_slice() {
        [value, shape] => Ok(if fits(value, shape) { value.clone() } else { Value::Undefined }),
        _ => Err(anyhow!("a pattern has a value and a shape")),
    };
    operators::add(engine, NAME, 2, Box::new(call));
}

/// Shapes are as deep as the patterns of a module.
fn fits(value: &Value, shape: &Value) -> bool {
    match (value, shape) {
        (_, Value::Null) => true,
        (Value::Array(items), Value::Array(shapes)) => {
            items.len() == shapes.len() && items.iter().zip(shapes.iter()).all(|(item, shape)| fits(item, shape))
        }
        (Value::Object(members), Value::Object(shapes)) => {
            members.len() == shapes.len()
                && shapes.iter().all(|(key, shape)| members.get(key).is_some_and(|value| fits(value, shape)))
        }
        _ => false,
    }
}
