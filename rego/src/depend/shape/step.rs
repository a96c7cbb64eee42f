//! What lies one step below a value.

use super::{Computed, Made, Place, ShapeId, Shapes};
use crate::depend::flow::grown;
use crate::depend::path::Step;
use crate::depend::reads::Root;
use crate::eval::index;
use crate::value::Value;

impl Shapes {
    /// What is at a key; without one, at any of them. Not of what documents and objects are combined to: what is there of it decides that.
    pub(in crate::depend) fn below(&mut self, id: ShapeId, key: Option<&Value>) -> ShapeId {
        let shape = self.get(id);
        let mut found = match shape.computed {
            Computed::Any => ShapeId::COMPUTED,
            Computed::No | Computed::Scalar => ShapeId::NEVER,
        };
        for place in &shape.places {
            for step in steps(self.places.root(*place), key) {
                let place = self.places.add(Place::Below(*place, step));
                let below = self.place(place);
                found = self.join(found, below);
            }
        }
        let constants = self.constants(shape.constants.iter().flat_map(|value| parts(value, key)));
        found = self.join(found, constants);
        if let Some(made) = &shape.made {
            let below = self.below_made(made, key);
            found = self.join(found, below);
        }
        found
    }

    fn below_made(&mut self, made: &Made, key: Option<&Value>) -> ShapeId {
        match key {
            Some(key) => self.join_all(made.members.get(key).copied().into_iter().chain([made.each])),
            None => self.join_all(made.members.values().copied().chain([made.each])),
        }
    }

    /// What the keys of a value may be.
    pub(in crate::depend) fn keys(&mut self, id: ShapeId) -> ShapeId {
        if let Some(known) = self.keys.get(&id) {
            return *known;
        }
        let keys = self.find_keys(id);
        self.keys.insert(id, keys);
        keys
    }

    fn find_keys(&mut self, id: ShapeId) -> ShapeId {
        let shape = self.get(id);
        let mut found = match shape.computed {
            Computed::Any => ShapeId::COMPUTED,
            _ if shape.places.is_empty() => ShapeId::NEVER,
            _ => ShapeId::SCALAR,
        };
        let constants = self.constants(shape.constants.iter().flat_map(keys));
        found = self.join(found, constants);
        if let Some(made) = &shape.made {
            let names = self.constants(made.members.keys().cloned());
            found = self.join_all([found, names, made.keys]);
        }
        for over in shape.overs.iter().filter_map(|over| self.over(*over)).collect::<Vec<_>>() {
            let names = self.constants(over.members.keys().cloned());
            let base = grown(|| self.keys(over.base));
            found = self.join_all([found, names, base]);
        }
        for object in shape.merges.iter().filter_map(|merge| self.merge(*merge)).collect::<Vec<_>>().concat() {
            let keys = grown(|| self.keys(object));
            found = self.join(found, keys);
        }
        found
    }
}

/// Where a key leads; without one, everywhere. In base documents a number finds the member that is called as it is written, too, and a text
/// the item at the index that it is (`eval::val::below_base`): a fraction, or `7.0`, may find any, for equal numbers have one place.
fn steps(root: Root, key: Option<&Value>) -> Vec<Step> {
    match (root, key) {
        (_, None) | (Root::Data, Some(Value::Number(_))) => vec![Step::Any],
        (Root::Data, Some(key)) => std::iter::once(key.clone()).chain(other_name(key)).map(Step::Key).collect(),
        (Root::Input, Some(key)) => vec![Step::Key(key.clone())],
    }
}

/// Returns the other key by which the same member or item of a base document is found; `None` where there is none.
pub(in crate::depend) fn other_name(key: &Value) -> Option<Value> {
    match key {
        Value::Int(_) | Value::Number(_) => Some(key.to_string().into()),
        Value::String(text) => index(text).map(Value::Int),
        _ => None,
    }
}

fn parts(value: &Value, key: Option<&Value>) -> Vec<Value> {
    match (value, key) {
        (value, Some(key)) => value.get(key).cloned().into_iter().collect(),
        (Value::Array(array), None) => array.items().to_vec(),
        (Value::Object(object), None) => object.values().to_vec(),
        (Value::Set(set), None) => set.members().to_vec(),
        _ => Vec::new(),
    }
}

fn keys(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(array) => (0..array.items().len()).map(Value::from).collect(),
        Value::Object(object) => object.keys().to_vec(),
        Value::Set(set) => set.members().to_vec(),
        _ => Vec::new(),
    }
}
