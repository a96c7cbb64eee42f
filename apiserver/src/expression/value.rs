//! JSON as CEL has it.

use std::collections::HashMap;
use std::sync::Arc;

use cel::Value;
use cel::objects::{Key, Map};
use serde_json::Value as Json;

/// Whole numbers are `int`, as Kubernetes' objects have them; others are `double`.
pub(super) fn from_json(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Int(whole),
            (None, float) => Value::Float(float.unwrap_or_default()),
        },
        Json::String(text) => Value::String(Arc::new(text.clone())),
        Json::Array(members) => Value::List(Arc::new(members.iter().map(from_json).collect())),
        Json::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (Key::String(Arc::new(name.clone())), from_json(value)));
            Value::Map(Map { map: Arc::new(fields.collect::<HashMap<_, _>>()) })
        }
    }
}
