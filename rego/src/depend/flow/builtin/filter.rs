//! `json.filter` with constant paths.

use super::super::Flow;
use crate::depend::path::Part;
use crate::depend::shape::ShapeId;
use crate::value::Value;

impl Flow<'_> {
    /// What lies at the paths is passed on whole; a scalar on the way, too (opa `v1/topdown/json.go`, `filterObject`).
    pub(super) fn json_filter(&mut self, object: ShapeId, paths: &Value) -> ShapeId {
        self.kind(object);
        match keys(paths) {
            Some(paths) => paths.iter().for_each(|path| self.filtered(object, path)),
            None => self.whole(object),
        }
        ShapeId::COMPUTED
    }

    fn filtered(&mut self, object: ShapeId, path: &[Value]) {
        let mut part = object;
        for key in path {
            self.look(part, Part::Scalar);
            let named = self.below(part, Some(key));
            // Items of arrays are named by text.
            part = match key.as_str().and_then(|text| text.parse::<i64>().ok()) {
                Some(index) => {
                    let item = self.below(part, Some(&Value::from(index)));
                    self.shapes.join(named, item)
                }
                None => named,
            };
        }
        self.whole(part);
    }
}

/// The keys of each path (opa `v1/topdown/json.go`, `parsePath`); `None` if one of them names everything, or nothing.
fn keys(paths: &Value) -> Option<Vec<Vec<Value>>> {
    let paths = match paths {
        Value::Array(array) => array.items(),
        Value::Set(set) => set.members(),
        _ => return None,
    };
    paths.iter().map(|path| path_keys(path).filter(|keys| !keys.is_empty())).collect()
}

fn path_keys(path: &Value) -> Option<Vec<Value>> {
    match path {
        Value::String(text) => {
            let unescape = |part: &str| Value::from(part.replace("~1", "/").replace("~0", "~"));
            Some(text.trim_start_matches('/').split('/').map(unescape).collect())
        }
        Value::Array(array) => Some(array.items().to_vec()),
        _ => None,
    }
}
