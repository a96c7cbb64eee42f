//! Parts of documents that are kept, each made of one member of a base document: where that is the same in memory, so is the part.

use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::Mutex;

use super::spots::{Spot, Spots};
use crate::ir::GroupId;
use crate::value::{Items, Str, Value};

/// So many bytes of parts are kept for a program.
const MOST: usize = 64 << 20;

/// What a value takes, and what is said about a part, in bytes.
const VALUE: usize = size_of::<Value>();
const PART: usize = 256;

/// One solution: the keys in a head, and the value or the member.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) path: Items,
    pub(super) value: Value,
}

/// What a member of a base document gives.
#[derive(Clone, Debug)]
pub(super) struct Part {
    element: Value,
    found: Arc<[Solution]>,
    bytes: usize,
}

/// The parts of one place in a policy, by the keys of the members.
#[derive(Clone, Debug)]
pub(super) struct Table {
    group: GroupId,
    path: Box<[Value]>,
    parts: HashMap<Str, Part>,
}

/// All parts that are kept for a program, whichever version of the base documents they are of.
#[derive(Debug, Default)]
pub(crate) struct Parts(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    tables: HashMap<usize, Arc<Table>>,
    bytes: usize,
}

/// Parts that an evaluation uses, and those that it has made.
pub(super) struct Recording<'a> {
    pub(super) spots: &'a Spots,
    pub(super) parts: &'a Parts,
    pub(super) made: Vec<Made<'a>>,
}

/// What was made at one place.
pub(super) struct Made<'a> {
    pub(super) place: (usize, &'a Spot),
    /// What was gone through.
    pub(super) collection: &'a Value,
    pub(super) parts: Vec<(Str, Part)>,
}

impl Part {
    /// What a member has given.
    pub(super) fn new(element: &Value, found: &[Solution]) -> Self {
        let nodes = |value: &Value| usize::try_from(value.nodes()).unwrap_or(usize::MAX);
        let solution = |found: &Solution| found.path.iter().chain([&found.value]).map(nodes).fold(4, usize::saturating_add);
        let nodes = found.iter().map(solution).fold(nodes(element), usize::saturating_add);
        let bytes = nodes.saturating_mul(VALUE).saturating_add(PART);
        Self { element: element.clone(), found: found.into(), bytes }
    }
}

impl Table {
    /// What a member gives, if it is that very one.
    pub(super) fn get(&self, key: &Str, element: &Value) -> Option<&[Solution]> {
        self.parts.get(key).filter(|part| part.element.is_same(element)).map(|part| &*part.found)
    }
}

impl Parts {
    /// What is known at a place.
    pub(super) fn table(&self, place: usize) -> Option<Arc<Table>> {
        self.0.lock().tables.get(&place).cloned()
    }

    /// Keeps what was made, as far as there is room.
    pub(super) fn keep(&self, made: Vec<Made<'_>>) {
        let mut kept = self.0.lock();
        made.into_iter().for_each(|made| kept.keep(made));
    }

    /// Base documents have changed at these paths: parts of members in which only something has changed that is not read there are now
    /// parts of what these have become. `is_read` says whether the document of a group depends on what lies at a path.
    pub(crate) fn renew(&self, paths: &[Vec<Value>], [old, new]: [&Value; 2], is_read: &dyn Fn(GroupId, &[Value]) -> bool) {
        let mut kept = self.0.lock();
        for table in kept.tables.values_mut() {
            for (key, is_read) in changed(table, paths, is_read) {
                let member = |data: &Value| at(data, &table.path)?.get(&Value::String(key.clone())).cloned();
                let known = table.parts.get(&key).zip(member(old)).is_some_and(|(part, old)| part.element.is_same(&old));
                if let Some(new) = member(new).filter(|new| known && !is_read && new.as_collection().is_some())
                    && let Some(part) = Arc::make_mut(table).parts.get_mut(&key)
                {
                    part.element = new;
                }
            }
        }
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.lock().tables.values().map(|table| table.parts.len()).sum()
    }
}

impl Kept {
    fn keep(&mut self, made: Made<'_>) {
        let (place, Spot { group, path }) = made.place;
        let new = || Arc::new(Table { group: *group, path: path.clone(), parts: HashMap::default() });
        let table = Arc::make_mut(self.tables.entry(place).or_insert_with(new));
        for (key, part) in made.parts {
            let before = table.parts.remove(&key).map_or(0, |part| part.bytes);
            let bytes = self.bytes.saturating_sub(before);
            let more = bytes.saturating_add(part.bytes);
            self.bytes = if more > MOST { bytes } else { more };
            if more <= MOST {
                table.parts.insert(key, part);
            }
        }
        if let Some(object) = made.collection.as_object().filter(|object| object.len() < table.parts.len()) {
            let gone = table.parts.extract_if(|key, _| object.member(key).is_none());
            self.bytes = gone.fold(self.bytes, |bytes, (_, part)| bytes.saturating_sub(part.bytes));
        }
    }
}

/// The members of what a table is of that have changed, and whether what is read of them has.
fn changed(table: &Table, paths: &[Vec<Value>], is_read: &dyn Fn(GroupId, &[Value]) -> bool) -> HashMap<Str, bool> {
    let mut changed = HashMap::default();
    for path in paths {
        if let Some([Value::String(key), ..]) = path.strip_prefix(&*table.path) {
            let found: &mut bool = changed.entry(key.clone()).or_default();
            *found = *found || is_read(table.group, path);
        }
    }
    changed
}

/// What lies in base documents at a path of names.
pub(super) fn at<'v>(data: &'v Value, path: &[Value]) -> Option<&'v Value> {
    path.iter().try_fold(data, Value::get)
}

#[cfg(test)]
mod tests {
    use super::{MOST, Made, Part, Parts, Spot, Value};
    use crate::ir::GroupId;

    /// What takes the place of something takes no room besides; what there is no room for is not kept, and takes none.
    #[test]
    fn there_is_room_for_so_much() {
        let (parts, spot) = (Parts::default(), Spot { group: GroupId(0), path: [Value::from("fleet")].into() });
        let collection = Value::object([(Value::from("a"), Value::Null), (Value::from("b"), Value::Null)]);
        let kept = |key: &str, bytes| {
            let part = Part { element: Value::Null, found: [].into(), bytes };
            parts.keep(vec![Made { place: (1, &spot), collection: &collection, parts: vec![(key.into(), part)] }]);
            parts.len()
        };
        assert_eq!(kept("a", MOST - 10), 1);
        assert_eq!(kept("b", 11), 1, "there is room for 10");
        assert_eq!(kept("b", 10), 2, "what was not kept took no room");
        assert_eq!(kept("a", MOST - 10), 2, "it takes the place of what was there");
        assert_eq!(kept("a", MOST - 9), 1, "there is none for one more");
        assert_eq!(kept("a", MOST - 10), 2, "what is gone leaves its room");
    }
}
