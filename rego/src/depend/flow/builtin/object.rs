//! Builtins that pass parts of objects on.

use std::collections::BTreeMap;

use super::super::{Flow, grown};
use crate::builtins::Builtin;
use crate::depend::path::Part;
use crate::depend::shape::{Made, ShapeId};
use crate::value::Value;

impl Flow<'_> {
    pub(super) fn object_builtin(&mut self, builtin: &Builtin, operands: &[ShapeId]) -> ShapeId {
        match (builtin.name, operands) {
            ("object.get", [object, key, default]) => self.object_get(*object, *key, *default),
            ("object.keys", [object]) => self.object_keys(*object),
            ("object.union", [a, b]) => self.union(&[*a, *b]),
            ("object.union_n", [objects]) => match self.parts(*objects) {
                Some(objects) => self.union(&objects),
                None => self.opaque(builtin, operands),
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

    /// Which object a member comes from depends on what is there.
    fn union(&mut self, objects: &[ShapeId]) -> ShapeId {
        let mut all = ShapeId::NEVER;
        for object in objects {
            self.kind(*object);
            let object = self.exposed(*object);
            all = self.shapes.join(all, object);
        }
        all
    }

    /// A constant object as one that is made: its members may be merged with others.
    fn exposed(&mut self, id: ShapeId) -> ShapeId {
        if let Some(known) = self.shapes.exposed.get(&id) {
            return *known;
        }
        let exposed = self.expose(id);
        self.shapes.exposed.insert(id, exposed);
        exposed
    }

    fn expose(&mut self, id: ShapeId) -> ShapeId {
        let shape = self.shapes.get(id);
        let mut all = self.shapes.without_objects(id);
        for object in shape.constants.iter().filter_map(Value::as_object) {
            let mut members = BTreeMap::new();
            for (key, value) in object.iter() {
                let value = self.shapes.constant(value);
                members.insert(key.clone(), grown(|| self.exposed(value)));
            }
            let made = self.shapes.members(members);
            all = self.shapes.join(all, made);
        }
        match &shape.made {
            Some(made) => {
                let members = made.members.iter().map(|(key, value)| (key.clone(), grown(|| self.exposed(*value))));
                let members = members.collect();
                let each = grown(|| self.exposed(made.each));
                let made = self.shapes.made(Made { members, keys: made.keys, each });
                self.shapes.join(all, made)
            }
            None => all,
        }
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
