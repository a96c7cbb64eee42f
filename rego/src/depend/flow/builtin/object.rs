//! Builtins that pass parts of objects on.

use std::collections::BTreeMap;

use super::super::Flow;
use crate::builtins::Builtin;
use crate::depend::path::Part;
use crate::depend::shape::ShapeId;
use crate::value::Value;

impl Flow<'_> {
    pub(super) fn object_builtin(&mut self, builtin: &Builtin, operands: &[ShapeId]) -> ShapeId {
        match (builtin.name, operands) {
            ("object.get", [object, key, default]) => self.object_get(*object, *key, *default),
            ("object.keys", [object]) => self.object_keys(*object),
            ("object.union", [a, b]) => self.merged(&[*a, *b]),
            ("object.union_n", [objects]) => match self.parts(*objects) {
                // Of none, it is an empty object.
                Some(objects) if !objects.is_empty() => self.merged(&objects),
                _ => self.opaque(builtin, operands),
            },
            ("object.filter" | "object.remove" | "json.filter", [object, which]) => match self.known(*which) {
                Some(which) if builtin.name == "object.filter" => self.object_filter(*object, &which),
                Some(which) if builtin.name == "object.remove" => self.object_remove(*object, &which),
                Some(which) => self.json_filter(*object, &which),
                None => self.opaque(builtin, operands),
            },
            _ => self.opaque(builtin, operands),
        }
    }

    /// A key that is an array is a path (opa `v1/topdown/object.go`, `builtinObjectGet`).
    fn object_get(&mut self, object: ShapeId, key: ShapeId, default: ShapeId) -> ShapeId {
        self.kind(object);
        self.whole(key);
        let shape = self.shapes.get(key);
        let mut found = default;
        if let Some(keys) = shape.as_constants() {
            for key in keys {
                let path = key.as_array().unwrap_or(std::slice::from_ref(key));
                let part = path.iter().fold(object, |part, key| self.below(part, Some(key)));
                found = self.shapes.join(found, part);
            }
            return found;
        }
        let part = if shape.is_scalar() {
            self.below(object, None)
        } else {
            self.whole(object);
            ShapeId::COMPUTED
        };
        self.shapes.join(found, part)
    }

    fn object_keys(&mut self, object: ShapeId) -> ShapeId {
        self.look(object, Part::Keys);
        let keys = self.shapes.keys(object);
        self.shapes.collection(keys, keys)
    }

    /// The items of an array that is written out.
    fn parts(&mut self, array: ShapeId) -> Option<Vec<ShapeId>> {
        let shape = self.shapes.get(array);
        let made = shape.made.as_ref().filter(|made| made.each == ShapeId::NEVER && !shape.is_choice())?;
        Some(made.members.values().copied().collect())
    }

    fn object_filter(&mut self, object: ShapeId, which: &Value) -> ShapeId {
        self.kind(object);
        let mut members = BTreeMap::new();
        for key in names(which) {
            let part = self.below(object, Some(&key));
            self.kind(part);
            members.insert(key, part);
        }
        self.shapes.members(members)
    }

    fn object_remove(&mut self, object: ShapeId, which: &Value) -> ShapeId {
        self.kind(object);
        let members = names(which).into_iter().map(|key| (key, ShapeId::NEVER)).collect();
        self.shapes.put(object, members)
    }
}

/// Keys in an array, a set or an object (opa `v1/topdown/object.go`, `getObjectKeysParam`).
fn names(which: &Value) -> Vec<Value> {
    match which {
        Value::Array(array) => array.items().to_vec(),
        Value::Set(set) => set.members().to_vec(),
        Value::Object(object) => object.keys().to_vec(),
        _ => Vec::new(),
    }
}
